// The thirteen invariants, each as a question to one more Event, given what the log said before it. Fences of
// Memberships and Coordinators and the growth of budgets are asked along with them. An answer says what is wrong.
import type { Actor, Approval, Artifact, Budget, Command, Evidence, EventDocument, ExecutionTerms, Lease, Message, Mission, ResourceGrant, WorkContract, WorkItem, WorkOffer, WorkOwner } from '../../../protocol/generated/types.ts'
import type { MissionModel, Work } from './log-model.ts'
import { allocatedBelow, DIMENSIONS, limitIn, usedBy, workIn } from './log-model.ts'

/** One Event of a Mission and what was known when it came. */
export interface Seen {
  readonly spaceId: string
  readonly event: EventDocument
  /** The Command that it answers, as it was sent. */
  readonly command: Command | undefined
  /** Before the Event; absent for the first one of a Space. */
  readonly model: MissionModel | undefined
  readonly world: WorldFacts
}

/** What is true of all Missions together. */
export interface WorldFacts {
  readonly sessionEpochs: ReadonlyMap<string, number>
  /** `id@version` of every capability on the Agent's current card. */
  readonly capabilities: ReadonlyMap<string, ReadonlySet<string>>
  /** Space of every Mission. */
  readonly spaceOfMission: ReadonlyMap<string, string>
  /** Kind and Space of every Event so far. */
  readonly events: ReadonlyMap<string, { readonly kind: string; readonly spaceId: string }>
  /** What each Space has of the others, by its id. */
  readonly models: ReadonlyMap<string, MissionModel>
  /** Place of the Event that answered an Action ID of an actor. */
  readonly answered: ReadonlyMap<string, string>
}

type Invariant = (seen: Seen) => string | false | undefined

interface Payload {
  readonly mission: Mission
  readonly message: Message
  readonly artifact: Artifact
  readonly approval: Approval
  readonly workItem: WorkItem
  readonly evidence: readonly Evidence[]
  readonly offers: readonly WorkOffer[]
  readonly owner: WorkOwner
  readonly terms: ExecutionTerms
  readonly executionLease: Lease
  readonly offerId: string
  readonly workItemId: string
  readonly ownershipEpoch: number
  readonly submission: { readonly artifactHashes: readonly string[] }
  readonly [member: string]: unknown
}
const payloadOf = ({ event }: Seen): Payload => event.payload as unknown as Payload

const FOUNDING = new Set(['mission.created', 'mission.follow_up.created'])
const TALK = new Set(['message.posted', 'message.corrected', 'message.retracted', 'message.redacted', 'work.proposed'])
const TALK_COMMANDS = new Set(['message.post', 'message.correct', 'message.retract', 'message.redact', 'work.propose'])
/** What time or another log may bring about without a Command of this Group. */
const BY_TIMER = new Set(['ext.missionweaveprotocol.core.work_execution_lease_expired', 'work.unblocked', 'membership.ended'])
const REVOKED = 'ext.missionweaveprotocol.core.work_execution_lease_revoked'
/** What a candidate may do before it belongs to the Group. */
const ANSWERS = new Set(['work.accept_offer', 'ext.countersign.work.offer_decline'])
/** What an Event of a parent or child Mission may bring about, and which ones do. */
const REACTIONS = new Set(['mission.created', 'ext.countersign.mission.child_ended', 'ext.countersign.mission.owner_moved', 'ext.countersign.mission.budget_raised', 'work.result.accepted', 'work.failed', 'work.cancelled', 'mission.cancelled', 'mission.terminated', 'membership.ended', 'membership.changed'])
const CALLS = new Set(['mission.child.created', 'ext.countersign.mission.child_budget_raised', 'mission.approved', 'mission.cancelled', 'mission.terminated', 'work.cancelled', 'work.failed', 'mission.coordinator.assigned'])
/** What a Worker does under its Execution Lease. */
const UNDER_LEASE = new Set(['work.progressed', 'work.checkpointed', 'work.blocked', 'work.submitted', 'artifact.published', 'ext.missionweaveprotocol.core.resource_usage_recorded'])

const isSame = (a: Actor, b: Actor): boolean => a.type === b.type && a.id === b.id
const isSameSet = (a: readonly string[], b: readonly string[]): boolean => a.length === b.length && a.every((member) => b.includes(member))

