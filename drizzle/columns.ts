// Kinds of columns that several tables have.
import { sql } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'
import { bigint, customType } from 'drizzle-orm/pg-core'

export const bytea = customType<{ data: Uint8Array }>({ dataType: () => 'bytea' })

/** Whole numbers within ±(2^53 - 1); the driver refuses to read any other. */
export const whole = (name: string) => bigint(name, { mode: 'number' })

/** Byte by byte: the database may be set up to order text by the rules of some language. */
export const byBytes = (column: AnyPgColumn) => sql`${column} collate "C"`
