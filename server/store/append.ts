import { setTimeout as pause } from 'node:timers/promises'
import postgres from 'postgres'
import * as tables from '../../drizzle/schema.ts'
import type { Result } from '../../protocol/result.ts'
import { err, invariant, ok } from '../../protocol/result.ts'
import { latestRows } from '../authority/read-model-rows.ts'
import type { AppendBatch, AppendOutcome, ReactionKey } from '../service/ports.ts'
import { AppendStatementBuilder } from './append-statement.ts'
import type { AppendStatement } from './append-statement.ts'
import type { Sql } from './connect.ts'
import { rulingRow } from './ruling-store.ts'
import type { AppendsSettled } from './group-commit.ts'

type Conflict = Extract<AppendOutcome, { ok: false }>['conflict']

/** Which constraint means which refusal. Any other violation is a fault of ours. */
const CONFLICT_OF: Readonly<Record<string, Conflict>> = {
  log_one_event_per_sequence: 'head',
  log_event_id_once: 'event-id',
  receipts_action_id_once: 'action-id',
  receipts_document_once: 'admission',
  admissions_document_once: 'admission',
  admissions_record_id_once: 'admission',
  missions_id_once: 'mission-id',
}

const UNIQUE_VIOLATION = '23505'
/** serialization_failure and deadlock_detected: the server undid the statement and asks for another try. */
const TRANSIENT: ReadonlySet<string> = new Set(['40001', '40P01'])
const MAX_ATTEMPTS = 5

/** Writes again what the server undid; the error of the last try where it refuses. */
async function attempted<T>(write: () => Promise<T>): Promise<Result<T, postgres.PostgresError>> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return ok(await write())
    } catch (error) {
      if (!(error instanceof postgres.PostgresError)) throw error
      if (!TRANSIENT.has(error.code) || attempt === MAX_ATTEMPTS) return err(error)
      await pause(attempt * 10 * Math.random())
    }
  }
}

/** Throws an error that says of no conflict. */
function conflictIn(error: postgres.PostgresError): AppendOutcome {
  const conflict = error.code === UNIQUE_VIOLATION ? CONFLICT_OF[error.constraint_name ?? ''] : undefined
  if (!conflict) throw error
  return { ok: false, conflict }
}

/** The Spaces that have moved on. */
async function written(sql: Pick<Sql, 'unsafe'>, { text, parameters }: AppendStatement): Promise<ReadonlySet<string>> {
  const moved = await sql.unsafe<{ space_id: string }[]>(text, [...parameters], { prepare: true })
  return new Set(moved.map((row) => row.space_id))
}

/**
 * Writes the batches of different Spaces in one statement, one round trip and one commit; it resolves after the commit. Each is
 * written wholly or not at all: a Space whose head moved meanwhile answers with a conflict and leaves the others alone. When one of
 * several cannot be written or is refused, nothing of any was written and `undefined` is returned, because nobody says whose fault it was.
 */
async function appendTogether(sql: Sql, batches: readonly AppendBatch[]): Promise<readonly AppendOutcome[] | undefined> {
  const statement = attemptedStatement(batches)
  if (!statement) return undefined
  const moved = await attempted(() => written(sql, statement))
  if (moved.ok) return batches.map(({ spaceId }) => (moved.value.has(spaceId) ? { ok: true } : { ok: false, conflict: 'head' }))
  return batches.length > 1 ? undefined : [conflictIn(moved.error)]
}

/** Thrown inside a transaction to undo it. */
class Undone extends Error {
  constructor(readonly conflict: Conflict) {
    super(conflict)
  }
}

const isPlain = ({ founded, settled }: AppendBatch): boolean => founded === undefined && settled === undefined

/** Writes a batch with the Spaces that it founds and without the reactions that it settles, in a transaction of its own. */
async function appendUnit(sql: Sql, { founded = [], settled = [], ...own }: AppendBatch): Promise<AppendOutcome> {
  const parts = [own, ...founded]
  const statement = statementFor(parts)
  const write = () =>
    sql.begin(async (transaction) => {
      const moved = await written(transaction, statement)
      if (moved.size < parts.length) throw new Undone(moved.has(own.spaceId) ? 'space-id' : 'head')
      if (settled.length > 0) await deleteReactions(transaction, settled)
    })
  try {
    const outcome = await attempted(write)
    return outcome.ok ? { ok: true } : conflictIn(outcome.error)
  } catch (fault) {
    if (fault instanceof Undone) return { ok: false, conflict: fault.conflict }
    throw fault
  }
}

export async function deleteReactions(sql: Pick<Sql, 'unsafe'>, keys: readonly ReactionKey[]): Promise<void> {
  const parameters = [keys.map((key) => key.targetSpaceId), keys.map((key) => key.eventId)]
  await sql.unsafe(DELETE_REACTIONS, parameters as never[], { prepare: true })
}

