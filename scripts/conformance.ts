// npm run conformance -- <folder> [--json]: proves this product against the public bundles in the folder.
import { statSync } from 'node:fs'
import { conforms, runBundles } from './conformance-bundles.ts'
import type { BundleReport } from './conformance/bundle-files.ts'

const USAGE = 'usage: npm run conformance -- <folder with the public bundles> [--json]'
const WRONG_USE = 2

function describe(report: BundleReport): string[] {
  const { name, passed, total, published, artifacts, digest, differences } = report
  const lines = [`${name} ${passed}/${total}`]
  if (total !== published) lines.push(`  the published bundle has ${published} evaluations`)
  if (artifacts !== undefined) {
    lines.push(`  files: ${artifacts.checked} checked, ${artifacts.absent.length} public schemas absent`)
    lines.push(...artifacts.absent.map((path) => `    absent: ${path}`))
  }
  if (digest !== undefined) lines.push(`  digest ${digest}`)
  return [...lines, ...differences.map((difference) => `  DIFFERS ${difference}`)]
}

async function main(args: readonly string[]): Promise<number> {
  const isJson = args.includes('--json')
  const [folder, ...rest] = args.filter((arg) => arg !== '--json')
  if (folder === undefined || rest.length > 0 || !statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    console.error(USAGE)
    return WRONG_USE
  }
  const reports = await runBundles(folder)
  const isConforming = reports.length > 0 && reports.every(conforms)
  const absent = reports.flatMap(({ artifacts }) => artifacts?.absent ?? [])
  if (isJson) console.log(JSON.stringify({ conforms: isConforming, absent, bundles: reports }, null, 2))
  else if (reports.length === 0) console.log(`No bundle lies in ${folder}.`)
  else {
    console.log(reports.flatMap(describe).join('\n'))
    console.log(`${absent.length} listed public schema files are absent; this product's own schemas were used`)
    console.log(isConforming ? 'conforms' : 'DOES NOT CONFORM')
  }
  return isConforming ? 0 : 1
}

process.exitCode = await main(process.argv.slice(2))
