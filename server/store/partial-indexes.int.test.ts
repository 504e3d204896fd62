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
  /** As many rulings as Events of one Space, of which each `every`th refuses. */
  const rule = (count: number, every: number) => sql`
    INSERT INTO policy_log (space_id, area, outcome, at, actor_type, actor_id, action_id, kind, reason, policy_version, code, event_id, sequence)
    SELECT 'urn:x:lenient', 'limits', CASE WHEN n % ${every} = 1 THEN 'refused' ELSE 'allowed' END, '2026-01-01T00:00:00.000Z', 'agent', 'urn:x:me', 'urn:x:a' || n, 'kind', '', 1,
      'RATE_LIMITED', 'urn:x:' || n, n FROM generate_series(1, ${count}) AS n`
  beforeAll(async () => {
    database = await createTestDatabase()
    sql = postgres(database.url, { max: 1 })
    await (await openStore({ url: database.url, migrationsFolder, maxConnections: 1 })).close()
    await rule(2000, 2)
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

  it.each([
    ['one Space', 'policy_log_refusals_in_space', { spaceId: 'urn:x:lenient' }],
    ['all Spaces', 'policy_log_refusals_by_entry', {}],
  ])('leads to the few refusals among many rulings of %s (A-126)', async (_of, index, where) => {
    await sql`TRUNCATE policy_log`
    await rule(20_000, 2_000)
    const read = async () => Number((await sql<{ read: string }[]>`SELECT sum(idx_tup_read) AS read FROM pg_stat_user_indexes WHERE relname = 'policy_log'`)[0]!.read)
    const scanned = async () => Number((await sql<{ scans: string }[]>`SELECT seq_tup_read AS scans FROM pg_stat_user_tables WHERE relname = 'policy_log'`)[0]!.scans)
    const uses = async () => Number((await sql<{ scans: string }[]>`SELECT coalesce(sum(idx_scan), 0) AS scans FROM pg_stat_user_indexes WHERE indexrelname = ${index}`)[0]!.scans)
    const before = { read: await read(), scanned: await scanned() }
    const store = await openStore({ url: database.url, migrationsFolder, maxConnections: 1 })
    const refused = await store.rulings.list({ ...where, outcome: 'refused', limit: 3 })
    await store.close()
    expect(refused.map(({ sequence }) => sequence)).toEqual([18_001, 16_001, 14_001])
    await expect.poll(uses, { timeout: 10_000 }).toBeGreaterThan(0)
    expect(await scanned()).toBe(before.scanned)
    expect((await read()) - before.read).toBeLessThan(20)
  })

  it('leads to what concerns a member, and to what is talked about, of a long Group', async () => {
    const spaceId = 'urn:x:group'
    const used = async () => {
      const [tables] = await sql<{ scans: string }[]>`SELECT sum(seq_tup_read) AS scans FROM pg_stat_user_tables WHERE relname IN ('log', 'graph_edges', 'receipts')`
      const [indexes] = await sql<{ read: string }[]>`SELECT sum(idx_tup_read) AS read FROM pg_stat_user_indexes WHERE relname IN ('log', 'graph_edges', 'receipts')`
      return { scanned: Number(tables!.scans), read: Number(indexes!.read) }
    }
    const store = await openStore({ url: database.url, migrationsFolder, maxConnections: 1 })
    const member = { memberId: 'urn:x:me', introducedAt: 1, visibleFrom: 1, withheld: [7] }
    // Plans of when the tables were nearly empty.
    for (let count = 0; count < 8; count++) await store.readModels.concerning(spaceId, member, { after: 0, limit: 5 })
    await sql`INSERT INTO log SELECT ${spaceId}, n, 'urn:y:' || n, CASE WHEN n % 10 = 0 THEN 'work.started' ELSE 'message.posted' END, '' FROM generate_series(1, 10000) AS n`
    await sql`INSERT INTO graph_edges SELECT ${spaceId}, n, n - 2, 'reply' FROM generate_series(3, 10000) AS n WHERE n % 10 <> 0`
    await sql`INSERT INTO graph_edges SELECT ${spaceId}, n, n - 1, 'target' FROM generate_series(3, 10000) AS n WHERE n % 10 IN (0, 5)`
    await sql`INSERT INTO graph_edges SELECT ${spaceId}, n, 1, 'mention' FROM generate_series(9, 10000, 10) AS n`
    await sql`INSERT INTO receipts SELECT 'urn:x:me', 'urn:x:a' || n, 'h' || n, ${spaceId}, n, '' FROM generate_series(1, 10000, 20) AS n`
    const before = await used()
    expect(await store.readModels.concerning(spaceId, member, { after: 3, limit: 6 })).toEqual([7, 9, 10, 19, 20, 29])
    expect(await store.readModels.concerning(spaceId, member, { before: 10_000, limit: 3 })).toEqual([9_989, 9_990, 9_999])
    expect(await store.readModels.talkEdges(spaceId, { after: 9_990, through: 9_994, limit: 100 })).toEqual([9_991, 9_992, 9_993, 9_994].map((child) => ({ child, parent: child - 2, provenance: 'reply' })))
    expect((await store.readModels.talkEdges(spaceId, { after: 9_994, through: 9_995, limit: 100 })).map(({ provenance }) => provenance)).toEqual(['reply', 'target'])
    expect(await store.readModels.talkEdges(spaceId, { after: 9_994, through: 9_995, limit: 1 })).toEqual([])
    await store.close()
    await expect.poll(async () => (await used()).read - before.read, { timeout: 10_000 }).toBeGreaterThan(20)
    const { scanned, read } = await used()
    expect(scanned - before.scanned).toBe(0)
    expect(read - before.read).toBeLessThan(1_000)
  })
})
