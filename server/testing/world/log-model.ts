// What an outsider makes of the Events of a Mission: a second, plainer account of who holds what, kept from the log alone and
// without any of the code that decides or folds. The invariants are judged on it.
import type { Actor, Artifact, Budget, CapabilityRef, Conversation, EventDocument, ExecutionTerms, Lease, Membership, Message, Mission, ResourceGrant, WorkContract, WorkItem, WorkOffer, WorkOwner } from '../../../protocol/generated/types.ts'

export const DIMENSIONS = ['financialLimit', 'modelTokenLimit', 'toolCallLimit', 'computeSecondsLimit', 'wallClockSecondsLimit', 'externalSideEffectLimit'] as const
const USED = { financialLimit: 'financial', modelTokenLimit: 'modelTokens', toolCallLimit: 'toolCalls', computeSecondsLimit: 'computeSeconds', wallClockSecondsLimit: 'wallClockSeconds', externalSideEffectLimit: 'externalSideEffects' } as const
export type Dimension = (typeof DIMENSIONS)[number]

/** Money in millionths, all else as it is. */
const exact = (dimension: Dimension, figure: number): number => (dimension === 'financialLimit' ? Math.round(figure * 1e6) : figure)
export const limitIn = (budget: Budget, dimension: Dimension): number => exact(dimension, budget[dimension] ?? 0)

export interface Account {
  readonly parentId: string | undefined
  limit: Budget
  /** Of a child Mission: what it charges is known when it ends, and is all held for it until then. */
  readonly isChildMission: boolean
  /** Charged to it, in each dimension. */
  readonly direct: Record<Dimension, number>
  isSettled: boolean
  readonly below: Account[]
}

export interface Work {
  readonly id: string
  readonly parentId: string | undefined
  contract: WorkContract
  state: WorkItem['state']
  /** Highest Ownership Epoch that was given to anybody. */
  epoch: number
  owner: { agentId: string; epoch: number; pins: readonly CapabilityRef[] } | undefined
  /** How long the owner keeps it. */
  ownedUntil: string
  execution: Lease | undefined
  blockedUntil: string | undefined
  offers: WorkOffer[]
  terms: ExecutionTerms | undefined
  /** A child Mission works on it. */
  hasChild: boolean
  readonly published: Set<string>
}

export interface MissionModel {
  readonly spaceId: string
  readonly missionId: string
  ownerId: string
  coordinator: Mission['coordinator']
  coordinatorUntil: string
  /** The Coordinator was put in charge of a Mission that another epoch began, and has not taken stock of it. */
  mustTakeStock: boolean
  state: 'active' | 'awaiting_approval' | 'approved' | 'cancelled' | 'failed'
  /** Of a child Mission: whom it answers to besides its owner, and what it may hand on. */
  readonly parent: ParentLink | undefined
  readonly needsRootApproval: boolean
  readonly members: Map<string, Membership>
  readonly work: Map<string, Work>
  readonly accounts: Map<string, Account>
  readonly conversations: Map<string, Conversation>
  readonly messages: Map<string, Message>
  readonly artifacts: Map<string, Artifact[]>
  isArchived: boolean
  submission: { revision: number; artifactHashes: readonly string[] } | undefined
  sequence: number
  lastOccurredAt: string
}

type Payload = Record<string, unknown>

export interface ParentLink {
  readonly groupId: string
  readonly rootOwner: Actor
  readonly allowedResources: readonly ResourceGrant[]
  readonly capabilities: readonly CapabilityRef[]
}

/** The account of a Mission's first Event. */
export function founded(spaceId: string, { payload }: EventDocument): MissionModel {
  const { mission, conversation, memberships, coordinatorLease, parentLink } = payload as { parentLink?: ParentLink; mission: Mission; conversation: Conversation; memberships: Membership[]; coordinatorLease: Lease }
  return {
    spaceId,
    missionId: mission.missionId,
    ownerId: mission.missionOwner.id,
    coordinator: mission.coordinator,
    coordinatorUntil: coordinatorLease.expiresAt,
    mustTakeStock: false,
    state: 'active',
    parent: parentLink,
    needsRootApproval: parentLink !== undefined && mission.approvalPolicy.finalHumanApproval,
    members: new Map(memberships.map((membership) => [membership.member.id, membership])),
    work: new Map(),
    accounts: new Map([[mission.missionId, account(undefined, mission.budget)]]),
    conversations: new Map([[conversation.conversationId, conversation]]),
    messages: new Map(),
    artifacts: new Map(),
    isArchived: false,
    submission: undefined,
    sequence: 1,
    lastOccurredAt: mission.createdAt,
  }
}

