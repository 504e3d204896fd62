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

  it('is not needed where few entries of a long Space are asked for: each is looked up', async () => {
    const store = await openStore({ url: database.url, migrationsFolder, maxConnections: 1 })
    const spaceId = 'urn:x:long'
    await sql`INSERT INTO log SELECT ${spaceId}, n, 'urn:x:' || n, 'kind', convert_to('x', 'UTF8') FROM generate_series(1, 20000) AS n`
    await sql`INSERT INTO graph_edges SELECT ${spaceId}, n, n - 1, 'reply' FROM generate_series(2, 20000) AS n`
    expect((await store.log.readAt(spaceId, [20_000, 3, 3])).map(({ sequence }) => sequence)).toEqual([3, 20_000])
    expect(await store.readModels.graphEdges(spaceId, [20_000])).toEqual([{ child: 20_000, parent: 19_999, provenance: 'reply' }])
    await store.close()
    const read = async (index: string) => Number((await sql<{ read: string }[]>`SELECT idx_tup_read AS read FROM pg_stat_user_indexes WHERE indexrelname = ${index}`)[0]!.read)
    for (const index of ['log_one_event_per_sequence', 'graph_edges_once']) {
      await expect.poll(() => read(index), { timeout: 10_000 }).toBeGreaterThan(0)
      expect(await read(index)).toBeLessThan(1_000)
    }
  })
})