/** A Mission and its Group are one-to-one. */
const oneGroup: Invariant = ({ spaceId, event, model, world }) => {
  if (event.groupId !== spaceId) return 'an Event names another Group than its Space'
  const isFounding = FOUNDING.has(event.kind)
  if (isFounding !== (model === undefined)) return isFounding ? 'a Group is founded twice' : 'a Group begins without its Mission'
  if (!isFounding) return undefined
  const { missionId, groupId } = (event.payload as { mission: Mission }).mission
  return (groupId !== spaceId && 'a Mission has another Group than its Space') || (world.spaceOfMission.has(missionId) && 'a Mission has two Groups')
}

/** Talk says of itself that it has no authority, and nothing but talk comes of it. */
const talkIsTalk: Invariant = (seen) => {
  const { event, command, world, spaceId } = seen
  if (event.kind.startsWith('message.') && payloadOf(seen).message.authority !== false) return 'a Message claims authority'
  const { cause } = event
  if (cause.type === 'command') return !command ? 'nobody sent the Command of this Event' : TALK_COMMANDS.has(command.kind) !== TALK.has(event.kind) && `${command.kind} led to ${event.kind}`
  if (cause.type === 'timer') return !BY_TIMER.has(event.kind) && `a timer led to ${event.kind}`
  if (cause.type === 'policy') return event.kind !== 'membership.ended' && `policy led to ${event.kind}`
  if (isBuffered(seen)) return undefined
  // Sessions are in another log, and a snapshot comes after whatever was last.
  if (event.kind === REVOKED || event.kind === 'group.snapshot.created') return undefined
  const source = world.events.get(cause.id)
  if (source && source.spaceId !== spaceId) return !(REACTIONS.has(event.kind) && CALLS.has(source.kind)) && `${source.kind} of another Group led to ${event.kind}`
  return (source?.spaceId !== spaceId || TALK.has(source.kind)) && `${event.kind} comes from ${source?.kind ?? 'nothing'}`
}

/** Work starts and goes on under an accepted offer, the current Ownership Epoch, a live lease and the Approval that its contract asks for. */
const consequencesAreCovered: Invariant = (seen) => {
  const { event, model } = seen
  if (!model) return undefined
  if (event.kind === 'work.started') return uncoveredStart(seen, workIn(model, payloadOf(seen).workItemId), model)
  if (event.kind === 'work.offer.accepted') return uncoveredAcceptance(seen, workIn(model, payloadOf(seen).workItemId))
  const isOwnFailure = event.kind === 'work.failed' && seen.command?.payload.executionLeaseId !== undefined && event.actor.id !== model.coordinator.agentId
  if (!UNDER_LEASE.has(event.kind) && !isOwnFailure) return undefined
  if (isBuffered(seen)) return bufferedTooLong(seen)
  return uncoveredExecution(seen, workIn(model, payloadOf(seen).artifact?.workItemId ?? payloadOf(seen).workItemId))
}

/** Use of resources that was noted while the Worker was cut off, and is charged with what it sends once it is back. */
const isBuffered = (seen: Seen): boolean => payloadOf(seen).offlineReconciliation !== undefined

function bufferedTooLong(seen: Seen): string | false {
  const { bufferedAt, graceDeadline } = payloadOf(seen).offlineReconciliation as { bufferedAt: string; graceDeadline: string }
  return bufferedAt > graceDeadline && 'work went on for longer than a Worker may be cut off'
}

function uncoveredAcceptance(seen: Seen, { offers, state, contract }: Work): string | false {
  const { event, world } = seen
  const { offerId, owner } = payloadOf(seen)
  const offer = offers.find((made) => made.offerId === offerId)
  if (state !== 'offered' || offer?.agentId !== event.actor.id || offer.status !== 'pending') return 'work was taken without an offer'
  if (offer.expiresAt <= event.occurredAt) return 'work was taken after its offer had expired'
  const held = world.capabilities.get(event.actor.id)
  if (owner.capabilityPins.length !== contract.requiredCapabilities.length) return 'work was taken without the capabilities that it requires'
  return !owner.capabilityPins.every(({ id, version }) => held?.has(`${id}@${version}`)) && 'work was taken with capabilities that are not on the card'
}

