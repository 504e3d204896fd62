import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Store } from '../service/ports.ts'
import { newId, sampleBatch } from '../testing/batch-samples.ts'
import type { TestDatabase } from '../testing/test-database.ts'
import { createTestDatabase, skipReason } from '../testing/test-database.ts'
import { connect } from './connect.ts'
import { openStore } from './open-store.ts'

const migrationsFolder = join(import.meta.dirname, '../../drizzle/migrations')

describe.skipIf(skipReason)(`opening the Store${skipReason ? ` (${skipReason})` : ''}`, () => {
  let database: TestDatabase
  let sql: postgres.Sql
  const stores: Store[] = []
  const folders: string[] = []

  beforeEach(async () => {
    database = await createTestDatabase()
    sql = postgres(database.url, { max: 1, onnotice: () => {} })
  })
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()))
    await sql.end()
    await database.drop()
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true })
  })

  async function open(folder = migrationsFolder): Promise<Store> {
    const store = await openStore({ url: database.url, migrationsFolder: folder })
    stores.push(store)
    return store
  }

  /** The migrations with one more at the end. */
  async function laterMigrations(statement: string): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'migrations-'))
    folders.push(folder)
    await cp(migrationsFolder, folder, { recursive: true })
    const journalPath = join(folder, 'meta', '_journal.json')
    const journal = JSON.parse(await readFile(journalPath, 'utf8')) as { entries: { idx: number }[] }
    journal.entries.push({ ...journal.entries[0]!, ...{ idx: journal.entries.length, tag: '9999_later' } })
    await writeFile(journalPath, JSON.stringify(journal))
    await writeFile(join(folder, '9999_later.sql'), statement)
    return folder
  }

  /** The migrations before this one. */
  async function migrationsBefore(tag: string): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'migrations-'))
    folders.push(folder)
    await cp(migrationsFolder, folder, { recursive: true })
    const journalPath = join(folder, 'meta', '_journal.json')
    const journal = JSON.parse(await readFile(journalPath, 'utf8')) as { entries: { tag: string }[] }
    await writeFile(journalPath, JSON.stringify({ ...journal, entries: journal.entries.slice(0, journal.entries.findIndex((entry) => entry.tag === tag)) }))
    return folder
  }

  const countMigrations = async () => (await sql<{ count: number }[]>`SELECT count(*)::int AS count FROM schema_migrations`)[0]!.count

  it('migrates once when many nodes start together', async () => {
    const nodes = await Promise.all(Array.from({ length: 6 }, () => open()))
    const spaceId = newId()
    await nodes[0]!.log.append(sampleBatch(spaceId, 0))
    expect(await nodes[5]!.log.head(spaceId)).toBe(1)
    expect(await countMigrations()).toBe(JSON.parse(await readFile(join(migrationsFolder, 'meta', '_journal.json'), 'utf8')).entries.length)
  })

  it('has no column whose text a language could put in order', async () => {
    await open()
    const byLanguage = await sql`
      SELECT table_name, column_name FROM information_schema.columns
      WHERE table_schema = 'public' AND table_name <> 'schema_migrations' AND data_type IN ('text', 'ARRAY') AND collation_name IS DISTINCT FROM 'C'`
    expect(byLanguage).toEqual([])
  })

  it('brings the nodes of the graph into the log', async () => {
    const spaceId = newId()
    await (await open(await migrationsBefore('0013_nodes_in_the_log'))).close()
    stores.length = 0
    await sql`INSERT INTO spaces VALUES (${spaceId}, 'mission', 3)`
    for (const [sequence, kind] of ['mission.created', 'message.posted', 'work.started'].entries()) await sql`INSERT INTO log VALUES (${spaceId}, ${sequence + 1}, ${newId()}, ${kind}, '')`
    await sql`INSERT INTO graph_nodes VALUES (${spaceId}, 1, 'mission.created', null, null), (${spaceId}, 2, 'message.posted', 'urn:x:c', null), (${spaceId}, 3, 'work.started', 'urn:x:c', 'urn:x:w')`
    const { readModels } = await open()
    expect(await readModels.graphNodes(spaceId, { limit: 9 })).toEqual([
      { sequence: 3, kind: 'work.started', conversationId: 'urn:x:c', workItemId: 'urn:x:w' },
      { sequence: 2, kind: 'message.posted', conversationId: 'urn:x:c' },
      { sequence: 1, kind: 'mission.created' },
    ])
    expect(await readModels.messageSequences(spaceId, { conversationId: 'urn:x:c', limit: 9 })).toEqual([2])
  })

  it('applies what is new and keeps the data', async () => {
    const spaceId = newId()
    await (await open()).log.append(sampleBatch(spaceId, 0))
    const before = await countMigrations()
    const upgraded = await open(await laterMigrations('CREATE TABLE later (a integer)'))
    expect(await countMigrations()).toBe(before + 1)
    expect(await upgraded.log.head(spaceId)).toBe(1)
  })

  it('counts what Nodes had written to open Spaces before anybody counted it', async () => {
    await open(await migrationsBefore('0011_open_volumes'))
    await sql`INSERT INTO nodes VALUES ('n1', 'urn:x:p', 'n1', NULL, '', '{}', NULL, 'now')`
    await sql`INSERT INTO log SELECT 'urn:x:s', n, 'urn:x:' || n, 'open.message', convert_to(repeat('x', n), 'UTF8') FROM generate_series(1, 3) AS n`
    await sql`INSERT INTO open_messages SELECT 'urn:x:s', n, n, CASE n WHEN 2 THEN 'n2' ELSE 'n1' END, true, NULL FROM generate_series(1, 3) AS n`
    const { openSpaces } = await open()
    expect((await openSpaces.lookUp({ spaces: [], nodes: ['n1'], messages: [] })).nodes).toEqual([{ nodeId: 'n1', volume: { messages: 2, bytes: 4 } }])
  })

  it('says what is wrong with a database that lets nobody in', async () => {
    const url = new URL(database.url)
    url.pathname = '/nowhere'
    await expect(openStore({ url: url.href, migrationsFolder })).rejects.toMatchObject({ code: 'unreachable', message: expect.stringContaining('"nowhere" does not exist') as string })
  })

  it('leaves nothing of migrations of which one fails', async () => {
    const broken = await laterMigrations('CREATE TABLE later (a integer);--> statement-breakpoint\nCREATE TABLE later (a integer)')
    await expect(open(broken)).rejects.toMatchObject({ code: '42P07' })
    expect(await sql`SELECT FROM pg_tables WHERE schemaname = 'public'`).toHaveLength(0)
    await open()
  })

  it('refuses a database that a newer program has migrated', async () => {
    await open(await laterMigrations('CREATE TABLE later (a integer)'))
    await expect(open()).rejects.toMatchObject({ name: 'StoreFault', code: 'database-newer' })
  })

  it('refuses when an applied migration has changed', async () => {
    await open(await laterMigrations('CREATE TABLE later (a integer)'))
    await expect(open(await laterMigrations('CREATE TABLE later (b integer)'))).rejects.toMatchObject({ code: 'migration-changed' })
  })

  it('bounds statements and idle transactions, and leaves durability as the server has it (6.5)', async () => {
    const setting = async (session: postgres.Sql) => {
      const names = ['statement_timeout', 'idle_in_transaction_session_timeout', 'fsync', 'synchronous_commit', 'full_page_writes']
      const rows = await session<{ name: string; setting: string }[]>`SELECT name, setting FROM pg_settings WHERE name IN ${session(names)}`
      return Object.fromEntries(rows.map((row) => [row.name, row.setting]))
    }
    const session = connect(database.url, 'postgres', 1)
    const expected = { ...(await setting(sql)), statement_timeout: '30000', idle_in_transaction_session_timeout: '10000' }
    expect(await setting(session)).toEqual(expected)
    expect(expected).toMatchObject({ fsync: 'on', synchronous_commit: 'on' })
    await session.end()
  })

  it('wakes every other node, once per Space however often it grew', async () => {
    const [mine, other] = [await open(), await open()]
    const [heardHere, heardThere]: string[][] = [[], []]
    mine.wakeUps.subscribe((spaceId) => heardHere!.push(spaceId))
    other.wakeUps.subscribe((spaceId) => heardThere!.push(spaceId))
    const spaces = Array.from({ length: 400 }, newId)
    for (const spaceId of [...spaces, ...spaces, ...spaces]) mine.wakeUps.publish(spaceId)
    expect(heardHere).toHaveLength(1200)
    await vi.waitFor(() => expect(new Set(heardThere)).toEqual(new Set(spaces)), { timeout: 10_000 })
    expect(heardThere).toHaveLength(400)
    expect(heardHere).toHaveLength(1200)
  })

  it('tells what is pending before it closes', async () => {
    const [mine, other] = [await openStore({ url: database.url, migrationsFolder }), await open()]
    const heard = new Promise((resolve) => other.wakeUps.subscribe(resolve))
    mine.wakeUps.publish('urn:x:last')
    await mine.close()
    expect(await heard).toBe('urn:x:last')
  })

  it('tells the database time', async () => {
    const { clock } = await open()
    const [row] = await sql<{ ms: string }[]>`SELECT (extract(epoch FROM clock_timestamp()) * 1000)::text AS ms`
    expect(Math.abs(clock.nowMs() - Number(row!.ms))).toBeLessThan(1000)
  })

  it('refuses to read a number that JavaScript would round', async () => {
    const store = await open()
    const spaceId = newId()
    await sql`INSERT INTO spaces VALUES (${spaceId}, 'mission', 9007199254740993)`
    await expect(store.log.head(spaceId)).rejects.toMatchObject({ cause: expect.objectContaining({ code: 'integer-unsafe' }) })
    expect(await store.log.head(newId())).toBe(0)
  })

  it('lets two nodes race for a Space with exactly one winner for every head', async () => {
    const nodes = [await open(), await open()]
    const spaceId = newId()
    for (let head = 0; head < 20; head += 1) {
      const outcomes = await Promise.all(nodes.map((node) => node.log.append(sampleBatch(spaceId, head))))
      expect(outcomes.filter((outcome) => outcome.ok)).toHaveLength(1)
    }
    expect((await nodes[0]!.log.read(spaceId, 0, 100)).map((entry) => entry.sequence)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
  })
})
