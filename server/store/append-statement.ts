// One statement that writes the batches of several Spaces: each Space's new head and, only where the head was the expected one, its rows.
import type { Column, InferInsertModel } from 'drizzle-orm'
import { getTableName } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { getTableConfig } from 'drizzle-orm/pg-core'
import type { Document } from './documents-text.ts'
import { documentSlice, documentsText, sizeOf } from './documents-text.ts'

/** How rows enter a table: as new rows, or in place of the row with the same primary key. */
export type WriteMode = 'insert' | 'replace'

interface Target {
  readonly head: string
  readonly onConflict: string
  readonly columns: readonly { readonly property: string; readonly type: string }[]
}

type Cell = Document | number | null

/** Where the table keeps bytes a row may have a document's text. Without the Space, which is its batch's. */
type Row<T extends PgTable> = { readonly [P in keyof Omit<InferInsertModel<T>, 'spaceId'>]: InferInsertModel<T>[P] | (Uint8Array extends InferInsertModel<T>[P] ? string : never) }

/** What the driver needs: text that depends only on which tables have rows, so that it is prepared once. */
export interface AppendStatement {
  readonly text: string
  readonly parameters: string[]
}

/** One row for each Space whose head moved. A Space without a row: another writer was first there, and nothing of it was written. */
const MOVE_HEADS = `
wanted AS (SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) AS w(space_id, kind, expected, head)),
grown AS (
  UPDATE spaces AS s SET head = w.head FROM wanted AS w
  WHERE s.space_id = w.space_id AND s.kind = w.kind AND s.head = w.expected RETURNING s.space_id
),
founded AS (
  INSERT INTO spaces (space_id, kind, head) SELECT space_id, kind, head FROM wanted WHERE expected = 0
  ON CONFLICT (space_id) DO NOTHING RETURNING space_id
),
moved AS (SELECT space_id FROM grown UNION ALL SELECT space_id FROM founded)`

/** The Space of a row, by its place in the first parameter: an id is sent once however many rows it has. */
const SPACE_OF_ROW = '($1::text[])[u.c0]'

export interface SpaceHead { readonly spaceId: string; readonly kind: string; readonly expectedHead: number; readonly newHead: number }

/** Collects the rows of one batch for each of several Spaces. Every `spaceId` column takes its batch's Space. */
export class AppendStatementBuilder {
  readonly #parts: string[] = [MOVE_HEADS]
  readonly #parameters: AppendStatement['parameters']

  constructor(heads: readonly SpaceHead[]) {
    this.#parameters = [heads.map((head) => head.spaceId), heads.map((head) => head.kind), heads.map((head) => head.expectedHead), heads.map((head) => head.newHead)].map(arrayText)
  }

  /** Adds rows to a table, one list for each Space in the order of the heads; no rows, no part. */
  write<T extends PgTable>(table: T, rowsBySpace: readonly (readonly Row<T>[])[], mode: WriteMode = 'insert'): this {
    const rows = rowsBySpace.flat()
    if (rows.length === 0) return this
    const target = targetOf(table, mode)
    const source: string[] = []
    this.#unnested(rowsBySpace.flatMap((ofSpace, index) => ofSpace.map(() => index + 1)), 'integer', source)
    const selected = target.columns.map(({ property, type }) => {
      if (property === 'spaceId') return SPACE_OF_ROW
      const cells = rows.map((row) => (row as Record<string, Cell | undefined>)[property] ?? null)
      return type === 'bytea' ? this.#sliced(cells as (Document | null)[], source) : this.#unnested(cells as (string | number | null)[], type, source)
    })
    const names = source.map((_, index) => `c${index}`)
    this.#parts.push(
      `w${this.#parts.length} AS (${target.head} SELECT ${selected.join(', ')} FROM unnest(${source.join(', ')}) AS u(${names.join(', ')}) JOIN moved ON moved.space_id = ${SPACE_OF_ROW}${target.onConflict})`,
    )
    return this
  }

  build(): AppendStatement {
    return { text: `WITH ${this.#parts.join(',\n')}\nSELECT space_id FROM moved`, parameters: this.#parameters }
  }

  #unnested(cells: readonly (string | number | null)[], type: string, source: string[]): string {
    const name = `u.c${source.length}`
    source.push(`${this.#parameter(arrayText(cells))}::${type}[]`)
    return name
  }

  /** All documents of a column as one parameter and a slice per row. */
  #sliced(cells: readonly (Document | null)[], source: string[]): string {
    let end = 1
    const sizes = cells.map((document) => (document === null ? null : sizeOf(document)))
    const starts = sizes.map((size) => (size === null ? null : (end += size) - size))
    const start = this.#unnested(starts, 'integer', source)
    const size = this.#unnested(sizes, 'integer', source)
    return documentSlice(this.#parameter(documentsText(cells.filter((document) => document !== null))), start, size)
  }

  #parameter(value: string): string {
    return `$${this.#parameters.push(value)}`
  }
}

const TO_ESCAPE = /["\\]/
const EACH_TO_ESCAPE = /["\\]/g

/** PostgreSQL's text form of an array. The driver writes the same, more slowly. */
function arrayText(cells: readonly (string | number | null)[]): string {
  return `{${cells.map(elementText).join(',')}}`
}

function elementText(cell: string | number | null): string {
  if (typeof cell !== 'string') return cell === null ? 'NULL' : String(cell)
  return `"${TO_ESCAPE.test(cell) ? cell.replace(EACH_TO_ESCAPE, '\\$&') : cell}"`
}

const targets: Record<WriteMode, WeakMap<PgTable, Target>> = { insert: new WeakMap(), replace: new WeakMap() }

function targetOf(table: PgTable, mode: WriteMode): Target {
  const known = targets[mode].get(table)
  if (known) return known
  const { columns: all, primaryKeys } = getTableConfig(table)
  // What the database numbers itself is not written.
  const columns = all.filter((column) => column.generatedIdentity === undefined)
  const propertyOf = new Map(Object.entries(table).map(([property, column]) => [column as Column, property]))
  const target: Target = {
    head: `INSERT INTO ${getTableName(table)} (${columns.map((column) => column.name).join(', ')})`,
    onConflict: mode === 'replace' ? replacing(columns, primaryKeys[0]?.columns ?? []) : '',
    columns: columns.map((column) => ({ property: propertyOf.get(column) ?? column.name, type: typeOf(column) })),
  }
  targets[mode].set(table, target)
  return target
}

/** Without the order, which no cast of an array takes. */
const typeOf = (column: Column): string => column.getSQLType().replace(/ collate .*/, '')

function replacing(columns: readonly Column[], key: readonly Column[]): string {
  const keyNames = key.map((column) => column.name)
  const changes = columns.filter((column) => !keyNames.includes(column.name)).map(({ name }) => `${name} = excluded.${name}`)
  return ` ON CONFLICT (${keyNames.join(', ')}) DO UPDATE SET ${changes.join(', ')}`
}
