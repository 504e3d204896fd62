// Which Events a member is shown as they are, and which it is shown a stand-in for.
import type { GroupState } from './types.ts'

/** Why an Event is withheld from a reader. `redactedBy` is the sequence of the redaction. */
export type Withholding = { readonly because: 'redacted'; readonly redactedBy: number }

/** True while every member may read every Event of the Group. */
export const isAllOpen = ({ redactedBy }: GroupState): boolean => redactedBy.size === 0

/** redacted text is for the auditor of the Group alone, who is its MissionOwner. Undefined where the reader may see the Event. */
export function withholding(state: GroupState, principalId: string, sequence: number): Withholding | undefined {
  const redactedBy = state.redactedBy.get(sequence)
  if (redactedBy === undefined || isAuditor(state, principalId)) return undefined
  return { because: 'redacted', redactedBy }
}

export const isAuditor = ({ mission }: GroupState, principalId: string): boolean => mission.missionOwner.id === principalId