function uncoveredStart(seen: Seen, { owner, ownedUntil, state, contract, terms }: Work, { work, state: missionState }: MissionModel): string | false {
  const { event, command } = seen
  const now = event.occurredAt
  if (state !== 'queued' || missionState !== 'active') return `work started while ${state} in a Mission ${missionState}`
  if (owner?.agentId !== event.actor.id || owner.epoch !== payloadOf(seen).ownershipEpoch) return 'work was started by somebody who does not own it'
  if (ownedUntil <= now) return 'work was started after ownership had lapsed'
  const { executionLease } = payloadOf(seen)
  if (executionLease.sessionEpoch !== command?.sessionEpoch || executionLease.holderAgentId !== event.actor.id) return 'an Execution Lease is bound to another Session'
  if (contract.dependencyWorkItemIds.some((id) => work.get(id)?.state !== 'verified')) return 'work started before what it depends on'
  if (contract.executionApproval === 'not_required') return false
  const isOpen = terms?.ownershipEpoch === owner.epoch && terms.contractVersion === contract.contractVersion && terms.expiresAt > now
  return !isOpen && 'dangerous work started without its Approval'
}

function uncoveredExecution({ event, command }: Seen, { owner, ownedUntil, state, execution }: Work): string | false {
  const cited = (command?.payload ?? {}) as { executionLeaseId?: string; ownershipEpoch?: number }
  if (state !== 'active' || !execution) return `${event.kind} of work that does not execute`
  if (owner?.agentId !== event.actor.id || cited.ownershipEpoch !== owner.epoch) return `${event.kind} by somebody who does not own the work`
  if (cited.executionLeaseId !== execution.leaseId || execution.expiresAt <= event.occurredAt) return `${event.kind} without a live Execution Lease`
  return (ownedUntil <= event.occurredAt && `${event.kind} after ownership had lapsed`) || (execution.sessionEpoch !== command?.sessionEpoch && `${event.kind} under the lease of another Session`)
}

/** An Agent acts in its current Session alone. */
const oneRuntime: Invariant = ({ event, command, world }) =>
  command?.actor.type === 'agent' && command.sessionEpoch !== world.sessionEpochs.get(command.actor.id) && `${event.kind} out of an old Session`

/** At most one Agent owns work, and nobody comes back at an epoch of the past. */
const oneOwner: Invariant = (seen) => {
  const { event, model } = seen
  if (event.kind === 'work.offer.accepted' && model) {
    const { epoch, owner } = workIn(model, payloadOf(seen).workItemId)
    return (owner !== undefined && 'two Agents own one WorkItem') || (payloadOf(seen).owner.ownershipEpoch <= epoch && 'an Ownership Epoch came back')
  }
  if (event.kind !== 'work.offer.created' || !model) return undefined
  const { owner, ownedUntil, blockedUntil, state, hasChild } = workIn(model, payloadOf(seen).workItemId)
  if (hasChild) return 'work was offered while a child Mission is busy with it'
  const until = state === 'blocked' ? (blockedUntil ?? '') : ownedUntil
  return owner !== undefined && until > event.occurredAt && 'work was offered while an Agent owns it'
}

/** What is said later about a Message never takes its place, and an archive is the end. */
const nothingIsRewritten: Invariant = (seen) => {
  if (seen.model?.isArchived) return 'an Event follows the archive of its Group'
  if (!seen.event.kind.startsWith('message.')) return undefined
  const { messageId } = payloadOf(seen).message
  return seen.model?.messages.has(messageId) === true && 'a Message has been committed twice'
}

/** One Event after the other, in each Group for itself, and time never runs back there. */
const oneOrder: Invariant = ({ event, model }) => {
  if (event.sequence !== (model?.sequence ?? 0) + 1) return `Event ${event.sequence} follows ${model?.sequence ?? 0}`
  return model !== undefined && event.occurredAt < model.lastOccurredAt && 'time runs back'
}

/** A transition is there once, whatever came twice. */
const onceOnly: Invariant = ({ event, world }) => {
  if (world.events.has(event.eventId)) return 'an Event is there twice'
  const { cause, actor } = event
  return cause.type === 'command' && world.answered.has(`${actor.id} ${cause.id}`) && event.commandHash !== undefined && 'an Action ID has two Events'
}