const account = (parentId: string | undefined, limit: Budget, isChildMission = false): Account => ({ parentId, limit, isChildMission, direct: { financialLimit: 0, modelTokenLimit: 0, toolCallLimit: 0, computeSecondsLimit: 0, wallClockSecondsLimit: 0, externalSideEffectLimit: 0 }, isSettled: false, below: [] })

function openAccount({ accounts }: MissionModel, id: string, parentId: string, limit: Budget, isChildMission = false): void {
  const opened = account(parentId, limit, isChildMission)
  accounts.set(id, opened)
  accounts.get(parentId)?.below.push(opened)
}

/** What the account above has to keep free for this one. */
export function reservedFor(of: Account, dimension: Dimension): number {
  const limit = limitIn(of.limit, dimension)
  return of.isSettled ? Math.min(limit, of.direct[dimension] + allocatedBelow(of, dimension)) : limit
}
export const allocatedBelow = ({ below }: Account, dimension: Dimension): number => below.reduce((sum, child) => sum + reservedFor(child, dimension), 0)
export const usedBy = ({ direct, below, limit, isChildMission, isSettled }: Account, dimension: Dimension): number =>
  isChildMission && !isSettled ? limitIn(limit, dimension) : below.reduce((sum, child) => sum + usedBy(child, dimension), direct[dimension])

