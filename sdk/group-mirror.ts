// What an Agent can know of a Group, folded from the Events that it is shown. A latecomer's mirror has gaps; it says so by absence.
import type {
  Approval,
  Artifact,
  ContextPackage,
  EventDocument,
  EventPayloads,
  Evidence,
  Lease,
  Membership,
  Mission,
  Progress,
  Proposal,
  Submission,
  WorkContract,
  WorkItemState,
  WorkOffer,
  WorkOwner,
} from '../protocol/generated/types.ts'
import type { WORK_EXECUTION_LEASE_EXPIRED, WORK_EXECUTION_LEASE_REVOKED } from '../protocol/kinds.ts'
import type { RestoredGroup } from './restore-group.ts'
import { mirrorMembersOf } from './restored-mirror.ts'

/** Where an Event stands in its log. */
export interface EventPlace {
  readonly sequence: number
  readonly eventId: string
}

/** One WorkItem. Members that the Agent has not been shown are absent. */
export interface WorkView {
  readonly workItemId: string
  readonly state: WorkItemState
  readonly revision: number
  readonly contract?: WorkContract
  readonly conversationId?: string
  readonly replacesWorkItemId?: string
  readonly offers: readonly WorkOffer[]
  readonly owner?: WorkOwner
  /** As granted with the ownership; execution and checkpoints only lengthen it. */
  readonly ownershipLease?: Lease
  readonly executionLease?: Lease
  /** While the item is blocked: how long its owner keeps it, and what it waits for. */
  readonly blockedLease?: Lease
  readonly blocker?: { readonly reason: string; readonly unblockCondition: string }
  /** The child Mission that works on it. */
  readonly childMissionId?: string
  /** The Worker was asked to pause at its next safe point. */
  readonly preemption?: { readonly reason: string; readonly urgency: WorkContract['requestedUrgency'] }
  readonly progress?: Progress
  readonly submission?: Submission
  /** Of the last submission or failure. */
  readonly evidence: readonly Evidence[]
  readonly reason?: string
}

export type MissionSubmission = EventPayloads['mission.submitted_for_approval'] & {
  readonly decision?: Approval
  /** In a child Mission, what the owner of the root Mission signed about it. */
  readonly rootDecision?: Approval
}

type Kind = keyof EventPayloads
type Apply<K extends Kind> = (mirror: GroupMirror, payload: EventPayloads[K], event: EventDocument) => void

/** Raised whenever the shape of a mirror changes, so that nobody goes on with one that lacks something. */
const SAVED_FORM = 2
const MAPS = ['memberships', 'workItems', 'proposals', 'artifacts'] as const

export class GroupMirror {
  /** Sequence of the last Event taken in. */
  sequence = 0
  title: string | undefined
  mission: Mission | undefined
  coordinatorLease: Lease | undefined
  /** The first and the last Event taken in. */
  first: EventPlace | undefined
  last: EventPlace | undefined
  /** The Coordinator was assigned and has not taken stock yet. */
  isStocktakingDue = false
  /** The latest Context Package about the whole Mission. */
  missionPackage: ContextPackage | undefined
  /** By Principal id. */
  readonly memberships = new Map<string, Membership>()
  readonly workItems = new Map<string, WorkView>()
  readonly proposals = new Map<string, Proposal>()
  /** By content hash. */
  readonly artifacts = new Map<string, Artifact>()
  readonly submissions: MissionSubmission[] = []

  /** All of it as text. */
  saved(): string {
    return JSON.stringify({ form: SAVED_FORM, ...this, ...Object.fromEntries(MAPS.map((name) => [name, [...this[name]]])) })
  }

  /** What `saved` gave; undefined where it was another version of this file that gave it. */
  static restored(text: string): GroupMirror | undefined {
    const { form, ...saved } = JSON.parse(text) as { readonly form: number } & Record<(typeof MAPS)[number], [string, unknown][]>
    if (form !== SAVED_FORM) return undefined
    return Object.assign(new GroupMirror(), saved, Object.fromEntries(MAPS.map((name) => [name, new Map(saved[name])])))
  }

