import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chown, mkdir, open, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { StoreFault } from '../store-fault.ts'
import type { PostgresBinaries } from './postgres-binaries.ts'
import { PROGRAM_ENVIRONMENT } from './postgres-binaries.ts'
import { isAlive } from './process-identity.ts'
import type { ServiceAccount } from './service-account.ts'
import { makePassage } from './service-account.ts'

const USER = 'countersign'
const run = promisify(execFile)

/** A PostgreSQL cluster in the data folder and what is needed to start it and to connect to it. */
export interface Cluster {
  readonly binaries: PostgresBinaries
  readonly account: ServiceAccount | undefined
  /** PGDATA. */
  readonly dataPath: string
  readonly logPath: string
  readonly password: string
}

/** Where a cluster of this folder is; it exists as soon as it is complete. */
const clusterPath = (folder: string) => join(folder, 'cluster')

/** The cluster in `folder`, made first if there is none. Two processes may call this at once: one cluster comes out. */
export async function openCluster(folder: string, binaries: PostgresBinaries, account: ServiceAccount | undefined): Promise<Cluster> {
  const path = clusterPath(folder)
  await makePassage(folder, account)
  await removeAbandoned(folder)
  const password = (await readPassword(path)) ?? (await initialize(folder, binaries, account))
  await makePassage(path, account)
  return { binaries, account, dataPath: join(path, 'data'), logPath: join(folder, 'server.log'), password }
}

export const hasCluster = async (folder: string): Promise<boolean> => (await readPassword(clusterPath(folder))) !== undefined

/** Connects with a password even on loopback: other accounts of this machine reach the port as well. */
export const clusterUrl = (cluster: Cluster, port: number): string => `postgres://${USER}:${cluster.password}@127.0.0.1:${port}/postgres`

/** The port of the last start if it is free, else another free one, which is remembered. */
export async function choosePort(cluster: Cluster): Promise<number> {
  const path = join(cluster.dataPath, '..', 'port')
  const remembered = Number(await readFile(path, 'utf8').catch(() => '0'))
  const port = (remembered > 0 && (await freePort(remembered))) || (await freePort(0))
  if (port === undefined) throw new RangeError('no free port on the loopback address')
  if (port !== remembered) await writeFile(path, String(port), { mode: 0o600 })
  return port
}

/** The port itself (or one that the system chose for 0) when it can be bound on the loopback address. */
export function freePort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(undefined))
    probe.listen(port, '127.0.0.1', () => {
      const { port: bound } = probe.address() as AddressInfo
      probe.close(() => resolve(bound))
    })
  })
}

/** Initializes beside the final place and renames: a cluster is complete or absent, and of two only one gets the name. */
async function initialize(folder: string, binaries: PostgresBinaries, account: ServiceAccount | undefined): Promise<string> {
  const draft = join(folder, `new-${process.pid}-${randomBytes(4).toString('hex')}`)
  const password = randomBytes(24).toString('base64url')
  const [dataPath, passwordPath] = [join(draft, 'data'), join(draft, 'password')]
  await makePassage(draft, account)
  await mkdir(dataPath, { mode: 0o700 })
  await writeFile(passwordPath, password, { mode: 0o600, flush: true })
  if (account) for (const path of [dataPath, passwordPath]) await chown(path, account.uid, account.gid)
  const options = ['--encoding=UTF8', '--no-locale', '--auth=scram-sha-256', '--no-instructions']
  try {
    await run(binaries.initdb, ['-D', dataPath, `--username=${USER}`, `--pwfile=${passwordPath}`, ...options], { ...account, cwd: '/', env: PROGRAM_ENVIRONMENT })
  } catch (cause) {
    await rm(draft, { recursive: true })
    throw new StoreFault('embedded-unavailable', 'PostgreSQL could not initialize its folder', { cause })
  }
  try {
    await rename(draft, clusterPath(folder))
    // Were the name lost with the power, the next start would take everything committed until then for a draft.
    for (const path of [folder, dirname(folder)]) await syncFolder(path)
    return password
  } catch (cause) {
    const winner = await readPassword(clusterPath(folder))
    if (winner === undefined) throw cause
    await rm(draft, { recursive: true })
    return winner
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  await folder.sync().finally(() => folder.close())
}

async function readPassword(path: string): Promise<string | undefined> {
  try {
    return await readFile(join(path, 'password'), 'utf8')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw cause
  }
}

/** Drafts of processes that died while they were initializing. */
async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = /^new-(\d+)-/.exec(name)?.[1]
    if (pid !== undefined && Number(pid) !== process.pid && !isAlive(Number(pid))) await rm(join(folder, name), { recursive: true, force: true })
  }
}