const STEPS: Readonly<Record<string, (model: MissionModel, payload: never, event: EventDocument) => void>> = {
  'mission.coordinator.assigned': (model, { coordinator, coordinatorLease }: { coordinator: Mission['coordinator']; coordinatorLease: Lease }) => {
    if (coordinator.agentId !== model.coordinator.agentId) for (const work of model.work.values()) passOn(work, coordinator.agentId)
    model.coordinator = coordinator
    model.coordinatorUntil = coordinatorLease.expiresAt
    model.mustTakeStock = true
  },
  'ext.countersign.mission.reconciled': (model) => void (model.mustTakeStock = false),
  'ext.countersign.mission.budget_raised': (model, { budget }: { budget: Budget }) => {
    const of = model.accounts.get(model.missionId)
    if (of) of.limit = budget
  },
  'ext.countersign.mission.child_budget_raised': (model, { workItemId, childMissionId, budget, contract }: { workItemId: string; childMissionId: string; budget: Budget; contract?: WorkContract }) => {
    const [of, above] = [model.accounts.get(childMissionId), model.accounts.get(workItemId)]
    if (contract) workIn(model, workItemId).contract = contract
    if (contract && above) above.limit = contract.budget
    if (of) of.limit = budget
  },
  'mission.child.created': (model, { parentWorkItemId, childMissionId, budget, owner }: { parentWorkItemId: string; childMissionId: string; budget: Budget; owner: WorkOwner }) => {
    const work = workIn(model, parentWorkItemId)
    disown(work)
    Object.assign(work, { state: 'blocked', hasChild: true, epoch: owner.ownershipEpoch, owner: { agentId: owner.agentId, epoch: owner.ownershipEpoch, pins: owner.capabilityPins } })
    work.offers = work.offers.map(withdrawn)
    openAccount(model, childMissionId, parentWorkItemId, budget, true)
  },
  'ext.countersign.mission.child_ended': (model, { workItemId, childMissionId, usage, artifacts }: { workItemId: string; childMissionId: string; usage: Payload; artifacts: Artifact[] }) => {
    workIn(model, workItemId).hasChild = false
    charge(model, childMissionId, usage)
    for (const artifact of artifacts) keep(model, artifact)
    const of = model.accounts.get(childMissionId)
    if (of) of.isSettled = true
  },
  'ext.countersign.mission.owner_moved': (model, { missionOwner }: { missionOwner: Actor }) => void (model.ownerId = missionOwner.id),
  'mission.coordinator.renewed': (model, { leaseExpiresAt }: { leaseExpiresAt: string }) => void (model.coordinatorUntil = leaseExpiresAt),
  'mission.submitted_for_approval': (model, { missionRevision, artifactHashes }: { missionRevision: number; artifactHashes: string[] }) => {
    model.state = 'awaiting_approval'
    model.submission = { revision: missionRevision, artifactHashes }
  },
  'mission.approved': (model) => void (model.state = 'approved'),
  'mission.changes_requested': (model) => void (model.state = 'active'),
  'mission.cancelled': (model) => void (model.state = 'cancelled'),
  'mission.terminated': (model) => void (model.state = 'failed'),
  'group.archived': (model) => void (model.isArchived = true),
  'membership.changed': member,
  'membership.ended': member,
  'message.posted': message,
  'message.corrected': message,
  'message.retracted': message,
  'message.redacted': message,
  'ext.countersign.conversation.opened': (model, { conversation }: { conversation: Conversation }) => void model.conversations.set(conversation.conversationId, conversation),
  'work.authorized': authorized,
  'work.offer.created': offered,
  'work.offer.accepted': accepted,
  'work.contract.revised': (model, { workItemId, contract, state }: { workItemId: string; contract: WorkContract; state: Work['state'] }) => {
    const work = workIn(model, workItemId)
    disown(work)
    work.contract = contract
    work.state = state
    const of = model.accounts.get(workItemId)
    if (of) of.limit = contract.budget
  },
  'work.started': executing,
  'work.progressed': executing,
  'work.checkpointed': (model, { workItemId, ownershipLeaseExpiresAt }: { workItemId: string; ownershipLeaseExpiresAt: string }) => rest(workIn(model, workItemId), 'queued', ownershipLeaseExpiresAt),
  'work.blocked': (model, { workItemId, ownershipLeaseExpiresAt, blockedLease }: { workItemId: string; ownershipLeaseExpiresAt: string; blockedLease: Lease }) => {
    rest(workIn(model, workItemId), 'blocked', ownershipLeaseExpiresAt)
    workIn(model, workItemId).blockedUntil = blockedLease.expiresAt
  },
  'work.unblocked': (model, { workItemId, state, ownershipLeaseExpiresAt }: { workItemId: string; state: Work['state']; ownershipLeaseExpiresAt?: string }) => {
    const work = workIn(model, workItemId)
    if (state === 'open') disown(work)
    rest(work, state, ownershipLeaseExpiresAt)
  },
  'ext.missionweaveprotocol.core.work_execution_lease_expired': (model, { workItemId }: { workItemId: string }) => rest(workIn(model, workItemId), 'queued'),
  'ext.missionweaveprotocol.core.work_execution_lease_revoked': (model, { workItemId }: { workItemId: string }) => rest(workIn(model, workItemId), 'queued'),
  'work.submitted': (model, { workItemId }: { workItemId: string }) => rest(workIn(model, workItemId), 'submitted'),
  'work.result.accepted': (model, { workItemId }: { workItemId: string }) => end(model, workItemId, 'verified'),
  'work.failed': (model, { workItemId }: { workItemId: string }) => end(model, workItemId, 'failed'),
  'work.cancelled': (model, { workItemId }: { workItemId: string }) => {
    end(model, workItemId, 'cancelled')
    disown(workIn(model, workItemId))
  },
  'artifact.published': (model, { artifact }: { artifact: Artifact }) => {
    keep(model, artifact)
    workIn(model, artifact.workItemId).published.add(artifact.contentHash)
  },
  'ext.countersign.artifact.imported': (model, { artifact }: { artifact: Artifact }) => keep(model, artifact),
  'approval.execution.granted': (model, { workItemId, terms }: { workItemId: string; terms: ExecutionTerms }) => void (workIn(model, workItemId).terms = terms),
  'ext.countersign.work.offer_declined': (model, { workItemId, offerId }: { workItemId: string; offerId: string }) => {
    const work = workIn(model, workItemId)
    work.offers = work.offers.map((offer) => (offer.offerId === offerId ? { ...offer, status: 'declined' } : offer))
  },
  'ext.missionweaveprotocol.core.resource_usage_recorded': (model, { workItemId, usageDelta }: { workItemId: string; usageDelta: Payload }) => charge(model, workItemId, usageDelta),
}

/** Kinds that change nothing that an invariant is about. */
const SILENT = new Set(['ext.countersign.iap.recorded', 'ext.countersign.mission.root_decided', 'work.proposed', 'membership.delegation.granted', 'policy.cooperation_override.granted', 'group.snapshot.created', 'ext.countersign.work.preemption_requested'])