const DELETE_REACTIONS = `
DELETE FROM reactions AS r USING unnest($1::text[], $2::text[]) AS done(target_space_id, event_id)
WHERE r.target_space_id = done.target_space_id AND r.event_id = done.event_id`

/** Writes one batch. After a lost connection the outcome is unknown, and a retry finds its receipt. */
export async function append(sql: Sql, batch: AppendBatch): Promise<AppendOutcome> {
  if (!isPlain(batch)) return appendUnit(sql, batch)
  const [outcome] = (await appendTogether(sql, [batch])) ?? []
  invariant(outcome !== undefined, 'one batch has one outcome')
  return outcome
}

/** Writes batches of different Spaces together, and one by one when one of them spoils the statement for all or needs a transaction. */
export async function appendAll(sql: Sql, batches: readonly AppendBatch[]): Promise<AppendsSettled> {
  const together = batches.every(isPlain) ? await appendTogether(sql, batches) : undefined
  if (together) return together.map((value) => ({ status: 'fulfilled', value }))
  const settled: PromiseSettledResult<AppendOutcome>[] = []
  for (const batch of batches) settled.push(...(await Promise.allSettled([append(sql, batch)])))
  return settled
}

/** None when one of several is at fault; throws the fault of a single one. */
function attemptedStatement(batches: readonly AppendBatch[]): AppendStatement | undefined {
  try {
    return statementFor(batches)
  } catch (fault) {
    if (batches.length === 1) throw fault
    return undefined
  }
}

/** In one order of Spaces, which is the order of its locks: two nodes that write to the same ones wait for each other and never in a ring. */
function statementFor(unordered: readonly AppendBatch[]): AppendStatement {
  unordered.forEach(requireGapless)
  const batches = unordered.toSorted((a, b) => (a.spaceId < b.spaceId ? -1 : 1))
  const rows = batches.map((batch) => latestRows(batch.rows))
  const heads = batches.map(({ spaceId, spaceKind: kind, expectedHead, events }) => ({ spaceId, kind, expectedHead, newHead: expectedHead + events.length }))
  return new AppendStatementBuilder(heads)
    .write(tables.log, batches.map(logRows))
    .write(tables.receipts, batches.map(receiptRows))
    .write(tables.admissions, batches.map(admissionRows))
    .write(tables.missions, rows.map(({ mission }) => (mission ? [mission] : [])), 'replace')
    .write(tables.memberships, rows.map((row) => row.memberships), 'replace')
    .write(tables.graphEdges, rows.map((row) => row.edges))
    .write(tables.artifactRefs, rows.map((row) => row.artifacts))
    .write(tables.executions, rows.map((row) => row.executions), 'replace')
    .write(tables.policyLog, batches.map(({ rulings = [] }) => rulings.map(rulingRow)))
    .write(tables.reactions, batches.map((batch) => batch.reactions ?? []))
    .build()
}

function requireGapless({ spaceId, expectedHead, events, receipts, rows }: AppendBatch): void {
  const isGapless = events.every((event, index) => event.sequence === expectedHead + 1 + index)
  invariant(isGapless, 'the Events of a batch continue its Space without a gap')
  invariant(rows.nodes.every(({ sequence, kind }) => events[sequence - expectedHead - 1]?.kind === kind), 'a node is an Event of the batch')
  const isOwn = (row: { readonly spaceId: string }): boolean => row.spaceId === spaceId
  invariant(events.every(isOwn) && receipts.every(isOwn) && rows.memberships.every(isOwn) && (!rows.mission || isOwn(rows.mission)), 'a batch writes to one Space')
}

/** An Event with what its node of the graph says. */
function logRows({ events, rows }: AppendBatch) {
  const nodes = new Map(rows.nodes.map((node) => [node.sequence, node]))
  return events.map(({ sequence, eventId, kind, bytes }) => {
    const { conversationId = null, workItemId = null } = nodes.get(sequence) ?? {}
    return { sequence, eventId, kind, bytes, conversationId, workItemId }
  })
}

/** A Command with the record of its own admission. */
function receiptRows({ receipts, admissions }: AppendBatch) {
  return receipts.map(({ actorId, actionId, signingHash, sequence, commandBytes: command }) => {
    const record = admissions.find((admission) => admission.signingHash === signingHash)
    return { actorId, actionId, signingHash, sequence, command, admission: record ? JSON.stringify(record) : null }
  })
}

/** Records of what is no Command of this batch. */
function admissionRows({ receipts, admissions }: AppendBatch) {
  const others = admissions.filter((record) => !receipts.some(({ signingHash }) => signingHash === record.signingHash))
  return others.map((record) => ({ organizationId: record.organizationId, signingHash: record.signingHash, recordId: record.admissionRecordId, record: JSON.stringify(record) }))
}
