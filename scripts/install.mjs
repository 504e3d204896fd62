// Makes a bare clone runnable: dependencies from the lock file and the generated protocol code. Plain Node, no packages.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))
const marker = join(root, 'node_modules', '.countersign-install')

/** Runs a program in the project's folder with its output shown; throws when it fails. */
export function runOrThrow(program, args, options = {}) {
  const result = spawnSync(program, args, { cwd: root, stdio: 'inherit', ...options })
  if (result.error) throw result.error
  if (result.status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${result.status ?? result.signal}`)
}

/** Whether this version of Node comes before the one that is needed, `20.19`. */
export const isOlder = (version, needed) => version.localeCompare(needed, 'en', { numeric: true }) < 0

/** An older one would fail later, in words of its own. */
function requireNode() {
  const [needed] = /\d+\.\d+/.exec(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).engines.node)
  if (!isOlder(process.versions.node, needed)) return
  console.error(`Node ${needed} or newer is needed; this is ${process.versions.node}.`)
  process.exit(1)
}

/** Installs dependencies unless those of this very lock file are there, then compiles the schemas when they changed. */
export function ensureInstalled() {
  requireNode()
  const lock = createHash('sha256').update(readFileSync(join(root, 'package-lock.json'))).digest('hex')
  const installed = existsSync(marker) ? readFileSync(marker, 'utf8') : ''
  if (installed !== lock) {
    console.error('Installing dependencies (once) …')
    runOrThrow('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { stdio: ['ignore', 2, 2] })
    writeFileSync(marker, lock)
  }
  runOrThrow(process.execPath, [join(root, 'scripts', 'compile-schemas.mjs')], { stdio: ['ignore', 2, 2] })
}
