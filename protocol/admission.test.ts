import { beforeAll, describe, expect, it } from 'vitest'
import type { AdmissionLog, AdmissionReason, AppendOutcome, LookupOutcome, TrustedContext } from './admission.ts'
import { admitFirst, prepareCandidate, replayAdmission, validateRecord } from './admission.ts'
import { encodeCanonical } from './canonical-json.ts'
import type { FirstAdmissionRecord, ServiceActor } from './generated/types.ts'
import { signDocument } from './signed-documents.ts'
import { exampleDocuments } from './testing/example-documents.ts'
import { ORGANIZATION, registryWith, testKey } from './testing/test-keys.ts'
import type { VerifiedDocument } from './verify-document.ts'
import { verifyDocument } from './verify-document.ts'

const admission: ServiceActor = { type: 'service', id: 'urn:example:admission' }
const authority = testKey('authority', exampleDocuments.event.acceptedBy)
const agent = testKey('agent', exampleDocuments.command.actor, {
  history: [{ validUntil: '2026-07-16T00:00:00Z' }, { revokedAt: '2026-07-15T20:00:00Z' }],
})
const context: TrustedContext = {
  admissionRecordId: 'urn:example:record',
  trustedAcceptedAt: '2026-07-15T10:05:00+02:00',
  acceptedBy: admission,
}

let command: VerifiedDocument
let event: VerifiedDocument
beforeAll(async () => {
  const registry = registryWith(agent, authority)
  const signedCommand = await signDocument(exampleDocuments.command, 'issuedAt', agent.binding.keyId, agent.sign)
  const signedEvent = await signDocument(exampleDocuments.event, 'occurredAt', authority.binding.keyId, authority.sign)
  const verified = [
    await verifyDocument({ kind: 'command', bytes: encodeCanonical(signedCommand), registry }),
    await verifyDocument({ kind: 'event', bytes: encodeCanonical(signedEvent), registry }),
  ] as const
  if (!verified[0].ok || !verified[1].ok) throw new Error('the examples do not verify')
  command = verified[0].value
  event = verified[1].value
})

const recordOf = (changes: object = {}): FirstAdmissionRecord => ({
  protocolVersion: '0.1',
  admissionRecordId: 'urn:example:record',
  organizationId: ORGANIZATION,
  documentKind: 'command',
  signingHash: command.signingHash,
  keyId: command.keyId,
  principal: command.principal,
  trustedAcceptedAt: context.trustedAcceptedAt,
  acceptedBy: admission,
  ...changes,
})
const logged = (record: object) => ({ record: encodeCanonical(record), authenticatedService: admission })
const found = (record: object): LookupOutcome => ({ status: 'found', ...logged(record) })

/** A log that answers as told and notes what it was asked. */
function fakeLog(lookup: LookupOutcome, append?: AppendOutcome) {
  const calls: string[] = []
  const log: AdmissionLog = {
    lookup: async ({ organizationId, signingHash }) => {
      calls.push(`lookup ${organizationId} ${signingHash}`)
      return lookup
    },
    append: async (candidate) => {
      calls.push('append')
      return append ?? { status: 'committed', ...logged(candidate) }
    },
  }
  return { log, calls }
}

const absent: LookupOutcome = { status: 'authoritative-absence' }
const admit = (lookup: LookupOutcome, append?: AppendOutcome, trusted: TrustedContext = context) =>
  admitFirst({ subject: command, log: fakeLog(lookup, append).log, trustedContext: () => trusted })
const reasonOf = async (outcome: ReturnType<typeof admit>): Promise<AdmissionReason | undefined> => {
  const result = await outcome
  return result.ok ? undefined : result.error.reason
}

