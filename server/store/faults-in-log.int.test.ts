import { join } from 'node:path'
import type postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLog } from '../log.ts'
import type { Store } from '../service/ports.ts'
import { connect } from './connect.ts'
import { openStore } from './open-store.ts'
import type { TestDatabase } from '../testing/test-database.ts'
import { createTestDatabase, skipReason } from '../testing/test-database.ts'

const migrationsFolder = join(import.meta.dirname, '../../drizzle/migrations')
const secret = 'what Olga said'

describe.skipIf(skipReason)(`faults of the database in the log${skipReason ? ` (${skipReason})` : ''}`, () => {
  let database: TestDatabase
  let store: Store
  let sql: postgres.Sql

  beforeAll(async () => {
    database = await createTestDatabase()
    store = await openStore({ url: database.url, migrationsFolder, maxConnections: 2 })
    sql = connect(database.url, 'postgres', 1)
    await sql.unsafe('ALTER TABLE audit DROP COLUMN reason')
    await sql.unsafe('ALTER TABLE open_spaces ADD CONSTRAINT no_tags CHECK (tags = $$$$)')
  })
  afterAll(async () => {
    await sql.end()
    await store.close()
    await database.drop()
  })

  async function lineOf(act: () => Promise<unknown>): Promise<string> {
    const fault = await act().then(() => undefined, (thrown: unknown) => thrown)
    expect(fault).toBeInstanceOf(Error)
    const lines: string[] = []
    const log = createLog('error', { write: (line) => void lines.push(line) })
    log.error({ err: fault }, 'failed')
    log.error(fault)
    log.error({ err: new AggregateError([fault], 'several', { cause: fault }) }, 'failed')
    return lines.join('')
  }

  it.each<[string, RegExp, () => Promise<unknown>]>([
    ['a statement of the query builder', /42703/, () => store.directory.addAuditEntry({ at: '2026-11-29T12:00:00.000Z', stage: 'parse', reason: secret, door: 'mwp', detail: {} })],
    ['a row that a constraint refuses', /23514.*no_tags/, () => sql.unsafe('INSERT INTO open_spaces (space_id, name, tags, created_at) VALUES ($1, $1, $1, $1)', [secret])],
    ['a text that is no number', /22P02/, () => sql.unsafe('SELECT $1::text::bigint', [secret])],
    ['a statement that cannot be read', /42601/, () => sql.unsafe('SELECT $1::text FROM FROM', [secret])],
  ])('show where and what, and nothing that was written: %s', async (_name, shown, act) => {
    const line = await lineOf(act)
    expect(line).not.toContain(secret)
    expect(line).toMatch(shown)
    expect(line).toContain('faults-in-log.int.test')
  })
})