  /** Goes on from a snapshot, in place of all that was taken in before it. What a Context Package says is in no snapshot. */
  restore(restored: Pick<RestoredGroup, 'state'>): void {
    Object.assign(this, mirrorMembersOf(restored), { missionPackage: undefined })
  }

  /** Takes in the next Event; one that was taken in before changes nothing. Unknown kinds are passed over. */
  apply(event: EventDocument): void {
    const sequence = event.sequence ?? 0
    if (sequence <= this.sequence) return
    this.sequence = sequence
    this.last = { sequence, eventId: event.eventId }
    this.first ??= this.last
    const apply = APPLY[event.kind as Kind] as Apply<Kind> | undefined
    apply?.(this, event.payload as EventPayloads[Kind], event)
  }

  /** Artifacts that were published for a WorkItem. */
  artifactsOf(workItemId: string): readonly Artifact[] {
    return [...this.artifacts.values()].filter((artifact) => artifact.workItemId === workItemId)
  }

  /** The pending offer of this WorkItem to an Agent. */
  offerTo(agentId: string, workItemId: string): WorkOffer | undefined {
    const offers = this.workItems.get(workItemId)?.offers ?? []
    return offers.find((offer) => offer.agentId === agentId && offer.status === 'pending')
  }

  /** Changes one WorkItem; a member given as undefined is removed. */
  change(workItemId: string, event: EventDocument, changes: { [M in keyof WorkView]?: WorkView[M] | undefined }): void {
    const known = this.workItems.get(workItemId) ?? { workItemId, state: 'open', revision: 0, offers: [], evidence: [] }
    const merged = { ...known, ...changes, revision: event.aggregateRevision ?? known.revision }
    const present = Object.entries(merged).filter(([, value]) => value !== undefined)
    this.workItems.set(workItemId, Object.fromEntries(present) as unknown as WorkView)
  }

  changeMission(changes: Partial<Mission>): void {
    if (this.mission !== undefined) this.mission = { ...this.mission, ...changes }
  }

  /** Work that is added to a Mission or brought to an end makes a new revision of it. */
  reviseMission(): void {
    if (this.mission !== undefined) this.changeMission({ revision: this.mission.revision + 1 })
  }

  /** What came from another Mission does not take the place of the Group's own artifact of the same content. */
  keep(artifact: Artifact, { groupId }: EventDocument): void {
    const known = this.artifacts.get(artifact.contentHash)
    if (artifact.groupId === groupId || known?.groupId !== groupId) this.artifacts.set(artifact.contentHash, artifact)
  }

  /** Notes an answer to the last submission. */
  answer(signed: Pick<MissionSubmission, 'decision' | 'rootDecision'>): void {
    const last = this.submissions.pop()
    if (last !== undefined) this.submissions.push({ ...last, ...signed })
  }
}

const stopped = { executionLease: undefined, preemption: undefined }
const unblocked = { blockedLease: undefined, blocker: undefined }
const unleased = { ownershipLease: undefined, ...stopped, ...unblocked }

const founds: Apply<'mission.created' | 'mission.follow_up.created'> = (mirror, { mission, title, memberships, coordinatorLease }) => {
  Object.assign(mirror, { mission, title, coordinatorLease })
  for (const membership of memberships) mirror.memberships.set(membership.member.id, membership)
}

const executes: Apply<'work.started' | 'work.progressed'> = (mirror, { workItemId, executionLease }, event) =>
  mirror.change(workItemId, event, { state: 'active', executionLease })

const stopsExecuting: Apply<typeof WORK_EXECUTION_LEASE_EXPIRED | typeof WORK_EXECUTION_LEASE_REVOKED> = (mirror, { workItemId }, event) =>
  mirror.change(workItemId, event, { ...stopped, state: 'queued' })

const member: Apply<'membership.changed' | 'membership.ended'> = (mirror, { membership }) =>
  void mirror.memberships.set(membership.member.id, membership)

