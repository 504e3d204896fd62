// First admission and historical replay of Signed Documents, after the six verification stages.
import { canonicalize, canonicalText } from './canonical-json.ts'
import type { Actor, FirstAdmissionRecord, ServiceActor } from './generated/types.ts'
import { isSamePrincipal, isValidAt } from './key-registry.ts'
import type { Result } from './result.ts'
import { err, ok } from './result.ts'
import { signingHash, withoutSignature } from './signed-documents.ts'
import type { JsonValue } from './strict-json.ts'
import { isJsonObject, parseStrictJson } from './strict-json.ts'
import { parseTimestamp } from './timestamp.ts'
import { validateDocument } from './validate.ts'
import type { VerifiedDocument } from './verify-document.ts'

/** Protected reasons, for the audit record alone. */
export type AdmissionReason =
  | 'record-missing'
  | 'record-schema-invalid'
  | 'record-binding-mismatch'
  | 'record-conflict'
  | 'malformed-trusted-time'
  | 'trusted-time-outside-key-interval'
  | 'log-authentication-failed'
  | 'append-integrity-not-established'
  | 'log-unavailable'
  | 'log-indeterminate'
  | 'commit-failed'
  | 'event-self-anchoring'

/** Outside, every admission failure is this one code. */
export type AdmissionFailure = {
  readonly stage: 'admission'
  readonly code: 'AUTH_INVALID_SIGNATURE'
  readonly reason: AdmissionReason
}

type Admission = Result<FirstAdmissionRecord, AdmissionFailure>

/** What the six stages established and admission keeps. */
export type AdmissionSubject = Pick<
  VerifiedDocument,
  'kind' | 'organizationId' | 'signingHash' | 'keyId' | 'principal' | 'binding'
>

/** Key of the Admission Log. */
export type AdmissionKey = { readonly organizationId: string; readonly signingHash: string }

/** Record bytes and the service that the log, not the record, proved to have written them. */
export type LoggedRecord = { readonly record: Uint8Array; readonly authenticatedService: Actor }

export type LookupOutcome =
  | ({ readonly status: 'found' } & LoggedRecord)
  | { readonly status: 'authoritative-absence' }
  | { readonly status: 'unauthenticated' | 'integrity-failed' | 'unavailable' | 'indeterminate' }

/** `committed`: the candidate is now the record. `existing`: another writer was first. */
export type AppendOutcome =
  | ({ readonly status: 'committed' | 'existing' } & LoggedRecord)
  | { readonly status: 'conflict' | 'unauthenticated' | 'integrity-failed' }
  | { readonly status: 'unavailable' | 'indeterminate' | 'commit-failed' }

/** The log seam: one look-up and one atomic append-or-return-existing. */
export interface AdmissionLog {
  lookup(key: AdmissionKey): Promise<LookupOutcome>
  append(candidate: FirstAdmissionRecord): Promise<AppendOutcome>
}

/** Where and when a trusted service accepts a document. */
export type TrustedContext = {
  readonly admissionRecordId: string
  readonly trustedAcceptedAt: string
  readonly acceptedBy: ServiceActor
}

/**
 * First admission: a record found on look-up is validated and returned, and nothing is appended; only
 * authoritative absence asks for a trusted context and appends a candidate. The returned record is always the log's.
 */
export async function admitFirst(request: {
  readonly subject: AdmissionSubject
  readonly log: AdmissionLog
  readonly trustedContext: () => TrustedContext | Promise<TrustedContext>
}): Promise<Admission> {
  const { subject, log } = request
  const found = await log.lookup(keyOf(subject))
  if (found.status === 'found') return validateRecord(subject, found)
  if (found.status !== 'authoritative-absence') return fail(LOOKUP_REASONS[found.status])
  const candidate = prepareCandidate(subject, await request.trustedContext())
  if (!candidate.ok) return candidate
  const appended = await log.append(candidate.value)
  if (appended.status !== 'committed' && appended.status !== 'existing') return fail(APPEND_REASONS[appended.status])
  const admitted = validateRecord(subject, appended)
  const isOurs = admitted.ok && canonicalText(admitted.value) === canonicalText(candidate.value)
  // A log that claims to have committed the candidate and shows something else has not proved its append.
  if (admitted.ok && appended.status === 'committed' && !isOurs) return fail('append-integrity-not-established')
  return admitted
}

