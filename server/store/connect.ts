import postgres from 'postgres'
import { StoreFault } from './store-fault.ts'

export type Sql = postgres.Sql<{ int8: number }>

/** `pglite` is PostgreSQL compiled to WebAssembly inside this process: one connection, one node. */
export type DatabaseKind = 'postgres' | 'pglite'

const STATEMENT_TIMEOUT_MS = 30_000
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000
const OLDEST_SERVER = 150_000

/** A pool on the database; connections open when first used. Every driver option of the store is here. */
export const connect = (url: string, kind: DatabaseKind, maxConnections: number): Sql =>
  // PGlite's one connection must not be replaced by a second while it still counts.
  open(url, kind === 'pglite' ? { max: 1, max_lifetime: null } : { max: maxConnections })

/** One connection, which stays the same for as long as it works: what a session holds ends with it. */
export const connectAlone = (url: string): Sql => open(url, { max: 1, max_lifetime: null })

function open(url: string, pool: { readonly max: number; readonly max_lifetime?: null }): Sql {
  const { address, ...host } = splitSocketFolder(url)
  return postgres(address, {
    ...host,
    ...pool,
    onnotice: () => {},
    types: {
      int8: { to: 20, from: [20], serialize: String, parse: parseSafeInteger },
      // When the driver repeats a statement it encodes the parameters once more, so encoding must leave its own output alone.
      bytea: { to: 17, from: [17], serialize: encodeBytea, parse: (text: string) => Buffer.from(text.slice(2), 'hex') },
    },
    connection: {
      application_name: 'countersign',
      statement_timeout: STATEMENT_TIMEOUT_MS,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
      // All statements are look-ups by key; without this the server plans the append anew each time.
      plan_cache_mode: 'force_generic_plan',
      // A plan that reads a page is costed as if it read a tenth of the table, which is enough to have it compiled for longer than it runs.
      jit: 'off',
      // Statistics from when a table was small make a scan of it look cheap, and the plan stays when it has grown.
      enable_seqscan: 'off',
      enable_bitmapscan: 'off',
      enable_sort: 'off',
      enable_incremental_sort: 'off',
    },
  })
}

/** `?host=/folder` is libpq's way to name a Unix socket; the driver takes it as an option only. */
function splitSocketFolder(url: string): { address: string; host?: string } {
  const address = new URL(url)
  const host = address.searchParams.get('host')
  address.searchParams.delete('host')
  return host === null ? { address: url } : { address: address.href, host }
}

interface Server { readonly number: number; readonly version: string; readonly encoding: string }

/**
 * The first statement of all. Throws StoreFault: `unreachable` where the database lets nobody in, `server-too-old` before PostgreSQL 15,
 * `encoding-unsupported` where text would be converted on its way to the disk.
 */
export async function requireSupportedServer(sql: Sql): Promise<void> {
  const [row] = await sql<Server[]>`
    SELECT current_setting('server_version_num')::integer AS number, current_setting('server_version') AS version,
      current_setting('server_encoding') AS encoding`.catch((cause: Error) => {
    throw new StoreFault('unreachable', `the database cannot be used: ${cause.message}. Where DATABASE_URL is set, look at it.`, { cause })
  })
  if (row === undefined || row.number < OLDEST_SERVER) {
    throw new StoreFault('server-too-old', `PostgreSQL 15 or newer is needed, the server is ${row?.version ?? 'unknown'}`)
  }
  if (row.encoding !== 'UTF8') throw new StoreFault('encoding-unsupported', `the database must be encoded in UTF8, not ${row.encoding}`)
}

/** A `bigint` as a number; throws StoreFault `integer-unsafe` rather than lose a digit. */
export function parseSafeInteger(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new StoreFault('integer-unsafe', `the database holds ${text}, beyond 2^53 - 1`)
  return value
}

/** Text form of a `bytea`; text is taken to be encoded already. Many documents at once go as one text instead (documents-text.ts). */
export const encodeBytea = (bytes: Uint8Array | string): string =>
  typeof bytes === 'string' ? bytes : `\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`
