// How much of a large store a page of Messages touches, with plans from when it was small.
import { join } from 'node:path'
import type postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { MessageList, OpenSpaceStore, Place } from '../service/ports.ts'
import type { TestDatabase } from '../testing/test-database.ts'
import { createTestDatabase, skipReason } from '../testing/test-database.ts'
import type { Sql } from './connect.ts'
import { connect } from './connect.ts'
import { createOpenReads } from './open-reads.ts'
import { openStore } from './open-store.ts'

const migrationsFolder = join(import.meta.dirname, '../../drizzle/migrations')
const messages = 30_000
const limit = 50

const [large, other] = ['urn:x:large', 'urn:x:other'] as const
const [one, two] = ['urn:x:n1', 'urn:x:n2'] as const
const at = (sequence: number): Place => ({ sequence, position: sequence })
const parent = { messageId: 'urn:x:m9', spaceId: large, ...at(9) }

/** Every list that a page is cut from without throwing rows away. */
const lists: Record<string, MessageList> = {
  'a Space': { of: 'space', spaceId: large },
  'the roots of a Space': { of: 'roots', spaceId: large },
  'what concerns a Node in a Space': { of: 'caller', spaceId: large, nodeId: one },
  'an inbox': { of: 'inbox', nodeId: one },
  'what concerns a Node': { of: 'node', nodeId: one },
  'all Messages': { of: 'search', filter: {} },
  'all Messages of a Space': { of: 'search', filter: { spaceId: large } },
  'Messages of a sender': { of: 'search', filter: { senderId: one } },
  'Messages of a sender in a Space': { of: 'search', filter: { senderId: one, spaceId: large } },
  'Messages of a sender in a Space where it was silent': { of: 'search', filter: { senderId: one, spaceId: other } },
  'Messages that name a Node': { of: 'search', filter: { refNode: two } },
  'Messages that name a Node in a Space': { of: 'search', filter: { refNode: two, spaceId: large } },
  'Messages that a Node takes part in': { of: 'search', filter: { nodeId: one } },
  'Messages that a Node takes part in, in a Space': { of: 'search', filter: { nodeId: one, spaceId: large } },
  'Messages that a Node takes part in, in another Space': { of: 'search', filter: { nodeId: one, spaceId: other } },
  'replies to a Message': { of: 'search', filter: {}, parent },
}

describe.skipIf(skipReason)(`pages of Messages in PostgreSQL${skipReason ? ` (${skipReason})` : ''}`, () => {
  let database: TestDatabase
  let sql: Sql
  const prepared = new Map<string, string>()

  beforeAll(async () => {
    database = await createTestDatabase()
    await (await openStore({ url: database.url, migrationsFolder, maxConnections: 1 })).close()
    sql = connect(database.url, 'postgres', 1)
    await fill(1, limit)
    await sql.unsafe('ANALYZE')
    for (const list of Object.values(lists)) for (const cut of [{}, { after: at(10) }]) await touchedBy((reads) => reads.page(list, { ...cut, limit }))
    await fill(limit + 1, messages)
  }, 60_000)
  afterAll(async () => {
    await sql.end()
    await database.drop()
  })

  /** Senders take turns; every other Message is broadcast, the others name who is next and reply to the one before. */
  const fill = (from: number, to: number) =>
    sql.unsafe(`
      INSERT INTO space_nodes SELECT '${large}', 'urn:x:n' || i, '' FROM generate_series(0, 4) i ON CONFLICT DO NOTHING;
      INSERT INTO log SELECT '${large}', i, 'urn:x:m' || i, 'open.message', 'x' FROM generate_series(${from}, ${to}) i;
      INSERT INTO open_messages SELECT '${large}', i, i, 'urn:x:n' || i % 5, i % 2 = 0, NULL FROM generate_series(${from}, ${to}) i;
      INSERT INTO open_message_nodes SELECT '${large}', i, 'urn:x:n' || (i + 1) % 5, i FROM generate_series(${from}, ${to}) i WHERE i % 2 = 1;
      INSERT INTO graph_edges SELECT '${large}', i, i - 1, 'reply' FROM generate_series(${from + 1}, ${to}) i`)

  /** Rows that the plan of a read came to, those that it threw away included. */
  async function touchedBy(read: (reads: Pick<OpenSpaceStore, 'page' | 'concernedAfter'>) => Promise<unknown>): Promise<number> {
    let plan: Plan | undefined
    const explain = async (text: string, parameters: readonly (string | number | readonly string[])[]) => {
      const name = prepared.get(text) ?? `q${prepared.size}`
      if (!prepared.has(text)) await sql.unsafe(`PREPARE ${name} AS ${text}`)
      prepared.set(text, name)
      const [row] = await sql.unsafe<{ 'QUERY PLAN': [{ Plan: Plan; JIT?: object }] }[]>(`EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE ${name}(${parameters.map(literal).join(', ')})`)
      const [explained] = row!['QUERY PLAN']
      expect(explained).not.toHaveProperty('JIT')
      plan = explained.Plan
      return []
    }
    await read(createOpenReads({ unsafe: explain } as unknown as postgres.Sql<{ int8: number }>))
    return rowsOf(plan!)
  }

  it.each(Object.keys(lists))('touch no more than they need: %s', async (name) => {
    for (const cut of [{}, { after: at(messages / 2) }, { after: at(0) }]) {
      expect(await touchedBy((reads) => reads.page(lists[name]!, { ...cut, limit }))).toBeLessThan(limit * 25)
    }
  })

  it('touch no more than they need: whom news concerns', async () => {
    expect(await touchedBy((reads) => reads.concernedAfter(messages - limit, [one, two], limit))).toBeLessThan(limit * 25)
  })
})

interface Plan {
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly Plan[]
}

const rowsOf = (plan: Plan): number => (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'] + (plan.Plans ?? []).reduce((sum, child) => sum + rowsOf(child), 0)

function literal(value: string | number | readonly string[]): string {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' ? `'${value}'` : `ARRAY[${value.map(literal).join(', ')}]`
}