/** Historical replay: the record must exist; nothing is appended and no trusted context is asked for. */
export async function replayAdmission(request: {
  readonly subject: AdmissionSubject
  readonly log: Pick<AdmissionLog, 'lookup'>
}): Promise<Admission> {
  const found = await request.log.lookup(keyOf(request.subject))
  if (found.status === 'found') return validateRecord(request.subject, found)
  return fail(found.status === 'authoritative-absence' ? 'record-missing' : LOOKUP_REASONS[found.status])
}

/** The record that would admit the document, if its key is valid at the trusted time. Appends nothing. */
export function prepareCandidate(subject: AdmissionSubject, context: TrustedContext): Admission {
  const at = parseTimestamp(context.trustedAcceptedAt)
  if (at === undefined) return fail('malformed-trusted-time')
  if (!isValidAt(subject.binding, at)) return fail('trusted-time-outside-key-interval')
  return ok({
    protocolVersion: '0.1',
    admissionRecordId: context.admissionRecordId,
    organizationId: subject.organizationId,
    documentKind: subject.kind,
    signingHash: subject.signingHash,
    keyId: subject.keyId,
    principal: subject.principal,
    trustedAcceptedAt: context.trustedAcceptedAt,
    acceptedBy: context.acceptedBy,
  })
}

/** Judges a record from the log against the six-stage evidence, in the order of A-89. */
export function validateRecord(subject: AdmissionSubject, logged: LoggedRecord): Admission {
  const parsed = parseStrictJson(logged.record)
  if (!parsed.ok) return fail('record-schema-invalid')
  if (subject.kind === 'event' && isTheEventItself(subject, parsed.value.value)) return fail('event-self-anchoring')
  if (validateDocument('first-admission-record', parsed.value.schemaView) !== undefined) {
    return fail('record-schema-invalid')
  }
  const record = parsed.value.value as FirstAdmissionRecord
  const at = parseTimestamp(record.trustedAcceptedAt)
  if (at === undefined) return fail('record-schema-invalid')
  if (!isBoundTo(record, subject)) return fail('record-binding-mismatch')
  if (!isSamePrincipal(record.acceptedBy, logged.authenticatedService)) return fail('log-authentication-failed')
  if (!isValidAt(subject.binding, at)) return fail('trusted-time-outside-key-interval')
  return ok(record)
}

const LOOKUP_REASONS = {
  unauthenticated: 'log-authentication-failed',
  'integrity-failed': 'log-authentication-failed',
  unavailable: 'log-unavailable',
  indeterminate: 'log-indeterminate',
} as const satisfies Record<string, AdmissionReason>

const APPEND_REASONS = {
  conflict: 'record-conflict',
  unauthenticated: 'log-authentication-failed',
  'integrity-failed': 'append-integrity-not-established',
  unavailable: 'log-unavailable',
  indeterminate: 'log-indeterminate',
  'commit-failed': 'commit-failed',
} as const satisfies Record<string, AdmissionReason>

const keyOf = ({ organizationId, signingHash }: AdmissionSubject): AdmissionKey => ({ organizationId, signingHash })

/** A Signed Event must not vouch for itself, however it is spelt. */
function isTheEventItself(subject: AdmissionSubject, record: JsonValue): boolean {
  if (!isJsonObject(record) || !('signature' in record)) return false
  const canonical = canonicalize(withoutSignature(record))
  return canonical.ok && signingHash(canonical.value) === subject.signingHash
}

const isBoundTo = (record: FirstAdmissionRecord, subject: AdmissionSubject): boolean =>
  record.organizationId === subject.organizationId &&
  record.documentKind === subject.kind &&
  record.signingHash === subject.signingHash &&
  record.keyId === subject.keyId &&
  isSamePrincipal(record.principal, subject.principal)

const fail = (reason: AdmissionReason) =>
  err<AdmissionFailure>({ stage: 'admission', code: 'AUTH_INVALID_SIGNATURE', reason })
