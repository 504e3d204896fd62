// Which Extension Profiles the Organization has approved. An administrator signs both the profile and the Command that registers it.
import type { EventDocument, ExtensionProfile, ProfileApprovedPayload, ProfileApprovePayload, ProfileRetiredPayload, ProfileRetirePayload } from '../../protocol/generated/types.ts'
import { sha256Hash } from '../../protocol/digest.ts'
import { reject } from '../../protocol/error-codes.ts'
import { PROFILE_APPROVE, PROFILE_APPROVED, PROFILE_RETIRE, PROFILE_RETIRED } from '../../protocol/kinds.ts'
import { err, invariant, ok } from '../../protocol/result.ts'
import { addSeconds } from '../../protocol/timestamp.ts'
import { meets } from './capability.ts'
import { primaryDraft } from './draft.ts'
import { majorOf } from './extension-use.ts'
import type { Refusal } from './fences.ts'
import { isAfter } from './instants.ts'
import { payloadRefused } from './payload.ts'
import { notAdministrator } from './policy-change.ts'
import type { Decision, DecisionEnv, VerifiedCommand } from './types.ts'

/** A profile in force, with the text of the schema that its hash names. */
export interface ApprovedProfile {
  readonly profile: ExtensionProfile
  readonly schema: string
}

/** All that was approved under one profile URI. */
interface ProfileRecord {
  /** Approvals and retirements so far. */
  readonly revision: number
  /** In force, one of each major version. */
  readonly majors: ReadonlyMap<string, ApprovedProfile>
}

/** Records by profile URI. */
export type ProfileRegister = ReadonlyMap<string, ProfileRecord>

/** How far the clock of the approver may run ahead, in seconds; the same as for a Command. */
const CLOCK_TOLERANCE_SECONDS = 300

/** Names that are for the protocol and for this product to give: a profile cannot redefine what they mean. */
const RESERVED_URIS = ['urn:missionweaveprotocol:', 'https://missionweaveprotocol.dev/', 'urn:countersign:']
const RESERVED_KINDS = ['ext.missionweaveprotocol.', 'ext.countersign.']

const utf8 = new TextEncoder()
const nothing: ProfileRecord = { revision: 0, majors: new Map() }
const recordOf = (register: ProfileRegister, profileUri: string): ProfileRecord => register.get(profileUri) ?? nothing

/** The approved profile that covers this version: the same major version, at least as new. */
export function profileFor(register: ProfileRegister, profileUri: string, version: string): ApprovedProfile | undefined {
  const approved = recordOf(register, profileUri).majors.get(majorOf(version))
  return approved && isCovered(approved, version) ? approved : undefined
}

/** Every profile in force, in the order of their first approval. */
export const profilesInForce = (register: ProfileRegister): readonly ExtensionProfile[] => [...register.values()].flatMap(({ majors }) => [...majors.values()].map(({ profile }) => profile))

const isCovered = ({ profile }: ApprovedProfile, version: string) => meets({ id: '', version: profile.version }, { id: '', version })

export const isProfileCommand = (kind: string): boolean => kind === PROFILE_APPROVE || kind === PROFILE_RETIRE

/** `ext.countersign.profile.approve` and `.retire`; `expectedRevision` is that of the profile and may not be left out. */
export function decideProfile(register: ProfileRegister, verified: VerifiedCommand, env: DecisionEnv): Decision {
  return verified.command.kind === PROFILE_APPROVE ? decideApprove(register, verified, env) : decideRetire(register, verified, env)
}

function decideApprove(register: ProfileRegister, verified: VerifiedCommand, env: DecisionEnv): Decision {
  const payload = verified.command.payload as ProfileApprovePayload
  const misshapen = payloadRefused(PROFILE_APPROVE, payload)
  if (misshapen) return err(misshapen)
  const record = recordOf(register, payload.profile.profileUri)
  const refusal =
    notAdministrator(verified, env) ??
    wrongRevision(verified, record) ??
    wrongApprover(verified, payload, env) ??
    reservedNames(payload) ??
    notLater(record, payload) ??
    wrongSchema(payload, env)
  if (refusal) return err(refusal)
  return ok([primaryDraft(verified, { kind: PROFILE_APPROVED, aggregateRevision: record.revision + 1, payload })])
}