/** What a Group records is its own, and what it builds on is known there. */
const nothingFromElsewhere: Invariant = (seen) => {
  const { spaceId, model } = seen
  if (!model) return undefined
  if (seen.event.kind === 'ext.countersign.mission.child_ended') return undisclosed(seen)
  if (seen.event.kind === 'ext.countersign.artifact.imported') return broughtIn(seen)
  for (const member of ['message', 'artifact', 'approval', 'workItem', 'membership', 'delegationGrant', 'conversation', 'cooperationOverrideGrant', 'executionLease'] as const) {
    const document = payloadOf(seen)[member] as { groupId?: string; missionId?: string } | undefined
    if (document && (document.groupId !== spaceId || document.missionId !== model.missionId)) return `the ${member} belongs to another Group`
  }
  const sources = seen.event.kind === 'artifact.published' ? payloadOf(seen).artifact.sourceArtifactHashes : []
  return sources.some((hash) => !model.artifacts.has(hash)) && 'an artifact was made of something that the Group does not know'
}

/** What leaves a child Mission is what was approved there. */
function undisclosed(seen: Seen): string | false {
  const { artifacts, approval } = payloadOf(seen) as Payload & { artifacts: readonly Artifact[]; approval?: Approval }
  return !artifacts.every(({ contentHash }) => approval?.artifactHashes.includes(contentHash)) && 'a child Mission disclosed more than was approved'
}

/** What comes from another Group was published and approved there, and brought by somebody who had to do with it. The two logs have no common order, so what people were there is judged by whether they ever were. */
function broughtIn(seen: Seen): string | false {
  const { event, model, world } = seen
  const { artifact, approval, sourceGroupId, sourceEventId } = payloadOf(seen) as Payload & { approval?: Approval; sourceGroupId: string; sourceEventId: string }
  const source = world.models.get(sourceGroupId)
  if (!source?.artifacts.get(artifact.contentHash)?.some(({ artifactId }) => artifactId === artifact.artifactId)) return 'an artifact was brought in that its Group does not know'
  const isAbove = model?.parent?.groupId === sourceGroupId
  const approvedBy = world.events.get(sourceEventId)
  const isApproved = approvedBy?.kind === 'mission.approved' && approval?.artifactHashes.includes(artifact.contentHash) === true
  if (approvedBy?.spaceId !== sourceGroupId || !(isApproved || (isAbove && approvedBy.kind === 'work.result.accepted'))) return 'an artifact was brought in that was not approved'
  if (!source.members.has(event.actor.id)) return 'an artifact was brought in by somebody who never belonged to its Group'
  const isConfidential = artifact.classification === 'confidential' || artifact.classification === 'restricted'
  return isConfidential && !isAbove && source.ownerId !== event.actor.id && 'a confidential artifact was brought in by somebody else than its owner'
}

/** The owner's own Approval of what was submitted, revision and artifacts, is what completes a Mission. */
const ownerApproves: Invariant = (seen) => {
  const { event, model, command } = seen
  if (event.kind !== 'mission.approved' || !model) return undefined
  const { approval } = payloadOf(seen)
  const { submission, ownerId, state, parent, needsRootApproval } = model
  const isPerson = event.actor.type === 'human' || parent !== undefined
  if (event.actor.id !== ownerId || !isPerson || event.actor.id === model.coordinator.agentId || !isSame(approval.approver, event.actor) || command?.kind !== 'mission.approve') return 'a Mission was approved by somebody else than its owner'
  if (state !== 'awaiting_approval' || !submission) return 'a Mission was approved that was not submitted'
  if (approval.decision !== 'approved' || approval.kind !== (parent ? 'child_mission' : 'mission_final') || approval.missionId !== model.missionId) return 'a Mission was approved with an Approval of something else'
  const { rootApproval } = payloadOf(seen) as Payload & { rootApproval?: Approval }
  if (needsRootApproval && !(rootApproval && parent && isSame(rootApproval.approver, parent.rootOwner))) return 'the root owner has not approved a child Mission that needs it'
  const isOther = ({ missionRevision, artifactHashes }: Approval): boolean => missionRevision !== submission.revision || !isSameSet(artifactHashes, submission.artifactHashes)
  return [approval, ...(rootApproval ? [rootApproval] : [])].some(isOther) && 'another revision was approved than the one submitted'
}

