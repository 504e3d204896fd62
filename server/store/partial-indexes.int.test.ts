import { join } from 'node:path'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Store } from '../service/ports.ts'
import type { TestDatabase } from '../testing/test-database.ts'
import { createTestDatabase, skipReason } from '../testing/test-database.ts'
import { openStore } from './open-store.ts'

const migrationsFolder = join(import.meta.dirname, '../../drizzle/migrations')

describe.skipIf(skipReason)(`an index over some rows of a table${skipReason ? ` (${skipReason})` : ''}`, () => {
  let database: TestDatabase
  let sql: postgres.Sql
  beforeAll(async () => {
    database = await createTestDatabase()
    sql = postgres(database.url, { max: 1 })
  })
  afterAll(async () => {
    await sql.end()
    await database.drop()
  })

  it.each<[string, (store: Store) => Promise<unknown>]>([
    ['policy_log_refusals', ({ rulings }) => rulings.forgetRefusals('2026-01-01T00:00:00.000Z')],
    ['iap_tasks_going_on', ({ iap }) => iap.openTasks()],
    ['iap_tasks_at_work', ({ iap }) => iap.tasksAtWork()],
    ['iap_records_unpublished', ({ iap }) => iap.unpublishedTasks()],
  ])('leads to the few rows that are asked for: %s', async (index, act) => {
    const store = await openStore({ url: database.url, migrationsFolder, maxConnections: 1 })
    await act(store)
    // What a connection has used is known when it has ended.
    await store.close()
    const scans = async () => Number((await sql<{ scans: string }[]>`SELECT idx_scan AS scans FROM pg_stat_user_indexes WHERE indexrelname = ${index}`)[0]!.scans)
    await expect.poll(scans, { timeout: 10_000 }).toBeGreaterThan(0)
  })
})
