// Which Events a member is shown as they are, and which it is shown a stand-in for.
import { mayRead } from './conversation.ts'
import type { GroupState } from './types.ts'

/** Why an Event is withheld from a reader. `redactedBy` is the sequence of the redaction. */
export type Withholding = { readonly because: 'redacted'; readonly redactedBy: number } | { readonly because: 'restricted' }

/** True while every member may read every Event of the Group. */
export const isAllOpen = ({ redactedBy, confidential }: GroupState): boolean => redactedBy.size === 0 && confidential.size === 0

/**
 * redacted text is for the auditors of the Group alone. A-134: restricted talk is for those who
 * take part now. Undefined where the reader may see the Event.
 */
export function withholding(state: GroupState, principalId: string, sequence: number): Withholding | undefined {
  if (isHeldBack(state, principalId, sequence)) return { because: 'restricted' }
  const redactedBy = state.redactedBy.get(sequence)
  if (redactedBy === undefined || isAuditor(state, principalId)) return undefined
  return { because: 'redacted', redactedBy }
}

function isHeldBack(state: GroupState, principalId: string, sequence: number): boolean {
  const conversation = state.conversations.get(state.confidential.get(sequence) ?? '')
  return conversation !== undefined && !mayRead(state, conversation, principalId)
}

/** Whether nothing of the Group is kept from this member but redacted text: what a snapshot of the whole Group may be shown to. */
export function seesWhole(state: GroupState, { principalId, visibilityStartSequence }: { readonly principalId: string; readonly visibilityStartSequence: number }): boolean {
  return visibilityStartSequence <= 1 && [...state.confidential.keys()].every((sequence) => !isHeldBack(state, principalId, sequence))
}

/** The MissionOwner, and in a child Mission the accountable human at the root, who inspects the whole tree. */
export const isAuditor = ({ mission, parentLink }: GroupState, principalId: string): boolean =>
  mission.missionOwner.id === principalId || parentLink?.rootOwner.id === principalId

/** a candidate reads its offer and what follows from it, and nothing before or after. */
export function isBeyondOffer({ candidacies, memberships }: GroupState, principalId: string, sequence: number): boolean {
  const candidacy = candidacies.get(principalId)
  if (!candidacy) return false
  return sequence > candidacy.through || sequence < (memberships.get(principalId)?.visibilityStartSequence ?? 0)
}
