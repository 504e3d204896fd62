// Batches for tests of the store. Contents are not signed: the store does not look into them.
import { randomUUID } from 'node:crypto'
import type { FirstAdmissionRecord } from '../../protocol/generated/types.ts'
import type { ReadModelRows } from '../authority/read-models.ts'
import type { AppendBatch, CommandReceipt, LogEntry } from '../service/ports.ts'

export const newId = (): string => `urn:uuid:${randomUUID()}`
/** A well-formed digest that no other call returns. */
export const newHash = (): string => `sha256:${(randomUUID() + randomUUID()).replaceAll('-', '')}`

export const noRows: ReadModelRows = { memberships: [], nodes: [], edges: [], artifacts: [], executions: [] }

/** One Event of about `sizeBytes` bytes. */
export function sampleEntry(spaceId: string, sequence: number, sizeBytes = 200): LogEntry {
  const eventId = newId()
  const bytes = new TextEncoder().encode(JSON.stringify({ eventId, sequence, text: 'ä\u0000'.padEnd(Math.max(sizeBytes - 110, 0), 'abcdefgh') }))
  return { spaceId, sequence, eventId, kind: 'message.posted', bytes }
}

export function sampleReceipt(spaceId: string, sequence: number, sizeBytes = 200): CommandReceipt {
  const commandBytes = sampleEntry(spaceId, sequence, sizeBytes).bytes
  return { actorId: newId(), actionId: newId(), signingHash: newHash(), spaceId, sequence, commandBytes }
}

export function sampleAdmission(organizationId = newId()): FirstAdmissionRecord {
  return {
    protocolVersion: '0.1',
    admissionRecordId: newId(),
    organizationId,
    documentKind: 'command',
    signingHash: newHash(),
    keyId: newId(),
    principal: { type: 'agent', id: newId() },
    trustedAcceptedAt: '2026-11-29T10:00:00.1200+01:00',
    acceptedBy: { type: 'service', id: newId() },
  }
}

/** A batch of `count` Commands, each with one Event, one receipt, one admission and one node; `changes` replaces members. */
export function sampleBatch(
  spaceId: string,
  expectedHead: number,
  changes: Partial<AppendBatch> & { count?: number; sizeBytes?: number } = {},
): AppendBatch {
  const { count = 1, sizeBytes = 200, ...members } = changes
  const sequences = Array.from({ length: count }, (_, index) => expectedHead + 1 + index)
  return {
    spaceId,
    spaceKind: 'mission',
    expectedHead,
    events: sequences.map((sequence) => sampleEntry(spaceId, sequence, sizeBytes)),
    receipts: sequences.map((sequence) => sampleReceipt(spaceId, sequence, sizeBytes)),
    admissions: sequences.map(() => sampleAdmission()),
    rows: { ...noRows, nodes: sequences.map((sequence) => ({ sequence, kind: 'message.posted' })) },
    ...members,
  }
}
