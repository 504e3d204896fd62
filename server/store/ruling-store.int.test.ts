import { join } from 'node:path'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestDatabase } from '../testing/test-database.ts'
import { createTestDatabase, skipReason } from '../testing/test-database.ts'
import { openStore } from './open-store.ts'

const migrationsFolder = join(import.meta.dirname, '../../drizzle/migrations')

describe.skipIf(skipReason)(`the Policy Log in PostgreSQL${skipReason ? ` (${skipReason})` : ''}`, () => {
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

  it('looks for old refusals by their index, every hour, however long the log is', async () => {
    const store = await openStore({ url: database.url, migrationsFolder, maxConnections: 1 })
    await store.rulings.forgetRefusals('2026-01-01T00:00:00.000Z')
    // What a connection has used is known when it has ended.
    await store.close()
    const scans = async () => Number((await sql<{ scans: string }[]>`SELECT idx_scan AS scans FROM pg_stat_user_indexes WHERE indexrelname = 'policy_log_refusals'`)[0]!.scans)
    await expect.poll(scans, { timeout: 10_000 }).toBe(1)
  })
})
