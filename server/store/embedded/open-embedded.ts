import { existsSync } from 'node:fs'
import { mkdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../../log.ts'
import type { DatabaseKind } from '../connect.ts'
import { StoreFault } from '../store-fault.ts'
import { hasCluster, openCluster } from './cluster.ts'
import { openPglite } from './pglite.ts'
import { findPostgresBinaries } from './postgres-binaries.ts'
import { findServiceAccount, makePassage, requirePassageTo } from './service-account.ts'
import { Supervisor } from './supervisor.ts'

/** A database without set-up. `url` and `kind` go to `openStore`. */
export interface EmbeddedDatabase {
  readonly url: string
  readonly kind: DatabaseKind
  /** What committed data survives. */
  readonly durability: 'power-loss' | 'process-crash'
  /** For people, at start-up and in the console: why, and what it means, when the durability is less than full. */
  readonly notice?: string
  stop(): Promise<void>
}

const folderIn = (dataDir: string) => join(dataDir, 'postgres')

/** Whether the embedded database was ever opened in the data folder. */
export const hasEmbedded = (dataDir: string): boolean => existsSync(folderIn(dataDir))

/**
 * Opens the database in `<dataDir>/postgres`: a real PostgreSQL, or PGlite where that cannot run. A folder keeps the kind
 * that it was founded with, since neither reads the other's files. Throws StoreFault.
 */
export async function openEmbedded(dataDir: string, log?: Log): Promise<EmbeddedDatabase> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const root = await realpath(dataDir)
  const folder = folderIn(root)
  const pgliteFolder = join(folder, 'pglite')
  if (existsSync(pgliteFolder)) return openWithoutFlush(pgliteFolder, 'this data folder was founded with it')
  try {
    return await openPostgres(root, folder, log)
  } catch (cause) {
    const isImpossibleHere = cause instanceof StoreFault && cause.code === 'embedded-unavailable'
    if (!isImpossibleHere || (await hasCluster(folder))) throw cause
    return openWithoutFlush(pgliteFolder, cause.message)
  }
}

async function openPostgres(root: string, folder: string, log: Log | undefined): Promise<EmbeddedDatabase> {
  const account = await findServiceAccount()
  await requirePassageTo(root, account)
  const binaries = await findPostgresBinaries(account)
  await makePassage(root, account)
  const supervisor = await Supervisor.start(await openCluster(folder, binaries, account), log)
  return { url: supervisor.url, kind: 'postgres', durability: 'power-loss', stop: () => supervisor.stop() }
}

async function openWithoutFlush(folder: string, reason: string): Promise<EmbeddedDatabase> {
  const { url, stop } = await openPglite(folder)
  const notice = `The built-in store survives a crash of the program, not a loss of power: it is PGlite, because ${reason}.`
  return { url, kind: 'pglite', durability: 'process-crash', notice, stop }
}
