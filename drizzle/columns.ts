// Kinds of columns that several tables have.
import { bigint, customType } from 'drizzle-orm/pg-core'

export const bytea = customType<{ data: Uint8Array }>({ dataType: () => 'bytea' })

/** Whole numbers within ±(2^53 - 1); the driver refuses to read any other. */
export const whole = (name: string) => bigint(name, { mode: 'number' })

/** Text is compared byte by byte: a language's rules take longer, differ between machines, and may change under an index when their library is upgraded. */
export const text = customType<{ data: string }>({ dataType: () => 'text collate "C"' })
