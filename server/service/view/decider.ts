// Whose signature a submission waits for.
import type { Actor } from '../../../protocol/generated/types.ts'
import { needsRootApproval } from '../../authority/mission-approval.ts'
import type { GroupState } from '../../authority/types.ts'

/** Who decides next on the pending submission: the human at the root where the policy of a child Mission asks for that, else the owner. */
export function deciderOf(state: GroupState): Actor {
  const { parentLink, mission, submissions } = state
  const waitsForRoot = needsRootApproval(state) && submissions.at(-1)?.rootDecision === undefined
  return waitsForRoot && parentLink ? parentLink.rootOwner : mission.missionOwner
}