function decideRetire(register: ProfileRegister, verified: VerifiedCommand, env: DecisionEnv): Decision {
  const payload = verified.command.payload as ProfileRetirePayload
  const misshapen = payloadRefused(PROFILE_RETIRE, payload)
  if (misshapen) return err(misshapen)
  const record = recordOf(register, payload.profileUri)
  const refusal = notAdministrator(verified, env) ?? wrongRevision(verified, record) ?? notInForce(record, payload)
  if (refusal) return err(refusal)
  return ok([primaryDraft(verified, { kind: PROFILE_RETIRED, aggregateRevision: record.revision + 1, payload })])
}

function wrongRevision({ command: { expectedRevision } }: VerifiedCommand, { revision }: ProfileRecord): Refusal {
  if (expectedRevision === undefined) return reject('INVALID_COMMAND', 'the Command does not say which revision of the profile it follows')
  return expectedRevision === revision ? undefined : reject('REVISION_CONFLICT', 'the profile has changed since it was read', { expectedRevision, currentRevision: revision })
}

/** whoever approves registers, so that one right is judged for both. */
function wrongApprover({ command: { actor } }: VerifiedCommand, { profile: { approvedBy, approvedAt } }: ProfileApprovePayload, { now }: DecisionEnv): Refusal {
  if (approvedBy.type !== actor.type || approvedBy.id !== actor.id) return reject('AUTH_FORBIDDEN', 'the profile is approved by somebody else than the sender')
  return isAfter(approvedAt, addSeconds(now, CLOCK_TOLERANCE_SECONDS)) ? reject('INVALID_COMMAND', 'the profile is dated in the future') : undefined
}

/** A-245; the names of URNs and hosts are the same in either case. */
function reservedNames({ profile: { profileUri, commandKinds, eventKinds } }: ProfileApprovePayload): Refusal {
  const isReserved = RESERVED_URIS.some((prefix) => profileUri.toLowerCase().startsWith(prefix)) || [...commandKinds, ...eventKinds].some((kind) => RESERVED_KINDS.some((prefix) => kind.startsWith(prefix)))
  return isReserved ? reject('INVALID_COMMAND', 'the profile takes names of the protocol or of this server') : undefined
}

function notLater({ majors }: ProfileRecord, { profile: { version } }: ProfileApprovePayload): Refusal {
  const approved = majors.get(majorOf(version))
  return approved && isCovered(approved, version) ? reject('INVALID_COMMAND', `version ${approved.profile.version} of the profile is in force already`) : undefined
}

function wrongSchema({ profile: { schemaHash }, schema }: ProfileApprovePayload, { isDataSchema }: DecisionEnv): Refusal {
  if (sha256Hash(utf8.encode(schema)) !== schemaHash) return reject('INVALID_COMMAND', 'the schema is not the one whose hash the profile names')
  return isDataSchema(schema) ? undefined : reject('INVALID_COMMAND', 'data cannot be held against this schema: it has to be JSON Schema 2020-12, whole, and without patterns')
}

function notInForce({ majors }: ProfileRecord, { version }: ProfileRetirePayload): Refusal {
  return majors.get(majorOf(version))?.profile.version === version ? undefined : reject('INVALID_COMMAND', `version ${version} of the profile is not in force`)
}

/** The register after one more Event of the policy's Space; throws InvariantViolation on another kind and on a gap in the revisions. */
export function evolveProfiles(register: ProfileRegister, event: Pick<EventDocument, 'kind' | 'aggregateRevision' | 'payload'>): ProfileRegister {
  const profileUri = profileOf(event)
  const { revision, majors } = recordOf(register, profileUri)
  invariant(event.aggregateRevision === revision + 1, `revision ${event.aggregateRevision} of a profile does not follow ${revision}`)
  return new Map(register).set(profileUri, { revision: revision + 1, majors: evolveMajors(majors, event) })
}

/** The URI of the profile that an Event approves or retires; throws InvariantViolation on another kind. */
export function profileOf({ kind, payload }: Pick<EventDocument, 'kind' | 'payload'>): string {
  invariant(kind === PROFILE_APPROVED || kind === PROFILE_RETIRED, `no profile is about Events of kind ${kind}`)
  return kind === PROFILE_APPROVED ? (payload as unknown as ProfileApprovedPayload).profile.profileUri : (payload as unknown as ProfileRetiredPayload).profileUri
}

function evolveMajors(majors: ProfileRecord['majors'], { kind, payload }: Pick<EventDocument, 'kind' | 'payload'>): ProfileRecord['majors'] {
  const next = new Map(majors)
  if (kind === PROFILE_APPROVED) {
    const { profile, schema } = payload as unknown as ProfileApprovedPayload
    return next.set(majorOf(profile.version), { profile, schema })
  }
  next.delete(majorOf((payload as unknown as ProfileRetiredPayload).version))
  return next
}