describe('first admission (A-86)', () => {
  it('appends one record on authoritative absence and returns what the log holds', async () => {
    const { log, calls } = fakeLog(absent)
    const result = await admitFirst({ subject: command, log, trustedContext: async () => context })
    expect(result.ok && result.value).toEqual(recordOf())
    expect(calls).toEqual([`lookup ${ORGANIZATION} ${command.signingHash}`, 'append'])
  })

  it('returns a found record without appending or asking for a trusted context', async () => {
    const { log, calls } = fakeLog(found(recordOf({ admissionRecordId: 'urn:example:earlier' })))
    const trustedContext = () => {
      throw new Error('asked for a trusted context')
    }
    const result = await admitFirst({ subject: command, log, trustedContext })
    expect(result.ok && result.value.admissionRecordId).toBe('urn:example:earlier')
    expect(calls).toHaveLength(1)
  })

  it('takes the record of a writer who was first, id and time and all (A-87)', async () => {
    const winner = recordOf({ admissionRecordId: 'urn:example:winner', trustedAcceptedAt: '2026-07-15T08:04:59Z' })
    const result = await admit(absent, { status: 'existing', ...logged(winner) })
    expect(result.ok && result.value.admissionRecordId).toBe('urn:example:winner')
  })

  it('keeps the spelling of the trusted time (A-82)', async () => {
    const result = await admit(absent)
    expect(result.ok && result.value.trustedAcceptedAt).toBe('2026-07-15T10:05:00+02:00')
  })

  it.each([
    ['before the key is valid (A-102)', '2025-12-31T23:59:59Z', 'trusted-time-outside-key-interval'],
    ['at the revocation (A-102)', '2026-07-15T20:00:00Z', 'trusted-time-outside-key-interval'],
    ['after the revocation, although the signature is older (A-91, A-102)', '2026-07-15T21:00:00Z', 'trusted-time-outside-key-interval'],
    ['that cannot be read (A-101)', 'now', 'malformed-trusted-time'],
    ['with a leap second (A-101)', '2026-06-30T23:59:60Z', 'malformed-trusted-time'],
  ] as const)('A-93: refuses a trusted time %s, and appends nothing', async (_when, trustedAcceptedAt, reason) => {
    const { log, calls } = fakeLog(absent)
    const result = await admitFirst({ subject: command, log, trustedContext: () => ({ ...context, trustedAcceptedAt }) })
    expect(result.ok ? undefined : result.error).toEqual({ stage: 'admission', code: 'AUTH_INVALID_SIGNATURE', reason })
    expect(calls).not.toContain('append')
  })

  it.each([
    ['A-98', 'conflict', 'record-conflict'],
    ['A-95', 'unauthenticated', 'log-authentication-failed'],
    ['A-96', 'integrity-failed', 'append-integrity-not-established'],
    ['A-97', 'unavailable', 'log-unavailable'],
    ['A-97', 'indeterminate', 'log-indeterminate'],
    ['A-97', 'commit-failed', 'commit-failed'],
  ] as const)('%s, A-84: fails closed when the append is %s', async (_rule, status, reason) => {
    expect(await reasonOf(admit(absent, { status }))).toBe(reason)
  })

  it('distrusts a commit that shows another record than the candidate (A-84, A-96)', async () => {
    const other = { status: 'committed', ...logged(recordOf({ admissionRecordId: 'urn:example:other' })) } as const
    expect(await reasonOf(admit(absent, other))).toBe('append-integrity-not-established')
  })

  it('validates the record that the log returns, not the candidate', async () => {
    const foreign = { status: 'existing', ...logged(recordOf({ documentKind: 'event' })) } as const
    expect(await reasonOf(admit(absent, foreign))).toBe('record-binding-mismatch')
  })
})

describe.each([
  ['first admission', (lookup: LookupOutcome) => admit(lookup)],
  ['historical replay', (lookup: LookupOutcome) => replayAdmission({ subject: command, log: fakeLog(lookup).log })],
])('look-up in %s', (_mode, judge) => {
  it.each([
    ['A-95', 'unauthenticated', 'log-authentication-failed'],
    ['A-95', 'integrity-failed', 'log-authentication-failed'],
    ['A-97', 'unavailable', 'log-unavailable'],
    ['A-97', 'indeterminate', 'log-indeterminate'],
  ] as const)('%s, A-84: fails closed when it is %s', async (_rule, status, reason) => {
    expect(await reasonOf(judge({ status }))).toBe(reason)
  })
})