/** Permissions only shrink on the way down; money is counted once the Event has been followed (see `overspent`). */
const permissionsShrink: Invariant = (seen) => {
  const { event, model } = seen
  const { workItem, parentWorkItemId } = payloadOf(seen) as Payload & { parentWorkItemId?: string }
  if (event.kind !== 'work.authorized' || !model) return undefined
  const { parent } = model
  if (parent && !covers(parent.allowedResources, workItem.contract)) return 'work may do more than its Mission'
  if (parent && !workItem.contract.requiredCapabilities.every(({ id }) => parent.capabilities.some((allowed) => allowed.id === id))) return 'work asks for more capabilities than its Mission has'
  return parentWorkItemId !== undefined && !covers(workIn(model, parentWorkItemId).contract.allowedResources, workItem.contract) && 'work may do more than the work above it'
}

function covers(outer: readonly ResourceGrant[], { allowedResources: inner }: WorkContract): boolean {
  const allows = ({ resource, operations }: ResourceGrant): boolean => {
    const granted = outer.filter((grant) => grant.resource === resource).flatMap((grant) => grant.operations)
    return operations.every((operation) => granted.includes(operation))
  }
  return inner.every(allows)
}

/** Messages stand in a Conversation of the Group, and those of a closed circle come from it, the owner or the Coordinator. */
const talkIsRecorded: Invariant = (seen) => {
  const { event, model } = seen
  if (!event.kind.startsWith('message.') || !model) return undefined
  const { message } = payloadOf(seen)
  const conversation = model.conversations.get(message.conversationId)
  if (!conversation || event.conversationId !== message.conversationId) return 'a Message stands outside of the Group’s Conversations'
  if (event.kind !== 'message.posted' || conversation.access.members === undefined) return undefined
  const circle = [...conversation.access.members.map(({ id }) => id), model.ownerId, model.coordinator.agentId]
  return !circle.includes(event.actor.id) && 'somebody spoke in a circle that is closed to them'
}

/** An audit finds what it needs, and nothing that an Agent keeps to itself. */
const auditable: Invariant = (seen) => {
  const { event } = seen
  const { evidence, submission, reason, offers, selectionBasis } = payloadOf(seen)
  if (event.kind === 'work.submitted' && (evidence.length === 0 || submission.artifactHashes.length === 0)) return 'work was handed in without evidence'
  if (event.kind === 'work.result.accepted' && evidence.length === 0 && payloadOf(seen).childApprovalId === undefined) return 'a result was accepted without evidence'
  if ((event.kind === 'work.failed' || event.kind === 'work.blocked' || event.kind === 'work.cancelled') && !reason) return 'work stopped without a reason'
  if (event.kind === 'work.offer.created' && (offers.length === 0 || !selectionBasis)) return 'work was offered without saying why to whom'
  return ['prompt', 'reasoning', 'memory', 'chainOfThought'].some((word) => word in payloadOf(seen)) && 'an Event discloses what an Agent keeps to itself'
}

/** A Membership that has changed or ended admits nothing. */
const currentMembership: Invariant = ({ command, model, event }) => {
  if (!command || !model || command.actor.type === 'service') return undefined
  const membership = model.members.get(command.actor.id)
  const isStanding = membership?.state === 'active' || (membership?.state === 'provisional' && ANSWERS.has(command.kind))
  return (!isStanding || membership.membershipEpoch !== command.membershipEpoch) && `${event.kind} by somebody who is no member at that epoch`
}

/** Only the Coordinator of this very epoch does what takes a Coordinator. */
const currentCoordinator: Invariant = ({ command, model, event }) => {
  if (!command || !model) return undefined
  const { agentId, coordinatorEpoch } = model.coordinator
  if (command.coordinatorEpoch !== undefined && command.coordinatorEpoch !== coordinatorEpoch) return `${event.kind} at an old Coordinator Epoch`
  if (!['mission.submitted_for_approval', 'work.result.accepted', 'membership.delegation.granted', 'mission.coordinator.renewed', 'ext.countersign.mission.reconciled'].includes(event.kind)) return undefined
  return (command.actor.id !== agentId && `${event.kind} by somebody who does not coordinate`) || (model.coordinatorUntil <= event.occurredAt && `${event.kind} after the Coordinator lease had run out`)
}

