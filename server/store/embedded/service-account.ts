// PostgreSQL refuses to run as root, so a server that was started as root runs it under an account that may do little.
import { execFile } from 'node:child_process'
import { chmod, chown, mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { StoreFault } from '../store-fault.ts'

export interface ServiceAccount { readonly uid: number; readonly gid: number }

const CANDIDATES = ['postgres', 'nobody']

const run = promisify(execFile)

/** The account for PostgreSQL; undefined when this process is not root and PostgreSQL runs as itself. */
export async function findServiceAccount(): Promise<ServiceAccount | undefined> {
  if (process.getuid?.() !== 0) return undefined
  for (const name of CANDIDATES) {
    try {
      const [uid, gid] = await Promise.all(['-u', '-g'].map(async (flag) => Number((await run('id', [flag, name])).stdout)))
      if (uid && gid) return { uid, gid }
    } catch {
      // No such account on this system: try the next.
    }
  }
  throw new StoreFault('embedded-unavailable', `the server runs as root and there is no account ${CANDIDATES.join(' or ')} for PostgreSQL`)
}

/**
 * Makes a folder that only its owner reads. A service account gets leave to pass through it by its group, not to list it.
 */
export async function makePassage(path: string, account: ServiceAccount | undefined): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 })
  if (!account) return
  await chown(path, (await stat(path)).uid, account.gid)
  await chmod(path, 0o710)
}

/** Throws StoreFault `embedded-unavailable` when a folder above `path` (absolute, no links) is closed to the account. */
export async function requirePassageTo(path: string, account: ServiceAccount | undefined): Promise<void> {
  if (!account) return
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const { mode, uid, gid } = await stat(folder)
    const bit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001
    if ((mode & bit) === 0) throw new StoreFault('embedded-unavailable', `the server runs as root and PostgreSQL's account may not enter ${folder}`)
    if (folder === dirname(folder)) return
  }
}