describe('historical replay (A-88)', () => {
  it('needs a record (A-94)', async () => {
    expect(await reasonOf(replayAdmission({ subject: command, log: fakeLog(absent).log }))).toBe('record-missing')
  })

  it('is not harmed by a later revocation', async () => {
    const result = await replayAdmission({ subject: command, log: fakeLog(found(recordOf())).log })
    expect(result.ok && result.value).toEqual(recordOf())
  })
})

describe('records (A-89 to A-92)', () => {
  const judge = (record: Uint8Array, subject = command, service = admission) => {
    const result = validateRecord(subject, { record, authenticatedService: service })
    return result.ok ? undefined : result.error.reason
  }

  it.each([
    ['another Organization', { organizationId: 'urn:example:else' }],
    ['another kind', { documentKind: 'event' }],
    ['another signing hash', { signingHash: `sha256:${'0'.repeat(64)}` }],
    ['another key', { keyId: 'urn:example:key:else' }],
    ['another Principal', { principal: { type: 'agent', id: 'urn:example:else' } }],
    ['another Principal type', { principal: { type: 'human', id: exampleDocuments.command.actor.id } }],
  ])('refuses %s (A-100)', (_what, changes) => {
    expect(judge(encodeCanonical(recordOf(changes)))).toBe('record-binding-mismatch')
  })

  it.each([
    ['a signature', { signature: {} }],
    ['an accepting agent', { acceptedBy: { type: 'agent', id: admission.id } }],
    ['an unreadable time', { trustedAcceptedAt: '2026-07-15' }],
    ['a time with a leap second', { trustedAcceptedAt: '2026-06-30T23:59:60Z' }],
  ])('refuses %s by its schema (A-99)', (_what, changes) => {
    expect(judge(encodeCanonical(recordOf(changes)))).toBe('record-schema-invalid')
  })

  it('refuses what is not exactly one JSON value (A-99)', () => {
    const bytes = encodeCanonical(recordOf())
    expect(judge(Uint8Array.from([...bytes, 0x7d]))).toBe('record-schema-invalid')
    expect(judge(new Uint8Array(0))).toBe('record-schema-invalid')
  })

  it('believes the service that the log authenticated, not the one the record names (A-95)', () => {
    const impostor: ServiceActor = { type: 'service', id: 'urn:example:impostor' }
    expect(judge(encodeCanonical(recordOf()), command, impostor)).toBe('log-authentication-failed')
  })

  it('refuses an acceptance outside the interval of the key (A-102)', () => {
    expect(judge(encodeCanonical(recordOf({ trustedAcceptedAt: '2026-07-15T20:00:00Z' })))).toBe('trusted-time-outside-key-interval')
  })

  it('names the first fault in the order of A-89', () => {
    const late = { trustedAcceptedAt: '2026-07-15T20:00:00Z' }
    const impostor: ServiceActor = { type: 'service', id: 'urn:example:impostor' }
    expect(judge(encodeCanonical(recordOf({ ...late, keyId: 'urn:example:key:else' })), command, impostor)).toBe('record-binding-mismatch')
    expect(judge(encodeCanonical(recordOf(late)), command, impostor)).toBe('log-authentication-failed')
  })

  it('never lets an Event vouch for itself, however it is spelt (A-92, A-103)', () => {
    expect(judge(event.bytes, event)).toBe('event-self-anchoring')
    const respelt = new TextEncoder().encode(JSON.stringify(event.value, null, 2))
    expect(judge(respelt, event)).toBe('event-self-anchoring')
    expect(judge(command.bytes, event)).toBe('record-schema-invalid')
  })
})

describe('candidates (A-87)', () => {
  it('bind what the six stages established to the trusted context (A-85)', () => {
    const candidate = prepareCandidate(event, context)
    expect(candidate.ok && candidate.value).toMatchObject({
      organizationId: ORGANIZATION,
      documentKind: 'event',
      keyId: event.keyId,
      signingHash: event.signingHash,
      principal: event.principal,
      acceptedBy: admission,
    })
  })
})
