import { drizzle } from 'drizzle-orm/postgres-js'
import type { Log } from '../log.ts'
import type { Seat, Store } from '../service/ports.ts'
import type { DatabaseKind, Sql } from './connect.ts'
import { connect, connectAlone, requireSupportedServer } from './connect.ts'
import { DatabaseClock, timeSources } from './database-clock.ts'
import { createCredentialStore } from './credentials.ts'
import { createDirectory } from './directory.ts'
import { createIapStore } from './iap-store.ts'
import { migrate } from './migrate.ts'
import { createOpenSpaceStore } from './open-spaces.ts'
import { createRulingStore } from './ruling-store.ts'
import { createReadModels } from './read-models.ts'
import { LockedSeat, OnlySeat } from './seat.ts'
import { createSpaceLog } from './space-log.ts'
import { LocalWakeUps, NotifyingWakeUps } from './wake-ups.ts'

export interface StoreOptions {
  /** `postgres://…` of the server itself or of a pooler in session mode: LISTEN and prepared statements need a lasting session. */
  readonly url: string
  readonly kind?: DatabaseKind
  /** Folder that holds `meta/_journal.json` and the SQL files. */
  readonly migrationsFolder: string
  readonly maxConnections?: number
  readonly log?: Log
}

/** Connects, brings the database up to date and opens the store. Throws StoreFault, or the driver's error after the first statement; nothing stays open then. */
export async function openStore({ url, kind = 'postgres', migrationsFolder, maxConnections = 10, log }: StoreOptions): Promise<Store> {
  const sql = connect(url, kind, maxConnections)
  try {
    await requireSupportedServer(sql)
    await migrate(sql, migrationsFolder)
    const iapSeat = kind === 'pglite' ? new OnlySeat() : new LockedSeat(() => connectAlone(url), log)
    return await storeOn(sql, { kind, log, iapSeat })
  } catch (cause) {
    await sql.end({ timeout: 5 })
    throw cause
  }
}

async function storeOn(sql: Sql, { kind, log, iapSeat }: { readonly kind: DatabaseKind; readonly log: Log | undefined; readonly iapSeat: Seat }): Promise<Store> {
  const database = drizzle(sql)
  const clock = await DatabaseClock.start(timeSources(sql), log)
  const wakeUps = kind === 'pglite' ? new LocalWakeUps() : await NotifyingWakeUps.start(sql, log)
  return {
    log: createSpaceLog(sql, database),
    readModels: createReadModels(database),
    directory: createDirectory(database),
    rulings: createRulingStore(database),
    credentials: createCredentialStore(database),
    openSpaces: createOpenSpaceStore(sql, database),
    iap: createIapStore(sql, database),
    iapSeat,
    clock,
    wakeUps,
    async close() {
      clock.stop()
      await wakeUps.stop()
      await iapSeat.leave()
      await sql.end({ timeout: 5 })
    },
  }
}
