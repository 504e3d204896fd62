// Makes a bare clone runnable: dependencies from the lock file and the generated protocol code. Plain Node, no packages.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

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

/**
 * Whether every package of the lock file is installed as it is locked. `isThere` tells whether the package at a path stands on the
 * disk. Optional ones, such as those for other platforms, may be missing; further ones do no harm.
 */
export function areInstalled(locked, installed, isThere) {
  return Object.entries(locked).every(([path, { version, integrity, optional }]) => {
    if (path === '') return true // The project itself.
    const found = installed[path]
    if (!found || found.ideallyInert) return optional === true // npm 11.4 also writes down, as inert, what it left out.
    return found.version === version && found.integrity === integrity && isThere(path)
  })
}

const packagesOf = (lockFile) => JSON.parse(readFileSync(join(root, lockFile), 'utf8')).packages

/** npm writes down what it installed when all of it is there. After an install that was stopped, the file is missing or cut short. */
function installedPackages() {
  try {
    return packagesOf('node_modules/.package-lock.json')
  } catch {
    return {}
  }
}

/** Installs dependencies unless those of the lock file are there, whoever installed them; then compiles the schemas when they changed. */
export function ensureInstalled() {
  requireNode()
  if (!areInstalled(packagesOf('package-lock.json'), installedPackages(), (path) => existsSync(join(root, path, 'package.json')))) {
    console.error('Installing dependencies (once) …')
    // Without `--include=dev`, NODE_ENV=production would leave out what builds and runs the commands.
    runOrThrow('npm', ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], { stdio: ['ignore', 2, 2] })
  }
  runOrThrow(process.execPath, [join(root, 'scripts', 'compile-schemas.mjs')], { stdio: ['ignore', 2, 2] })
}