const ASSIGNS = new Set(['work.authorized', 'work.offer.created', 'mission.child.created', 'membership.delegation.granted'])

/** A new Coordinator assigns nothing before it has said how all unfinished work stands. */
const stockIsTaken: Invariant = (seen) => {
  const { event, model } = seen
  if (!model) return undefined
  if (event.kind !== 'ext.countersign.mission.reconciled') return model.mustTakeStock && ASSIGNS.has(event.kind) && event.actor.id === model.coordinator.agentId && `${event.kind} by a Coordinator that has not taken stock`
  const { workItems } = payloadOf(seen) as Payload & { workItems: readonly { readonly workItemId: string; readonly state: string }[] }
  const unfinished = [...model.work.values()].filter(({ state }) => state !== 'verified' && state !== 'failed' && state !== 'cancelled')
  return !isSameSet(workItems.map(({ workItemId, state }) => `${workItemId} ${state}`), unfinished.map(({ id, state }) => `${id} ${state}`)) && 'a stocktaking says something else than the log'
}

/** What a Mission may use only ever grows, by its owner's hand. */
const budgetsGrow: Invariant = (seen) => {
  const { event, model } = seen
  if (event.kind !== 'ext.countersign.mission.budget_raised' || !model) return undefined
  const { budget } = payloadOf(seen) as Payload & { budget: Budget }
  const present = model.accounts.get(model.missionId)?.limit ?? {}
  const isFromAbove = model.parent !== undefined && seen.world.events.get(event.cause.id)?.kind === 'ext.countersign.mission.child_budget_raised'
  if (!isFromAbove && (event.actor.id !== model.ownerId || event.actor.type !== 'human')) return 'a budget was raised by somebody else than the owner'
  return DIMENSIONS.some((dimension) => limitIn(budget, dimension) < limitIn(present, dimension)) && 'a budget was lowered'
}

/** By the rule that each one proves. */
export const INVARIANTS: Readonly<Record<string, Invariant>> = {
  'A-15': oneGroup,
  'A-21': oneOrder,
  'A-22': onceOnly,
  'A-16': talkIsTalk,
  'A-39': currentMembership,
  'A-40': currentCoordinator,
  'A-121': stockIsTaken,
  'A-197': budgetsGrow,
  'A-17': consequencesAreCovered,
  'A-18': oneRuntime,
  'A-19': oneOwner,
  'A-20': nothingIsRewritten,
  'A-23': nothingFromElsewhere,
  'A-24': ownerApproves,
  'A-25': permissionsShrink,
  'A-26': talkIsRecorded,
  'A-27': auditable,
}

const MOVES_MONEY = new Set(['ext.countersign.mission.child_budget_raised', 'work.authorized', 'work.offer.created', 'work.contract.revised', 'ext.missionweaveprotocol.core.resource_usage_recorded', 'mission.child.created', 'ext.countersign.mission.child_ended'])

/** A-25, in each of the six dimensions: no account has more handed on or used than it has, and none in use has more than the one above. `model` is after the Event. */
export function overspent({ kind, payload }: EventDocument, model: MissionModel): string | undefined {
  if (!MOVES_MONEY.has(kind)) return undefined
  const { workItemId, workItem, childMissionId } = payload as unknown as Payload & { childMissionId?: string }
  for (let at: string | undefined = childMissionId ?? workItem?.workItemId ?? workItemId; at !== undefined; at = model.accounts.get(at)?.parentId) {
    const account = model.accounts.get(at)
    if (!account) return 'work has no account'
    const above = account.parentId === undefined ? undefined : model.accounts.get(account.parentId)
    for (const dimension of DIMENSIONS) {
      const limit = limitIn(account.limit, dimension)
      if (allocatedBelow(account, dimension) > limit) return `more ${dimension} is handed on than there is`
      if (usedBy(account, dimension) > limit) return `more ${dimension} is used than there is`
      if (above && !account.isSettled && limit > limitIn(above.limit, dimension)) return `there is more ${dimension} than above`
    }
    // Where there is no money above, none of it in any currency is left here: that was judged with the amounts.
    const isMoney = account.limit.financialLimit !== undefined && above?.limit.financialLimit !== undefined
    if (isMoney && !account.isSettled && account.limit.currency !== above.limit.currency) return 'money changed its currency'
  }
  return undefined
}
