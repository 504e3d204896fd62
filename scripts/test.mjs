// Everything: types, lint, import rules, unit, property and vector tests, conformance, integration on each store, e2e in a real Chromium.
import { existsSync } from 'node:fs'
import { createConnection } from 'node:net'
import { join, resolve } from 'node:path'
import { root } from './install.mjs'
import { importRules, lint, playwright, run, summarise, types, vitest } from './steps.mjs'

const tsx = join(root, 'node_modules', '.bin', 'tsx')

/** The public bundles, when they are there: one pass per verified evaluation. */
async function conformance() {
  const folder = resolve(root, process.env.MWP_VECTORS ?? '../shared/vectors/mwp')
  if (!existsSync(folder)) {
    const note = 'public bundles not found; set MWP_VECTORS to their folder'
    return { name: 'conformance', passed: 0, failed: 0, skipped: 1, note }
  }
  const { code, output } = await run(tsx, ['scripts/conformance.ts', folder], { isQuiet: true })
  console.log(output)
  const passed = [...output.matchAll(/(\d+)\/\d+/g)].reduce((total, [, count]) => total + Number(count), 0)
  return { name: 'conformance', passed, failed: code === 0 ? 0 : 1, skipped: 0 }
}

/** What the tests of this very run prove: fails on a rule without a proof and on a page that says something else. Needs all of them, PostgreSQL too. */
async function evidence() {
  const name = 'evidence'
  if (results.some(({ name: step, skipped }) => step === 'int tests' && skipped > 0)) return { name, passed: 0, failed: 0, skipped: 1, note: 'integration tests were skipped' }
  const { code, output } = await run(tsx, ['scripts/evidence.ts', '--last-run'], { isQuiet: true })
  if (code !== 0) console.log(output)
  return { name, passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0 }
}

/** Known vulnerabilities of what is installed; a registry that does not answer is said, not failed. */
async function audit() {
  const { code, output } = await run('npm', ['audit', '--omit=dev', '--audit-level=high', '--json'], { isQuiet: true })
  const report = (() => {
    try {
      return JSON.parse(output.slice(output.indexOf('{')))
    } catch {
      return {}
    }
  })()
  if (!report.metadata) return { name: 'dependency audit', passed: 0, failed: 0, skipped: 1, note: 'the registry does not answer audits here' }
  if (code !== 0) console.log(output)
  return { name: 'dependency audit', passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0 }
}

function answers(host, port) {
  return new Promise((done) => {
    const socket = createConnection({ host, port, timeout: 1000 })
    socket.once('connect', () => (socket.destroy(), done(true)))
    for (const event of ['error', 'timeout']) socket.once(event, () => (socket.destroy(), done(false)))
  })
}

/** Integration tests use TEST_DATABASE_URL, DATABASE_URL or a local server; without one the PostgreSQL part says that it is skipped. */
async function databaseUrl() {
  const given = process.env.TEST_DATABASE_URL ?? process.env.DATABASE_URL
  if (given) return given
  return (await answers('127.0.0.1', 5432)) ? 'postgres://postgres@127.0.0.1:5432/postgres' : ''
}

async function e2e() {
  const browser = [process.env.CHROMIUM_PATH, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => path && existsSync(path))
  const playwrightOwn = await run(process.execPath, ['-e', "import('@playwright/test').then(({chromium})=>process.exit(require('node:fs').existsSync(chromium.executablePath())?0:1))"], { isQuiet: true })
  if (browser || playwrightOwn.code === 0) {
    const built = await run(process.execPath, ['scripts/build.mjs'])
    return built.code === 0 ? playwright() : { name: 'e2e', passed: 0, failed: 1, skipped: 0, note: 'the build failed' }
  }
  const note = 'no Chromium found: install it or set CHROMIUM_PATH'
  return { name: 'e2e', passed: 0, failed: process.env.CI ? 1 : 0, skipped: process.env.CI ? 0 : 1, note }
}

const results = []
for (const step of [types, lint, importRules, () => vitest('unit'), () => vitest('long'), conformance, async () => vitest('int', { TEST_DATABASE_URL: await databaseUrl() }), evidence, e2e, audit]) {
  results.push(await step())
}
process.exit(summarise(results))
