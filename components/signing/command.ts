import type { CommandKind } from '../../protocol/kinds.ts'
import { encodeCanonical } from '../../protocol/canonical-json.ts'

/** Moment and identity of a Command, for payloads that repeat them. */
export interface CommandStamp {
  readonly actionId: string
  readonly issuedAt: string
  readonly principalId: string
}

/** A human Command before it is stamped and signed. Absent members stay absent. */
export interface CommandDraft {
  readonly kind: CommandKind
  readonly groupId: string
  /** Required but for `mission.create`. */
  readonly membershipEpoch?: number
  readonly conversationId?: string
  readonly workItemId?: string
  readonly expectedRevision?: number
  readonly causedByEventId?: string
  /** A function where the payload must repeat the stamp, as an Approval repeats approver and time. */
  readonly payload: object | ((stamp: CommandStamp) => object)
}

export const newUrn = (): string => `urn:uuid:${crypto.randomUUID()}`

/** RFC 8785 bytes of the unsigned Command: what the signer reads, shows and signs. */
export function encodeCommand(draft: CommandDraft, stamp: CommandStamp): Uint8Array {
  const { kind, groupId, membershipEpoch, conversationId, workItemId, expectedRevision, causedByEventId, payload } = draft
  return encodeCanonical({
    protocolVersion: '0.1',
    actionId: stamp.actionId,
    actor: { type: 'human', id: stamp.principalId },
    kind,
    groupId,
    ...(membershipEpoch !== undefined && { membershipEpoch }),
    ...(conversationId !== undefined && { conversationId }),
    ...(workItemId !== undefined && { workItemId }),
    ...(expectedRevision !== undefined && { expectedRevision }),
    ...(causedByEventId !== undefined && { causedByEventId }),
    correlationId: stamp.actionId,
    issuedAt: stamp.issuedAt,
    payload: typeof payload === 'function' ? (payload as (stamp: CommandStamp) => object)(stamp) : payload,
  })
}
