// A mirror out of the state that a snapshot stands for: what of the authority's own form an Agent's mirror has use for (O-6, A-235).
import type { Approval, Artifact, Evidence, Lease, Membership, Mission, Proposal, WorkItem } from '../protocol/generated/types.ts'
import type { GroupMirror, MissionSubmission, WorkView } from './group-mirror.ts'
import type { RestoredGroup } from './restore-group.ts'

/** Maps are lists of pairs there. */
type Pairs<T> = readonly (readonly [string, T])[]

interface KeptWork {
  readonly item: WorkItem
  readonly replacesWorkItemId?: string
  readonly ownershipLease?: Lease
  readonly executionLease?: Lease
  readonly blockedLease?: Lease
  readonly blocker?: WorkView['blocker']
  readonly child?: { readonly missionId: string; readonly state: string }
  readonly preemption?: NonNullable<WorkView['preemption']>
  readonly evidence: readonly Evidence[]
  readonly reason?: string
}

type KeptSubmission = Omit<MissionSubmission, 'missionId' | 'decision'> & { readonly sequence: number; readonly submittedAt: string; readonly outcome: string; readonly approval?: Approval }

interface KeptGroup {
  readonly sequence: number
  readonly title: string
  readonly mission: Mission
  readonly coordinatorLease: Lease
  readonly takeover?: object
  readonly eventIds: readonly string[]
  readonly memberships: Pairs<Membership>
  readonly workItems: Pairs<KeptWork>
  readonly proposals: Pairs<Omit<Proposal, 'missionId' | 'groupId'>>
  readonly artifacts: Pairs<readonly Artifact[]>
  readonly submissions: readonly KeptSubmission[]
}

/** What a mirror holds after the last Event of the snapshot; the text of Context Packages is in no state. */
export type MirrorMembers = Pick<GroupMirror, 'sequence' | 'title' | 'mission' | 'coordinatorLease' | 'first' | 'last' | 'isStocktakingDue' | 'memberships' | 'workItems' | 'proposals' | 'artifacts' | 'submissions'>

/** `restored` was verified when it was fetched: its bytes have the hash that the authority signed. */
export function mirrorMembersOf({ state }: Pick<RestoredGroup, 'state'>): MirrorMembers {
  const kept = JSON.parse(new TextDecoder().decode(state)) as KeptGroup
  const { sequence, title, mission, coordinatorLease, takeover, eventIds } = kept
  const { missionId, groupId } = mission
  return {
    sequence,
    title,
    mission,
    coordinatorLease,
    first: { sequence: 1, eventId: eventIds[0] ?? '' },
    last: { sequence, eventId: eventIds.at(-1) ?? '' },
    isStocktakingDue: takeover !== undefined,
    memberships: new Map(kept.memberships),
    workItems: new Map(kept.workItems.map(([id, work]) => [id, workView(work)])),
    proposals: new Map(kept.proposals.map(([id, proposal]) => [id, { missionId, groupId, ...proposal }])),
    artifacts: new Map(kept.artifacts.flatMap(([hash, known]) => {
      const artifact = known.findLast((each) => each.groupId === groupId) ?? known.at(-1)
      return artifact ? [[hash, artifact] as const] : []
    })),
    submissions: kept.submissions.map((submission) => submissionOf(submission, missionId)),
  }
}

function workView({ item, child, preemption, blocker, evidence, ...kept }: KeptWork): WorkView {
  const { workItemId, state, revision, contract, conversationId, offers = [], owner, progress, submission } = item
  const { replacesWorkItemId, ownershipLease, executionLease, blockedLease, reason } = kept
  return {
    workItemId,
    state,
    revision,
    contract,
    conversationId,
    offers,
    evidence,
    ...(owner && { owner }),
    ...(progress && { progress }),
    ...(submission && { submission }),
    ...(replacesWorkItemId !== undefined && { replacesWorkItemId }),
    ...(ownershipLease && { ownershipLease }),
    ...(executionLease && { executionLease }),
    ...(blockedLease && { blockedLease }),
    ...(blocker && { blocker }),
    ...(child?.state === 'running' && { childMissionId: child.missionId }),
    ...(preemption && { preemption: { reason: preemption.reason, urgency: preemption.urgency } }),
    ...(reason !== undefined && { reason }),
  }
}

function submissionOf({ sequence: _sequence, submittedAt: _at, outcome: _outcome, approval, ...submitted }: KeptSubmission, missionId: string): MissionSubmission {
  return { missionId, ...submitted, ...(approval && { decision: approval }) }
}
