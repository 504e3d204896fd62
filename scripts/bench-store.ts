// `npx tsx scripts/bench-store.ts [postgres://…]`: durable appends per second of the store alone, on a PostgreSQL server
// and on the embedded one. One append is an Event and a Command of about 1.5 KB, a receipt, an admission and a node.
// The floor is the least that a log with idempotent Commands could write: the Event and a receipt key, on the same server.
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import type { AppendBatch, Store } from '../server/service/ports.ts'
import { openEmbedded } from '../server/store/embedded/open-embedded.ts'
import { openStore } from '../server/store/open-store.ts'
import { newId, sampleBatch } from '../server/testing/batch-samples.ts'

const ROUNDS = 5
const ROUND_MS = 1000
const DOCUMENT_BYTES = 1500
const cases = [
  { writers: 1, batch: 1, batches: 1000 },
  { writers: 1, batch: 32, batches: 300 },
  { writers: 16, batch: 1, batches: 200 },
  { writers: 4, batch: 32, batches: 120 },
] as const

type Append = (batch: AppendBatch) => Promise<unknown>

/** The floor: one statement per batch as well, two tables, no read models. */
async function createFloor(sql: postgres.Sql): Promise<Append> {
  await sql.unsafe(`
    CREATE TABLE floor_spaces (space_id text PRIMARY KEY, head bigint NOT NULL);
    CREATE TABLE floor_events (space_id text, sequence bigint, event_id text UNIQUE, event jsonb, PRIMARY KEY (space_id, sequence));
    CREATE TABLE floor_receipts (actor_id text, action_id text, sequence bigint, PRIMARY KEY (actor_id, action_id))`)
  const text = `
    WITH moved AS (INSERT INTO floor_spaces AS s VALUES ($1, $2::int) ON CONFLICT (space_id) DO UPDATE SET head = s.head + $2::int RETURNING head),
    item AS (SELECT * FROM unnest($3::text[], $4::text[], $5::text[], $6::text[]) WITH ORDINALITY AS i(event_id, event, actor_id, action_id, n)),
    event AS (INSERT INTO floor_events SELECT $1, moved.head - $2::int + n, event_id, event::jsonb FROM moved, item)
    INSERT INTO floor_receipts SELECT actor_id, action_id, moved.head - $2::int + n FROM moved, item`
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes).replaceAll('\\u0000', '')
  return ({ spaceId, events, receipts }) => {
    const columns = [events.map((event) => event.eventId), events.map((event) => decode(event.bytes)), receipts.map((r) => r.actorId), receipts.map((r) => r.actionId)]
    return sql.unsafe(text, [spaceId, events.length, ...columns], { prepare: true })
  }
}

/** An append of the store; a refusal would make the figures wrong. */
function appendTo(store: Store): Append {
  return async (batch) => {
    const outcome = await store.log.append(batch)
    if (!outcome.ok) throw new RangeError(outcome.conflict)
  }
}

/** Appends per second of writers that each fill a Space of their own with batches made beforehand. */
async function measure(append: Append, { writers, batch, batches }: (typeof cases)[number]): Promise<number> {
  const lanes = Array.from({ length: writers }, () => {
    const spaceId = newId()
    return Array.from({ length: batches }, (_, index) => sampleBatch(spaceId, index * batch, { count: batch, sizeBytes: DOCUMENT_BYTES }))
  })
  let appended = 0
  const start = performance.now()
  const fill = async (lane: readonly AppendBatch[]) => {
    for (const next of lane) {
      if (performance.now() - start > ROUND_MS) return
      await append(next)
      appended += batch
    }
  }
  await Promise.all(lanes.map(fill))
  return (appended / (performance.now() - start)) * 1000
}

const server = process.argv[2] ?? 'postgres://postgres@127.0.0.1:5432/postgres'
const database = `bench_store_${randomUUID().replaceAll('-', '')}`
const admin = postgres(server, { max: 1, onnotice: () => {} })
await admin.unsafe(`CREATE DATABASE ${database}`)
const url = new URL(server)
url.pathname = `/${database}`
const folder = await mkdtemp(join(tmpdir(), 'bench-store-'))
const embedded = await openEmbedded(folder)
const migrationsFolder = join(import.meta.dirname, '../drizzle/migrations')
const stores = [
  await openStore({ url: url.href, migrationsFolder, maxConnections: 16 }),
  await openStore({ ...embedded, migrationsFolder, maxConnections: 16 }),
] as const
const floor = postgres(url.href, { max: 16, onnotice: () => {}, connection: { plan_cache_mode: 'force_generic_plan' } })
const alternatives = {
  'floor, PostgreSQL server': await createFloor(floor),
  'store, PostgreSQL server': appendTo(stores[0]),
  [`store, embedded (${embedded.kind})`]: appendTo(stores[1]),
}

const results = new Map<string, number[]>()
for (const append of Object.values(alternatives)) await measure(append, cases[2])
for (let round = 0; round < ROUNDS; round += 1) {
  for (const load of cases) {
    for (const [name, append] of Object.entries(alternatives)) {
      const key = `${load.writers} writer(s), batches of ${load.batch}, ${name}`
      results.set(key, [...(results.get(key) ?? []), await measure(append, load)])
    }
  }
}
for (const [key, rates] of results) {
  const sorted = rates.map(Math.round).sort((a, b) => a - b)
  console.log(`${key}: ${sorted[ROUNDS >> 1]}/s (${sorted.join(' ')})`)
}

await floor.end()
for (const store of stores) await store.close()
await embedded.stop()
await rm(folder, { recursive: true })
await admin.unsafe(`DROP DATABASE ${database} WITH (FORCE)`)
await admin.end()
