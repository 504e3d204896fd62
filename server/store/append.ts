import { setTimeout as pause } from 'node:timers/promises'
import postgres from 'postgres'
import * as tables from '../../drizzle/schema.ts'
import { invariant } from '../../protocol/result.ts'
import { latestRows } from '../authority/read-model-rows.ts'
import type { AppendBatch, AppendOutcome } from '../service/ports.ts'
import { AppendStatementBuilder } from './append-statement.ts'
import type { AppendStatement } from './append-statement.ts'
import type { Sql } from './connect.ts'

type Conflict = Extract<AppendOutcome, { ok: false }>['conflict']

/** Which constraint means which refusal. Any other violation is a fault of ours. */
const CONFLICT_OF: Readonly<Record<string, Conflict>> = {
  log_one_event_per_sequence: 'head',
  log_event_id_once: 'event-id',
  receipts_action_id_once: 'action-id',
  admissions_document_once: 'admission',
  admissions_record_id_once: 'admission',
}

const UNIQUE_VIOLATION = '23505'
/** serialization_failure and deadlock_detected: the server undid the statement and asks for another try. */
const TRANSIENT: ReadonlySet<string> = new Set(['40001', '40P01'])
const MAX_ATTEMPTS = 5

/**
 * Writes a batch in one statement and one round trip; it resolves after the commit. Either all of it is written or none:
 * a conflict is returned, anything else is thrown. After a lost connection the outcome is unknown, and a retry finds its receipt.
 */
export async function append(sql: Sql, batch: AppendBatch): Promise<AppendOutcome> {
  const statement = statementFor(batch)
  for (let attempt = 1; ; attempt += 1) {
    try {
      const moved = await sql.unsafe(statement.text, [...statement.parameters] as never[], { prepare: true })
      return moved.length === 1 ? { ok: true } : { ok: false, conflict: 'head' }
    } catch (error) {
      if (!(error instanceof postgres.PostgresError)) throw error
      const conflict = error.code === UNIQUE_VIOLATION ? CONFLICT_OF[error.constraint_name ?? ''] : undefined
      if (conflict) return { ok: false, conflict }
      if (!TRANSIENT.has(error.code) || attempt === MAX_ATTEMPTS) throw error
      await pause(attempt * 10 * Math.random())
    }
  }
}

function statementFor(batch: AppendBatch): AppendStatement {
  requireGapless(batch)
  const { spaceId, spaceKind: kind, expectedHead, events } = batch
  const rows = latestRows(batch.rows)
  const space = { spaceId, kind, expectedHead, newHead: expectedHead + events.length }
  return new AppendStatementBuilder(space)
    .write(tables.log, events)
    .write(tables.receipts, batch.receipts.map(({ commandBytes, ...receipt }) => ({ ...receipt, command: commandBytes })))
    .write(tables.admissions, batch.admissions.map(admissionRow))
    .write(tables.missions, rows.mission ? [rows.mission] : [], 'replace')
    .write(tables.memberships, rows.memberships, 'replace')
    .write(tables.messages, rows.messages)
    .write(tables.graphNodes, rows.nodes)
    .write(tables.graphEdges, rows.edges)
    .write(tables.artifactRefs, rows.artifacts)
    .write(tables.executions, rows.executions, 'replace')
    .build()
}

function requireGapless({ spaceId, expectedHead, events, receipts, rows }: AppendBatch): void {
  const isGapless = events.every((event, index) => event.sequence === expectedHead + 1 + index)
  invariant(isGapless, 'the Events of a batch continue its Space without a gap')
  const owned = [...events, ...receipts, ...rows.memberships, ...(rows.mission ? [rows.mission] : [])]
  invariant(owned.every((row) => row.spaceId === spaceId), 'a batch writes to one Space')
}

function admissionRow(record: AppendBatch['admissions'][number]) {
  const { organizationId, signingHash, admissionRecordId: recordId } = record
  return { organizationId, signingHash, recordId, record: JSON.stringify(record) }
}
