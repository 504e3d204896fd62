// A database of one's own for an integration test file.
import { randomUUID } from 'node:crypto'
import postgres from 'postgres'

const LOCAL_HOSTS: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]', ''])

/** Where the tests' PostgreSQL is: TEST_DATABASE_URL, else the local server; empty when the runner found none. */
const serverUrl = process.env.TEST_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres'

/** Undefined, or why tests that need PostgreSQL are skipped; meant for their names. */
export const skipReason = serverUrl === '' ? 'no PostgreSQL: set TEST_DATABASE_URL' : undefined

export interface TestDatabase {
  readonly url: string
  /** Asks it something, over a connection of its own. */
  ask(statement: string, parameters?: readonly string[]): Promise<void>
  drop(): Promise<void>
}

/** Makes an empty database. Throws for a server that is not on this machine, so that no test can reach real data. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const url = new URL(serverUrl)
  if (!LOCAL_HOSTS.has(url.hostname)) throw new Error(`integration tests refuse the database host ${url.hostname}: it is not this machine`)
  const name = `countersign_test_${randomUUID().replaceAll('-', '')}`
  await administer((sql) => sql.unsafe(`CREATE DATABASE ${name}`))
  url.pathname = `/${name}`
  return { url: url.href, ask: (statement, parameters = []) => administer((sql) => sql.unsafe(statement, [...parameters]), url.href), drop: () => administer((sql) => sql.unsafe(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)) }
}

async function administer(action: (sql: postgres.Sql) => Promise<unknown>, url = serverUrl): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    await action(sql)
  } finally {
    await sql.end()
  }
}
