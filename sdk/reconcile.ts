// What a new Coordinator does first: it sums up the log and says where all unfinished work stands.
import type { ContextPackage, MissionReconcilePayload, WorkItemState } from '../protocol/generated/types.ts'
import { MISSION_RECONCILE } from '../protocol/kinds.ts'
import type { AgentClient } from './agent-client.ts'
import type { CommandTarget } from './build-command.ts'
import type { GroupMirror, WorkView } from './group-mirror.ts'
import { newId, timeNow } from './ids.ts'
import type { Receipt } from './refusal.ts'

const FINISHED: ReadonlySet<WorkItemState> = new Set(['verified', 'failed', 'cancelled'])
const LONGEST_SUMMARY = 50_000
const LONGEST_QUESTION = 4_000

/** A stocktaking before its Context Package is signed. */
export interface Stock {
  readonly contextPackage: Omit<ContextPackage, 'signature'>
  readonly workItems: MissionReconcilePayload['workItems']
}

/**
 * Takes stock of a Mission whose log `mirror` has followed from its first Event, and sends it. REVISION_CONFLICT says that
 * something has happened since: call again once the mirror has caught up. Throws RangeError for a mirror without a Mission.
 */
export async function reconcile(client: Pick<AgentClient, 'agentId' | 'identity' | 'submit'>, mirror: GroupMirror, target: CommandTarget = {}): Promise<Receipt> {
  const { contextPackage, workItems } = stockOf(mirror, client.agentId)
  const signed = await client.identity.signDocument(contextPackage, 'generatedAt')
  return client.submit(MISSION_RECONCILE, { contextPackage: signed, workItems }, { ...target, groupId: contextPackage.groupId })
}

/** What the mirror says, in the name of this Agent; a later version of the latest package about the Mission, if there is one. */
export function stockOf(mirror: GroupMirror, agentId: string): Stock {
  const { mission, first, last, missionPackage: previous } = mirror
  if (mission === undefined || first === undefined || last === undefined) throw new RangeError('the mirror has not seen the Mission from its beginning')
  const unfinished = [...mirror.workItems.values()].filter(({ state }) => !FINISHED.has(state))
  const { missionId, groupId } = mission
  const contextPackage = {
    contextPackageId: newId(),
    version: (previous?.version ?? 0) + 1,
    ...(previous && { previousContextPackageId: previous.contextPackageId }),
    missionId,
    groupId,
    sourceEventRange: { fromSequence: first.sequence, toSequence: last.sequence, eventIds: [...new Set([first.eventId, last.eventId])] },
    artifactHashes: [...mirror.artifacts.keys()],
    summary: summaryOf(mirror, mission.objective).slice(0, LONGEST_SUMMARY),
    decisions: [],
    constraints: mission.definitionOfDone.map(({ description }) => description),
    unresolvedQuestions: unfinished.flatMap(questionOf),
    generatedBy: { type: 'agent' as const, id: agentId },
    generatedAt: timeNow(),
  }
  return { contextPackage, workItems: unfinished.map(({ workItemId, revision, state }) => ({ workItemId, revision, state })) }
}

function summaryOf({ title = '', workItems }: GroupMirror, objective: string): string {
  const lines = [...workItems.values()].map(({ state, contract, workItemId }) => `- ${contract?.goal ?? workItemId}: ${state}`)
  return [title, objective, ...lines].join('\n')
}

function questionOf({ blocker, contract, workItemId }: WorkView): string[] {
  if (blocker === undefined) return []
  return [`${contract?.goal ?? workItemId}: ${blocker.reason} ${blocker.unblockCondition}`.slice(0, LONGEST_QUESTION)]
}
