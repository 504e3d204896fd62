// Builds the server bundle and, unless --server-only, the console. Skips what is up to date.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { root } from './install.mjs'

const serverSources = ['protocol', 'schemas', 'server', 'sdk', 'drizzle', 'examples']
const consoleSources = ['app', 'components', 'protocol', 'public', 'next.config.mjs', 'postcss.config.mjs', 'tsconfig.json']
const shared = ['package-lock.json', 'scripts/build.mjs']

function* filesOf(path) {
  if (!existsSync(path)) return
  if (!statSync(path).isDirectory()) return yield path
  for (const name of readdirSync(path).sort()) yield* filesOf(join(path, name))
}

function fingerprint(sources) {
  const hash = createHash('sha256')
  for (const source of [...sources, ...shared]) {
    for (const file of filesOf(join(root, source))) hash.update(file).update(readFileSync(file))
  }
  return hash.digest('hex')
}

/** Runs `make` unless the fingerprint of its sources is the one it last succeeded with. */
async function buildWhenChanged(name, sources, output, make) {
  const stamp = join(root, 'dist', `${name}.stamp`)
  const current = fingerprint(sources)
  if (existsSync(join(root, output)) && existsSync(stamp) && readFileSync(stamp, 'utf8') === current) return
  console.error(`Building the ${name} …`)
  await make()
  writeFileSync(stamp, current)
}

/** What it prints is shown only where it fails: a newcomer waits for an address. */
function buildConsole() {
  const env = { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' }
  const { error, status, signal, stdout, stderr } = spawnSync(process.execPath, ['node_modules/next/dist/bin/next', 'build'], { cwd: root, env, encoding: 'utf8' })
  if (error) throw error
  if (status === 0) return
  console.error(stdout + stderr)
  throw new Error(`the console was not built: next build ended with ${status ?? signal}`)
}

mkdirSync(join(root, 'dist'), { recursive: true })
await buildWhenChanged('server', serverSources, 'dist/server.js', () =>
  build({
    absWorkingDir: root,
    entryPoints: { server: 'server/main.ts', demo: 'examples/release-review/main.ts' },
    outdir: 'dist',
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    packages: 'external',
    conditions: ['countersign-server'],
    sourcemap: true,
    logLevel: 'warning',
  }),
)
if (!process.argv.includes('--server-only')) {
  await buildWhenChanged('console', consoleSources, '.next/BUILD_ID', buildConsole)
}