/** Follows the next Event; throws at a kind that it has never heard of, so that nobody forgets it. */
export function follow(model: MissionModel, event: EventDocument): void {
  const step = STEPS[event.kind]
  if (!step && !SILENT.has(event.kind)) throw new Error(`the model does not know Events of kind ${event.kind}`)
  step?.(model, event.payload as never, event)
  model.sequence = event.sequence ?? 0
  model.lastOccurredAt = event.occurredAt
}

export function workIn(model: MissionModel, workItemId: string): Work {
  const work = model.work.get(workItemId)
  if (!work) throw new Error(`an Event is about the work ${workItemId}, of which the log knows nothing`)
  return work
}

function charge({ accounts }: MissionModel, id: string, usage: Payload): void {
  const of = accounts.get(id)
  for (const dimension of DIMENSIONS) if (of) of.direct[dimension] += exact(dimension, Number(usage[USED[dimension]] ?? 0))
}

function keep({ artifacts }: MissionModel, artifact: Artifact): void {
  artifacts.set(artifact.contentHash, [...(artifacts.get(artifact.contentHash) ?? []), artifact])
}

/** Whoever coordinates a Mission owns the work that its child Missions are busy with. */
function passOn(work: Work, agentId: string): void {
  if (!work.hasChild || work.state !== 'blocked' || !work.owner) return
  work.epoch += 1
  work.owner = { ...work.owner, agentId, epoch: work.epoch }
}

const withdrawn = (offer: WorkOffer): WorkOffer => (offer.status === 'pending' ? { ...offer, status: 'withdrawn' } : offer)

function member(model: MissionModel, { membership }: { membership: Membership }): void {
  model.members.set(membership.member.id, membership)
}

function message(model: MissionModel, { message: posted }: { message: Message }): void {
  model.messages.set(posted.messageId, posted)
}

function authorized(model: MissionModel, { workItem, parentWorkItemId, conversation }: { workItem: WorkItem; parentWorkItemId?: string; conversation: Conversation }): void {
  const { workItemId, contract } = workItem
  const nothing = { owner: undefined, ownedUntil: '', execution: undefined, blockedUntil: undefined, offers: [], terms: undefined, hasChild: false }
  model.work.set(workItemId, { id: workItemId, parentId: parentWorkItemId, contract, state: 'open', epoch: 0, ...nothing, published: new Set() })
  model.conversations.set(conversation.conversationId, conversation)
  openAccount(model, workItemId, parentWorkItemId ?? model.missionId, contract.budget)
}

function offered(model: MissionModel, { workItemId, offers, contract }: { workItemId: string; offers: WorkOffer[]; contract?: WorkContract }): void {
  const work = workIn(model, workItemId)
  const of = model.accounts.get(workItemId)
  disown(work)
  work.contract = contract ?? work.contract
  if (of) Object.assign(of, { limit: work.contract.budget, isSettled: false })
  work.state = 'offered'
  work.offers = offers
}

function accepted(model: MissionModel, { workItemId, offerId, owner, ownershipLease }: { workItemId: string; offerId: string; owner: WorkOwner; ownershipLease: Lease }): void {
  const work = workIn(model, workItemId)
  work.owner = { agentId: owner.agentId, epoch: owner.ownershipEpoch, pins: owner.capabilityPins }
  work.epoch = owner.ownershipEpoch
  work.ownedUntil = ownershipLease.expiresAt
  work.state = 'queued'
  work.offers = work.offers.map((offer) => ({ ...offer, status: offer.offerId === offerId ? 'accepted' : offer.status === 'declined' ? 'declined' : 'lost_race' }))
}

function executing(model: MissionModel, { workItemId, executionLease }: { workItemId: string; executionLease: Lease }): void {
  const work = workIn(model, workItemId)
  work.state = 'active'
  work.execution = executionLease
  if (executionLease.expiresAt > work.ownedUntil) work.ownedUntil = executionLease.expiresAt
}

function rest(work: Work, state: Work['state'], ownedUntil = ''): void {
  work.state = state
  work.execution = undefined
  work.blockedUntil = undefined
  if (ownedUntil > work.ownedUntil) work.ownedUntil = ownedUntil
}

function end(model: MissionModel, workItemId: string, state: Work['state']): void {
  const work = workIn(model, workItemId)
  rest(work, state)
  work.ownedUntil = ''
  work.offers = work.offers.map(withdrawn)
  const of = model.accounts.get(workItemId)
  if (of) of.isSettled = true
}

function disown(work: Work): void {
  work.owner = undefined
  work.execution = undefined
  work.blockedUntil = undefined
  work.ownedUntil = ''
}
