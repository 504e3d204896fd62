// One statement that writes a whole batch: the Space's new head and, only if the head was the expected one, rows of every table.
import type { Column, InferInsertModel } from 'drizzle-orm'
import { getTableName } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { getTableConfig } from 'drizzle-orm/pg-core'
import { encodeBytea } from './connect.ts'

/** How rows enter a table: as new rows, or in place of the row with the same primary key. */
export type WriteMode = 'insert' | 'replace'

interface Target {
  readonly head: string
  readonly onConflict: string
  readonly columns: readonly { readonly property: string; readonly type: string }[]
}

type Cell = string | number | Uint8Array | null

/** What the driver needs: text that depends only on which tables have rows, so that it is prepared once. */
export interface AppendStatement {
  readonly text: string
  readonly parameters: (string | number | readonly (string | number | null)[])[]
}

/** The row that tells that the head moved. No row: another writer was first, and nothing was written. */
const MOVE_HEAD = `
moved AS (
  INSERT INTO spaces AS s (space_id, kind, head)
  SELECT $1, $2, $4::bigint WHERE $3::bigint = 0 OR EXISTS (SELECT FROM spaces WHERE space_id = $1)
  ON CONFLICT (space_id) DO UPDATE SET head = excluded.head WHERE s.head = $3::bigint
  RETURNING s.head
)`

/** Collects the rows of one Space's batch. Every `spaceId` column takes the batch's Space. */
export class AppendStatementBuilder {
  private readonly parts: string[] = [MOVE_HEAD]
  private readonly parameters: AppendStatement['parameters']

  constructor(space: { spaceId: string; kind: string; expectedHead: number; newHead: number }) {
    this.parameters = [space.spaceId, space.kind, space.expectedHead, space.newHead]
  }

  /** Adds rows to a table; no rows, no part. */
  write<T extends PgTable>(table: T, rows: readonly Omit<InferInsertModel<T>, 'spaceId'>[], mode: WriteMode = 'insert'): this {
    if (rows.length === 0) return this
    const target = targetOf(table, mode)
    const source: string[] = []
    const selected = target.columns.map(({ property, type }) => {
      if (property === 'spaceId') return '$1'
      const cells = rows.map((row) => (row as Record<string, Cell | undefined>)[property] ?? null)
      return type === 'bytea' ? this.sliced(cells as Uint8Array[], source) : this.unnested(cells as (string | number | null)[], type, source)
    })
    const names = source.map((_, index) => `c${index}`)
    this.parts.push(
      `w${this.parts.length} AS (${target.head} SELECT ${selected.join(', ')} FROM moved, unnest(${source.join(', ')}) AS u(${names.join(', ')})${target.onConflict})`,
    )
    return this
  }

  build(): AppendStatement {
    return { text: `WITH ${this.parts.join(',\n')}\nSELECT head FROM moved`, parameters: this.parameters }
  }

  private unnested(cells: readonly (string | number | null)[], type: string, source: string[]): string {
    const name = `u.c${source.length}`
    source.push(`${this.parameter(cells)}::${type}[]`)
    return name
  }

  /** All byte strings as one parameter and a slice per row: an array of `bytea` costs the server a second, slower decoding. */
  private sliced(cells: readonly Uint8Array[], source: string[]): string {
    let end = 1
    const starts = cells.map((bytes) => {
      const start = end
      end += bytes.byteLength
      return start
    })
    const start = this.unnested(starts, 'integer', source)
    const size = this.unnested(cells.map((bytes) => bytes.byteLength), 'integer', source)
    return `substring(${this.parameter(encodeBytea(Buffer.concat(cells)))}::bytea FROM ${start} FOR ${size})`
  }

  private parameter(value: AppendStatement['parameters'][number]): string {
    return `$${this.parameters.push(value)}`
  }
}

const targets: Record<WriteMode, WeakMap<PgTable, Target>> = { insert: new WeakMap(), replace: new WeakMap() }

function targetOf(table: PgTable, mode: WriteMode): Target {
  const known = targets[mode].get(table)
  if (known) return known
  const { columns, primaryKeys } = getTableConfig(table)
  const propertyOf = new Map(Object.entries(table).map(([property, column]) => [column as Column, property]))
  const target: Target = {
    head: `INSERT INTO ${getTableName(table)} (${columns.map((column) => column.name).join(', ')})`,
    onConflict: mode === 'replace' ? replacing(columns, primaryKeys[0]?.columns ?? []) : '',
    columns: columns.map((column) => ({ property: propertyOf.get(column) ?? column.name, type: column.getSQLType() })),
  }
  targets[mode].set(table, target)
  return target
}

function replacing(columns: readonly Column[], key: readonly Column[]): string {
  const keyNames = key.map((column) => column.name)
  const changes = columns.filter((column) => !keyNames.includes(column.name)).map(({ name }) => `${name} = excluded.${name}`)
  return ` ON CONFLICT (${keyNames.join(', ')}) DO UPDATE SET ${changes.join(', ')}`
}