/** The Event as if it carried the next revision of this WorkItem: that of something else stands in it. */
const next = (mirror: GroupMirror, workItemId: string, event: EventDocument): EventDocument => ({ ...event, aggregateRevision: (mirror.workItems.get(workItemId)?.revision ?? 0) + 1 })

/** Whoever coordinates owns the work that child Missions are busy with. */
function passOnChildren(mirror: GroupMirror, { agentId, agentCardVersion }: Mission['coordinator'], event: EventDocument): void {
  for (const { workItemId, childMissionId, state, owner } of [...mirror.workItems.values()]) {
    if (childMissionId === undefined || state !== 'blocked' || owner === undefined) continue
    const successor = { ...owner, agentId, agentCardVersion, ownershipEpoch: owner.ownershipEpoch + 1, acceptedAt: event.occurredAt }
    mirror.change(workItemId, next(mirror, workItemId, event), { owner: successor })
  }
}

const APPLY: { readonly [K in Kind]?: Apply<K> } = {
  'mission.created': founds,
  'mission.follow_up.created': founds,
  'mission.coordinator.assigned': (mirror, { coordinator, coordinatorLease, previousCoordinatorId }, event) => {
    mirror.changeMission({ coordinator })
    mirror.coordinatorLease = coordinatorLease
    mirror.isStocktakingDue = true
    if (previousCoordinatorId !== coordinator.agentId) passOnChildren(mirror, coordinator, event)
  },
  'ext.countersign.mission.reconciled': (mirror, { contextPackage }) => {
    mirror.isStocktakingDue = false
    mirror.missionPackage = contextPackage
  },
  'ext.countersign.mission.budget_raised': (mirror, { budget }, { aggregateRevision = 0 }) => mirror.changeMission({ budget, revision: aggregateRevision }),
  'ext.countersign.mission.child_budget_raised': (mirror, { workItemId, contract }, event) => mirror.change(workItemId, event, contract ? { contract } : {}),
  'mission.coordinator.renewed': (mirror, { coordinatorLease }) => {
    mirror.coordinatorLease = coordinatorLease
  },
  'mission.submitted_for_approval': (mirror, submission) => {
    mirror.submissions.push(submission)
    mirror.changeMission({ state: 'awaiting_approval', revision: submission.missionRevision })
  },
  'mission.approved': (mirror, { approval }) => {
    mirror.answer({ decision: approval })
    mirror.changeMission({ state: 'approved' })
  },
  'mission.changes_requested': (mirror, { approval, newRevision }) => {
    mirror.answer({ decision: approval })
    mirror.changeMission({ state: 'active', revision: newRevision })
  },
  'ext.countersign.mission.root_decided': (mirror, { approval }) => mirror.answer({ rootDecision: approval }),
  'mission.cancelled': (mirror) => mirror.changeMission({ state: 'cancelled' }),
  'mission.terminated': (mirror) => mirror.changeMission({ state: 'failed' }),
  'mission.child.created': (mirror, { parentWorkItemId, childMissionId, title, owner }, event) => {
    const offers = (mirror.workItems.get(parentWorkItemId)?.offers ?? []).map((offer) => (offer.status === 'pending' ? { ...offer, status: 'withdrawn' as const } : offer))
    const blocker = { reason: `The child Mission “${title}” works on it.`, unblockCondition: 'The child Mission ends.' }
    mirror.change(parentWorkItemId, next(mirror, parentWorkItemId, event), { ...unleased, state: 'blocked', owner, offers, blocker, childMissionId })
    mirror.reviseMission()
  },
  'ext.countersign.mission.child_ended': (mirror, { workItemId, outcome, reason, artifacts }, event) => {
    const isFree = mirror.workItems.get(workItemId)?.state === 'blocked' && outcome !== 'approved'
    const blocker = { reason: `The child Mission ${outcome === 'failed' ? 'failed' : 'was cancelled'}: ${reason}`, unblockCondition: 'The Coordinator unblocks it, offers it again or founds another child Mission.' }
    mirror.change(workItemId, event, { childMissionId: undefined, ...(isFree && { blocker }) })
    for (const artifact of artifacts) mirror.keep(artifact, event)
  },
  'membership.changed': member,
  'membership.ended': member,
  'work.proposed': (mirror, { proposal }) => {
    mirror.proposals.set(proposal.proposalId, proposal)
    mirror.reviseMission()
  },
  'work.authorized': (mirror, { workItem, proposalId, replacesWorkItemId }, event) => {
    const { workItemId, state, contract, conversationId } = workItem
    mirror.change(workItemId, event, { state, contract, conversationId, replacesWorkItemId })
    mirror.reviseMission()
    const proposal = mirror.proposals.get(proposalId ?? '')
    if (proposal !== undefined) mirror.proposals.set(proposal.proposalId, { ...proposal, status: 'authorized' })
  },
  'work.offer.created': (mirror, { workItemId, offers, contract }, event) =>
    mirror.change(workItemId, event, {
      ...unleased,
      state: 'offered',
      owner: undefined,
      offers,
      submission: undefined,
      reason: undefined,
      ...(contract && { contract }),
    }),
  'work.offer.accepted': (mirror, { workItemId, offerId, owner, ownershipLease }, event) => {
    const offers = mirror.workItems.get(workItemId)?.offers ?? []
    const settled = offers.map((offer) => (offer.status === 'declined' ? offer : ({ ...offer, status: offer.offerId === offerId ? 'accepted' : 'lost_race' } as const)))
    mirror.change(workItemId, event, { state: 'queued', offers: settled, owner, ownershipLease })
  },
  'work.started': executes,
  'work.progressed': executes,
  'work.checkpointed': (mirror, { workItemId, progress }, event) =>
    mirror.change(workItemId, event, { ...stopped, state: 'queued', progress }),
  'work.contract.revised': (mirror, { workItemId, contract, state }, event) => {
    mirror.change(workItemId, event, { ...unleased, owner: undefined, state, contract })
    mirror.reviseMission()
  },
  'work.blocked': (mirror, { workItemId, progress, reason, unblockCondition, blockedLease }, event) =>
    mirror.change(workItemId, event, { ...stopped, state: 'blocked', progress, blockedLease, blocker: { reason, unblockCondition } }),
  'work.unblocked': (mirror, { workItemId, state }, event) =>
    mirror.change(workItemId, event, { ...unblocked, state, ...(state === 'open' && { ...unleased, owner: undefined }) }),
  'work.submitted': (mirror, { workItemId, submission, evidence }, event) =>
    mirror.change(workItemId, event, { ...stopped, state: 'submitted', submission, evidence }),
  'work.result.accepted': (mirror, { workItemId }, event) => {
    mirror.change(workItemId, event, { ...unleased, state: 'verified' })
    mirror.reviseMission()
  },
  'work.failed': (mirror, { workItemId, reason, evidence }, event) => {
    mirror.change(workItemId, event, { ...unleased, state: 'failed', reason, evidence })
    mirror.reviseMission()
  },
  'work.cancelled': (mirror, { workItemId, reason }, event) => {
    mirror.change(workItemId, event, { ...unleased, owner: undefined, state: 'cancelled', reason })
    mirror.reviseMission()
  },
  'artifact.published': (mirror, { artifact }, event) => mirror.keep(artifact, event),
  'ext.countersign.artifact.imported': (mirror, { artifact }, event) => mirror.keep(artifact, event),
  'ext.countersign.work.offer_declined': (mirror, { workItemId, offerId, reason }, event) => {
    const offers = mirror.workItems.get(workItemId)?.offers ?? []
    const decline = (offer: WorkOffer): WorkOffer => (offer.offerId === offerId ? { ...offer, status: 'declined', declineReason: reason } : offer)
    mirror.change(workItemId, event, { offers: offers.map(decline) })
  },
  'ext.countersign.work.preemption_requested': (mirror, { workItemId, reason, urgency }, event) =>
    mirror.change(workItemId, event, { preemption: { reason, urgency } }),
  'ext.missionweaveprotocol.core.work_execution_lease_expired': stopsExecuting,
  'ext.missionweaveprotocol.core.work_execution_lease_revoked': stopsExecuting,
}
