import { and, desc, eq, lt, sql } from 'drizzle-orm'
import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import { policyLog } from '../../drizzle/schema.ts'
import type { ErrorCode } from '../../protocol/error-codes.ts'
import type { Actor } from '../../protocol/generated/types.ts'
import type { Ruling, RulingArea } from '../authority/policy-ruling.ts'
import { storableText } from '../authority/storable-text.ts'
import type { RulingStore } from '../service/ports.ts'

type Row = typeof policyLog.$inferSelect

/** As a parameter the outcome would not lead to the indexes of refusals: plans are made for every value of it. */
const isRefused = sql`${policyLog.outcome} = 'refused'`

/** The Policy Log in PostgreSQL. Nothing here changes a row, and none that let an Event through is deleted. */
export const createRulingStore = (database: PostgresJsDatabase): RulingStore => ({
  async add(spaceId, ruling) {
    await database.insert(policyLog).values({ spaceId, ...rulingRow(ruling) })
  },
  async list({ spaceId, outcome, before, limit }) {
    const wanted = and(
      spaceId === undefined ? undefined : eq(policyLog.spaceId, spaceId),
      outcome === undefined ? undefined : outcome === 'refused' ? isRefused : eq(policyLog.outcome, outcome),
      before === undefined ? undefined : lt(policyLog.entry, before),
    )
    const rows = await database.select().from(policyLog).where(wanted).orderBy(desc(policyLog.entry)).limit(limit)
    return rows.map(kept)
  },
  async forgetRefusals(before) {
    await database.delete(policyLog).where(and(isRefused, lt(policyLog.at, before)))
  },
})

/** Without the Space and the number that the database gives it. */
export function rulingRow({ actor, code, eventId, sequence, reason, ...ruling }: Ruling) {
  return { ...ruling, actorType: actor.type, actorId: actor.id, reason: storableText(reason), code: code ?? null, eventId: eventId ?? null, sequence: sequence ?? null }
}

function kept({ area, outcome, actorType, actorId, code, eventId, sequence, ...row }: Row) {
  return {
    ...row,
    area: area as RulingArea,
    outcome: outcome as Ruling['outcome'],
    actor: { type: actorType, id: actorId } as Actor,
    ...(code !== null && { code: code as ErrorCode }),
    ...(eventId !== null && { eventId }),
    ...(sequence !== null && { sequence }),
  }
}
