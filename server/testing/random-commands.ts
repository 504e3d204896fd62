// A stream of Commands that peers might send: mostly sensible for the state at hand, often wrong in one respect.
import type { Actor, CommandPayloads, ContextPackage, Extensions, Usage, WorkItemState } from '../../protocol/generated/types.ts'
import { executionConditions } from '../../protocol/execution-terms.ts'
import { ARTIFACT_IMPORT, GROUP_ARCHIVE, IAP_RECORD, MISSION_BUDGET_RAISE, MISSION_CHILD_BUDGET_RAISE, MISSION_RECONCILE, MISSION_ROOT_DECIDE } from '../../protocol/kinds.ts'
import { offlineExecution } from '../../protocol/offline-execution.ts'
import { addSeconds } from '../../protocol/timestamp.ts'
import { limitsOf, NOTHING } from '../authority/amounts.ts'
import { recordIdOf } from '../authority/negotiation.ts'
import type { Reaction } from '../authority/reactions.ts'
import type { VerifiedCommand, WorkRecord } from '../authority/types.ts'
import { ada, ben, CAPABILITY, cora, dora, groupAuthority, hashOf, nils, nora, otto, registry, router, urnOf, wanda, wim } from './cast.ts'
import { approvalOf, archivalSnapshot, artifactOf, evidenceOf, missionPayload, packageOf, progress, selectionBasis, workContract } from './documents.ts'
import type { CommandChanges, GroupFixture } from './group-fixture.ts'
import { childPayload } from './mission-tree.ts'
import type { RandomSource } from './random-source.ts'
import { CEILINGS, standingOf } from './work-scenario.ts'

/** What the Commands are invented on. */
export type RandomGroup = Pick<GroupFixture, 'state' | 'now' | 'log' | 'command' | 'elsewhere'>

interface Intent<K extends keyof CommandPayloads = keyof CommandPayloads> {
  readonly actor: Actor
  readonly kind: K
  readonly payload: CommandPayloads[K]
  readonly changes?: CommandChanges
}

type Idea = (group: RandomGroup, random: RandomSource, fresh: string) => Intent | undefined

const intent = <K extends keyof CommandPayloads>(actor: Actor, kind: K, payload: CommandPayloads[K]): Intent => ({ actor, kind, payload }) as unknown as Intent

const RENEW = 'ext.missionweaveprotocol.core.work_execution_lease_renew'
const CHARGE = 'ext.missionweaveprotocol.core.resource_usage_record'
const members = [ada, ben, cora, wim, wanda, dora]
const everybody = [...members, otto, groupAuthority]

function work(group: RandomGroup, random: RandomSource, ...states: readonly WorkItemState[]): WorkRecord | undefined {
  const records = [...group.state.workItems.values()]
  const fitting = states.length > 0 ? records.filter(({ item }) => states.includes(item.state)) : records
  return random.oneOf(fitting)
}

const ownerOf = ({ item }: WorkRecord): Actor => [wanda, nora, nils].find(({ id }) => id === item.owner?.agentId) ?? wim
const coordinatorOf = ({ state }: RandomGroup): Actor => ({ type: 'agent', id: state.mission.coordinator.agentId })
const place = (group: RandomGroup, { item }: WorkRecord) => ({ state: group.state, workItemId: item.workItemId, now: group.now })
const cited = ({ item, ownershipEpoch, executionLease }: WorkRecord) => ({ workItemId: item.workItemId, ownershipEpoch: Math.max(1, ownershipEpoch), executionLeaseId: executionLease?.leaseId ?? urnOf('no lease') })
const publishedBy = (group: RandomGroup, { item }: WorkRecord) => [...group.state.artifacts.values()].flat().filter(({ workItemId }) => workItemId === item.workItemId)

/** A contract below `parent`, if there is one, sometimes with dependencies and a gate. */
function contract(group: RandomGroup, random: RandomSource, contractVersion: number) {
  const dependency = random.chance(0.3) ? work(group, random) : undefined
  const budget = random.chance(0.2) ? { modelTokenLimit: 1 + random.below(600) } : { currency: 'EUR', financialLimit: random.below(30), modelTokenLimit: random.below(200) }
  const gated = random.chance(0.1) ? { executionApproval: 'human_required' as const } : {}
  return workContract({ contractVersion, goal: `Goal ${random.below(1e6)}`, budget, dependencyWorkItemIds: dependency ? [dependency.item.workItemId] : [], ...gated })
}

/** A binding of progress to a lease that is held or has ended. */
function bufferedUnder(group: RandomGroup, random: RandomSource, record: WorkRecord): Extensions {
  const lease = random.oneOf([record.executionLease, ...(record.closedExecutions ?? []).map((closed) => closed.lease)].filter((held) => held !== undefined))
  const { startsAt, expiresAt, sessionEpoch } = lease ?? { startsAt: group.now, expiresAt: addSeconds(group.now, 60), sessionEpoch: 1 }
  return offlineExecution({
    agentId: ownerOf(record).id,
    groupId: group.state.groupId,
    workItemId: record.item.workItemId,
    sessionEpoch,
    ownershipEpoch: Math.max(1, record.ownershipEpoch),
    executionLeaseId: lease?.leaseId ?? urnOf('no lease'),
    disconnectedAt: startsAt,
    bufferedAt: startsAt,
    graceDeadline: expiresAt,
    executionLeaseExpiresAt: expiresAt,
    resourceUsageDelta: { financial: 0, modelTokens: random.below(40), toolCalls: 0, computeSeconds: 0, wallClockSeconds: 0, externalSideEffects: 0 },
  })
}

/** The range of a Context Package that sums up the last few Events. */
function lastEvents({ log }: RandomGroup, count: number): Pick<ContextPackage, 'sourceEventRange' | 'decisions'> {
  const fromSequence = Math.max(1, log.length - count + 1)
  const eventIds = log.slice(fromSequence - 1).map(({ eventId }) => eventId)
  return { sourceEventRange: { fromSequence, toSequence: log.length, eventIds }, decisions: [] }
}

/** Everything that verified work has published, and whatever failed dropped. */
function submission(group: RandomGroup): Intent | undefined {
  const records = [...group.state.workItems.values()]
  const artifactHashes = records.filter(({ item }) => item.state === 'verified').flatMap((record) => publishedBy(group, record).map(({ contentHash }) => contentHash))
  const dropped = records.filter(({ item }) => item.state === 'failed').map(({ item }) => ({ workItemId: item.workItemId, reason: 'Given up.' }))
  return artifactHashes.length === 0 ? undefined : intent(coordinatorOf(group), 'mission.submit_for_approval', { artifactHashes: [...new Set(artifactHashes)], summary: 'Done.', openRisks: [], dropped })
}

/** What a running child Mission may report of its end. */
export function randomReaction(group: RandomGroup, random: RandomSource, fresh: string): Reaction | undefined {
  const record = random.oneOf([...group.state.workItems.values()].filter(({ child }) => child?.state === 'running'))
  if (!record?.child) return undefined
  const { missionId: childMissionId, groupId: childGroupId } = record.child
  const outcome = random.oneOf(['approved', 'failed', 'cancelled'] as const) ?? 'failed'
  const artifact = artifactOf(place(group, record), fresh, { artifactId: urnOf(fresh), missionId: childMissionId, groupId: childGroupId, workItemId: urnOf(`work in ${fresh}`) })
  const approval = approvalOf(group.state, 'approved', group.now, { approvalId: urnOf(`approval ${fresh}`), kind: 'child_mission', artifactHashes: [artifact.contentHash], approver: coordinatorOf(group) })
  const limit = limitsOf(group.state.ledgers.get(childMissionId)?.limit ?? {})
  const usage = { ...NOTHING, modelTokens: random.below(limit.modelTokens + 1) }
  const result = outcome === 'approved' ? { approval, artifacts: [artifact] } : { artifacts: [] }
  const body = { type: 'child-ended', childMissionId, childGroupId, workItemId: record.item.workItemId, outcome, reason: 'It is over.', usage, ...result } as const
  return { targetGroupId: group.state.groupId, eventId: urnOf(`end of ${fresh}`), correlationId: urnOf(fresh), body }
}

/** A step towards the owner's decision: unfinished work is withdrawn one by one. */
function windDown(group: RandomGroup, random: RandomSource): Intent | undefined {
  if (group.state.mission.state === 'awaiting_approval') {
    const decision = random.chance(0.2) ? 'approved' : 'changes_requested'
    return intent(ada, decision === 'approved' ? 'mission.approve' : 'mission.request_changes', { approval: approvalOf(group.state, decision, group.now) })
  }
  const open = work(group, random, 'open', 'offered', 'queued', 'active', 'blocked', 'submitted')
  return open ? intent(ada, 'work.cancel', { workItemId: open.item.workItemId, reason: 'No time left.' }) : submission(group)
}

const IDEAS: readonly (readonly [weight: number, idea: Idea])[] = [
  [5, (group, random, fresh) => {
    const references = [random.oneOf([...group.state.sequenceOf.keys()]), urnOf(`unknown ${fresh}`)].filter((id) => id !== undefined)
    const mention = random.oneOf(everybody)
    return intent(random.oneOf(members) ?? ada, 'message.post', { messageId: urnOf(fresh), content: [{ type: 'text', text: fresh }], references, mentions: mention ? [mention] : [] })
  }],
  [1.5, (group, random, fresh) => {
    const [messageId, message] = random.oneOf([...group.state.messages]) ?? []
    if (messageId === undefined || message === undefined) return undefined
    const cited = { amendmentId: urnOf(fresh), messageId, reason: 'It was not right.' }
    if (random.chance(0.3)) return intent(ada, 'message.redact', cited)
    if (random.chance(0.3)) return intent(message.author, 'message.retract', cited)
    return intent(message.author, 'message.correct', { ...cited, replacementContent: [{ type: 'text', text: fresh }] })
  }],
  [0.5, (group, random, fresh) => {
    const type = random.oneOf(['review', 'restricted'] as const) ?? 'review'
    return intent(random.oneOf([ada, coordinatorOf(group)]) ?? ada, 'ext.countersign.conversation.open', { conversationId: urnOf(fresh), type, title: fresh, participants: [random.oneOf(members) ?? wim] })
  }],
  [1, (group, random) => intent(random.oneOf([ada, coordinatorOf(group)]) ?? ada, 'membership.change', { member: random.oneOf([ben, wim, wanda, otto]) ?? wim, role: random.oneOf(['worker', 'worker', 'reviewer', 'observer', 'coordinator'] as const) ?? 'worker' })],
  [2, () => intent(ada, 'membership.change', { member: wim, role: 'worker' })],
  [1, (group) => intent(coordinatorOf(group), 'membership.change', { member: wanda, role: 'worker' })],
  [0.5, (_, random) => intent(ada, 'membership.end', { member: random.oneOf(members) ?? wim, reason: 'No work left.' })],
  [1, (group) => intent(coordinatorOf(group), 'mission.renew_coordinator', { leaseSeconds: 7200 })],
  [2, (group, random, fresh) => {
    const parent = random.chance(0.3) ? work(group, random) : undefined
    return intent(random.oneOf(members) ?? wim, 'work.propose', { proposalId: urnOf(fresh), contract: contract(group, random, 1), ...(parent && { parentWorkItemId: parent.item.workItemId }) })
  }],
  [4, (group, random, fresh) => {
    const parent = random.chance(0.25) ? work(group, random) : undefined
    const replaced = random.chance(0.3) ? work(group, random, 'failed', 'cancelled') : undefined
    const links = { ...(parent && { parentWorkItemId: parent.item.workItemId }), ...(replaced && { replacesWorkItemId: replaced.item.workItemId }) }
    return intent(coordinatorOf(group), 'work.authorize', { workItemId: urnOf(fresh), contract: contract(group, random, 1), ...links })
  }],
  [2, (group, random, fresh) => {
    const proposal = random.oneOf([...group.state.proposals.values()])
    if (!proposal) return undefined
    const parent = proposal.parentWorkItemId === undefined ? {} : { parentWorkItemId: proposal.parentWorkItemId }
    return intent(coordinatorOf(group), 'work.authorize', { workItemId: urnOf(fresh), contract: proposal.contract, proposalId: proposal.proposalId, ...parent })
  }],
  [0.7, () => intent(ada, 'membership.change', { member: dora, role: 'work_delegate' })],
  [2, (group, random, fresh) => {
    const target = work(group, random, ...(random.chance(0.9) ? (['open', 'offered', 'queued', 'active'] as const) : []))
    const budget = { ...CEILINGS, financialLimit: random.below(100), modelTokenLimit: random.below(900) }
    const limits = { budget, maxDescendantDepth: random.below(5), expiresAt: addSeconds(group.now, 60 + random.below(7200)), allowedCapabilities: [{ id: CAPABILITY, version: '1.0.0' }] }
    return target && intent(coordinatorOf(group), 'membership.grant_delegation', { grantId: urnOf(fresh), granteeAgentId: dora.id, targetWorkItemId: target.item.workItemId, ...limits })
  }],
  [3, (group, random, fresh) => {
    const grant = random.oneOf([...group.state.delegations.values()])?.grant
    const parentWorkItemId = random.chance(0.8) ? grant?.targetWorkItemId : work(group, random)?.item.workItemId
    return grant && parentWorkItemId !== undefined ? intent(dora, 'work.authorize', { workItemId: urnOf(fresh), contract: contract(group, random, 1), parentWorkItemId, delegationGrantId: grant.grantId }) : undefined
  }],
  [3, (group, random) => {
    const grant = random.oneOf([...group.state.delegations.values()])?.grant
    const workItemId = random.chance(0.5) ? grant?.targetWorkItemId : work(group, random, 'open', 'offered', 'failed')?.item.workItemId
    return grant && workItemId !== undefined ? intent(dora, 'work.offer', { workItemId, candidateAgentIds: [wim.id], selectionBasis: selectionBasis(), delegationGrantId: grant.grantId }) : undefined
  }],
  [0.5, (group, random, fresh) => intent(ada, 'work.authorize', { workItemId: urnOf(fresh), contract: contract(group, random, 1), ...(random.chance(0.8) && { overrideReason: 'It is urgent.' }) })],
  [0.5, (group, random) => {
    const record = work(group, random, 'open', 'failed')
    return record && intent(ada, 'work.offer', { workItemId: record.item.workItemId, candidateAgentIds: [wim.id], selectionBasis: selectionBasis(), overrideReason: 'It is urgent.' })
  }],
  [6, (group, random) => {
    const record = work(group, random, ...(random.chance(0.8) ? (['open', 'offered', 'failed'] as const) : []))
    if (!record) return undefined
    const candidates = random.chance(0.3) ? [wim, wanda] : [random.oneOf([wim, wanda, ben]) ?? wim]
    const revised = random.chance(0.2) && { contract: contract(group, random, record.item.contract.contractVersion + 1) }
    return intent(coordinatorOf(group), 'work.offer', { workItemId: record.item.workItemId, candidateAgentIds: candidates.map(({ id }) => id), selectionBasis: selectionBasis(), ...revised })
  }],
  [8, (group, random) => {
    const record = work(group, random, ...(random.chance(0.9) ? (['offered'] as const) : []))
    const offer = random.oneOf(record?.item.offers ?? [])
    if (!record || !offer) return undefined
    return intent({ type: 'agent', id: offer.agentId }, 'work.accept_offer', { workItemId: record.item.workItemId, offerId: offer.offerId, ownershipLeaseSeconds: 60 + random.below(2000) })
  }],
  [8, (group, random) => {
    const record = work(group, random, ...(random.chance(0.9) ? (['queued'] as const) : []))
    return record && intent(ownerOf(record), 'work.start', { workItemId: record.item.workItemId, ownershipEpoch: Math.max(1, record.ownershipEpoch), executionLeaseSeconds: 60 + random.below(600) })
  }],
  [4, (group, random) => {
    const gated = [...group.state.workItems.values()].filter(({ item }) => item.state === 'queued' && item.contract.executionApproval !== 'not_required')
    const record = random.chance(0.9) ? random.oneOf(gated) : work(group, random)
    if (!record) return undefined
    const { contractVersion, allowedResources: resources, budget } = record.item.contract
    const terms = { ownershipEpoch: Math.max(1, record.ownershipEpoch), contractVersion, resources, budget, expiresAt: addSeconds(group.now, 60 + random.below(3600)) }
    const matter = { approvalId: urnOf(`execution ${group.log.length}`), kind: 'work_execution' as const, workItemId: record.item.workItemId, missionRevision: group.state.mission.revision }
    const approval = approvalOf(group.state, 'approved', group.now, { ...matter, artifactHashes: [], conditions: executionConditions(terms) })
    return intent(ada, 'approval.grant_execution', { approval, terms })
  }],
  [2, (group, random) => {
    const record = work(group, random, 'active', 'queued')
    return record && intent(ownerOf(record), 'work.checkpoint', { ...cited(record), progress: progress() })
  }],
  [1, (group, random, fresh) => {
    const record = work(group, random, 'active', 'queued')
    if (!record) return undefined
    const changes = { workItemId: record.item.workItemId, extensions: bufferedUnder(group, random, record) }
    if (random.chance(0.5)) return { ...intent(ownerOf(record), 'work.checkpoint', { ...cited(record), progress: progress() }), changes }
    return { ...intent(ownerOf(record), 'message.post', { messageId: urnOf(fresh), content: [{ type: 'text', text: fresh }] }), changes }
  }],
  [2, (group, random) => {
    const record = work(group, random, ...(random.chance(0.9) ? (['active'] as const) : []))
    return record && intent(ownerOf(record), 'work.block', { ...cited(record), progress: progress(), reason: 'Something is missing.', unblockCondition: 'Somebody finds it.', blockedLeaseSeconds: 1 + random.below(600) })
  }],
  [2, (group, random) => {
    const record = work(group, random, ...(random.chance(0.9) ? (['blocked'] as const) : []))
    return record && intent(cora, 'work.unblock', { workItemId: record.item.workItemId, resolution: 'It was found.' })
  }],
  [1, (group, random) => {
    const [record, dependency] = [work(group, random), work(group, random)]
    return record && dependency && intent(cora, 'ext.missionweaveprotocol.core.work_dependency_add', { workItemId: record.item.workItemId, dependencyId: dependency.item.workItemId })
  }],
  [3, (group, random, fresh) => {
    const record = work(group, random, 'open', 'offered', 'failed')
    if (!record) return undefined
    const { workItemId } = record.item
    const changes = { contextPackageId: urnOf(fresh), ...(random.chance(0.9) && { workItemId }), ...(random.chance(0.1) && { version: 2 }) }
    const contextPackage = packageOf(group.state, group.log, group.now, { ...changes, ...lastEvents(group, 1 + random.below(4)) })
    const candidateAgentIds = random.chance(0.4) ? [nora.id, nils.id] : [(random.oneOf([nora, nils, wim]) ?? nora).id]
    return intent(coordinatorOf(group), 'work.offer', { workItemId, candidateAgentIds, selectionBasis: selectionBasis(), contextPackage, offerExpiresInSeconds: 60 + random.below(900) })
  }],
  [1, (group, random) => {
    const record = work(group, random, ...(random.chance(0.9) ? (['offered'] as const) : []))
    const offer = random.oneOf(record?.item.offers ?? [])
    if (!record || !offer) return undefined
    return intent({ type: 'agent', id: offer.agentId }, 'ext.countersign.work.offer_decline', { workItemId: record.item.workItemId, offerId: offer.offerId, reason: random.oneOf(['capacity', 'deadline', 'other'] as const) ?? 'other' })
  }],
  [1, (group, random) => {
    const record = work(group, random, ...(random.chance(0.9) ? (['active'] as const) : []))
    return record && intent(cora, 'ext.countersign.work.preemption_request', { workItemId: record.item.workItemId, reason: 'Something urgent came in.', urgency: 'high' })
  }],
  [2, (group, random) => {
    const record = work(group, random, 'active')
    return record && intent(ownerOf(record), RENEW, { ...cited(record), leaseSeconds: 1 + random.below(900) })
  }],
  [3, (group, random) => {
    const record = work(group, random, 'active')
    const usageDelta: Usage = random.chance(0.5) ? { modelTokens: random.below(120) } : { financial: random.below(700) / 100, currency: 'EUR' }
    return record && intent(ownerOf(record), CHARGE, { ...cited(record), usageDelta })
  }],
  [5, (group, random, fresh) => {
    const record = work(group, random, 'active')
    if (!record) return undefined
    const source = random.chance(0.4) ? random.oneOf([...group.state.artifacts.keys()]) : undefined
    const content = random.chance(0.2) ? 'shared content' : fresh
    const changes = { artifactId: urnOf(fresh), sourceArtifactHashes: source === undefined ? [] : [source], classification: random.oneOf(['internal', 'internal', 'restricted'] as const) ?? 'internal' }
    return intent(ownerOf(record), 'artifact.publish', { ownershipEpoch: cited(record).ownershipEpoch, executionLeaseId: cited(record).executionLeaseId, artifact: artifactOf(place(group, record), content, changes) })
  }],
  [6, (group, random) => {
    const record = work(group, random, 'active')
    if (!record) return undefined
    const published = publishedBy(group, record).map(({ contentHash }) => contentHash)
    const artifactHashes = [...new Set(published.length > 0 ? published : [hashOf('nothing')])]
    return intent(ownerOf(record), 'work.submit', { ...cited(record), artifactHashes, evidence: [evidenceOf(place(group, record), ownerOf(record))] })
  }],
  [7, (group, random) => {
    const record = work(group, random, 'submitted')
    return record && intent(coordinatorOf(group), 'work.accept_result', { workItemId: record.item.workItemId, evidence: [evidenceOf(place(group, record), coordinatorOf(group))] })
  }],
  [1, (group, random) => {
    const record = work(group, random)
    if (!record) return undefined
    const coordinator = coordinatorOf(group)
    const actor = random.chance(0.4) ? ownerOf(record) : coordinator
    const leases = actor === coordinator ? { workItemId: record.item.workItemId } : cited(record)
    return intent(actor, 'work.fail', { ...leases, reason: 'It broke.', evidence: [evidenceOf(place(group, record), actor, { type: 'failure_report', result: 'failed' })] })
  }],
  [0.7, (group, random) => {
    const record = work(group, random)
    return record && intent(random.oneOf([ada, coordinatorOf(group)]) ?? ada, 'work.cancel', { workItemId: record.item.workItemId, reason: 'Not needed.' })
  }],
  [0.5, (group, random, fresh) => intent(ada, 'policy.grant_cooperation_override', { grantId: urnOf(fresh), policyName: 'message_rate', beneficiary: random.oneOf(members) ?? wim, targetCommandKind: 'message.post', targetActionId: urnOf(`${fresh} action`), reason: 'It is urgent.', expiresAt: group.state.mission.deadline })],
  [1.5, (group, random, fresh) => {
    const record = work(group, random, ...(random.chance(0.9) ? (['open', 'offered', 'queued', 'blocked'] as const) : []))
    if (!record) return undefined
    const changes = { parentWorkItemId: record.item.workItemId, budget: { modelTokenLimit: random.below(120) }, failurePolicy: random.oneOf(['block_parent_work_item', 'fail_parent_work_item'] as const) ?? 'block_parent_work_item' }
    return intent(coordinatorOf(group), 'mission.create_child', childPayload(fresh, 'report', changes))
  }],
  [1, (group) => submission(group)],
  [4, (group) => intent(ada, 'mission.request_changes', { approval: approvalOf(group.state, 'changes_requested', group.now) })],
  [1, (group) => intent(ada, 'mission.approve', { approval: approvalOf(group.state, 'approved', group.now) })],
  [0.5, (group, random) => {
    const { parentLink, mission } = group.state
    if (!parentLink) return undefined
    const { rootOwner } = parentLink
    const decision = random.chance(0.8) ? 'approved' : 'changes_requested'
    const approval = approvalOf(group.state, decision, group.now, { approvalId: urnOf(`${decision} at the root of ${group.log.length}`), approver: rootOwner })
    // Ada and the owner change places where she is not the owner.
    return intent(rootOwner.id === ada.id ? mission.missionOwner : rootOwner, MISSION_ROOT_DECIDE, { approval })
  }],
  [0.06, () => intent(ada, 'mission.cancel', { reason: 'Enough.' })],
  [0.06, (group) => intent(coordinatorOf(group), 'mission.terminate', { reason: 'It cannot be done.' })],
  [0.5, (_, random) => intent(ada, 'mission.assign_coordinator', { coordinatorAgentId: (random.oneOf([cora, cora, wanda, ben]) ?? cora).id, leaseSeconds: 3600 + random.below(7200), reason: 'Somebody has to.' })],
  [4, (group, random, fresh) => {
    const { takeover } = group.state
    if (!takeover && random.chance(0.95)) return undefined
    const author = random.chance(0.2) && takeover ? { generatedBy: { type: 'agent' as const, id: takeover.predecessorId } } : {}
    const contextPackage = packageOf(group.state, group.log, group.now, { contextPackageId: urnOf(fresh), ...author, ...lastEvents(group, 1 + random.below(40)) })
    return intent(coordinatorOf(group), MISSION_RECONCILE, { contextPackage, workItems: standingOf(group).slice(random.chance(0.1) ? 1 : 0) })
  }],
  [0.5, (group, random) => {
    const { budget } = group.state.mission
    return intent(ada, MISSION_BUDGET_RAISE, { budget: { ...budget, modelTokenLimit: Math.max(0, (budget.modelTokenLimit ?? 0) + random.below(200) - 20) }, reason: 'It is not enough.' })
  }],
  [0.7, (group, random, fresh) => {
    const about = work(group, random)
    if (!about) return undefined
    const { workItemId } = about.item
    const [taskId, ordinal] = random.chance(0.6) ? [fresh.replaceAll(' ', '-'), 0] : [`task-${random.below(3)}`, random.below(3)]
    const step = ordinal === 0 ? { type: 'task_proposal' as const, speaker: coordinatorOf(group) } : { type: 'task_bid' as const, speaker: random.oneOf([wim, wanda, otto]) ?? wim }
    const recordId = random.chance(0.9) ? recordIdOf(workItemId, taskId, ordinal) : urnOf(fresh)
    return intent(random.chance(0.9) ? router : registry, IAP_RECORD, { workItemId, record: { recordId, taskId, ordinal, author: 'agent', at: group.now, refs: [], content: {}, ...step } })
  }],
  [0.5, (group, random) => {
    const record = random.oneOf([...group.state.workItems.values()].filter(({ child }) => random.chance(0.1) || child?.state === 'running'))
    const budget = group.state.ledgers.get(record?.child?.missionId ?? '')?.limit ?? {}
    return record && intent(coordinatorOf(group), MISSION_CHILD_BUDGET_RAISE, { workItemId: record.item.workItemId, budget: { ...budget, modelTokenLimit: (budget.modelTokenLimit ?? 0) + random.below(60) }, reason: 'It is not enough.' })
  }],
  [0.5, (group, random) => {
    const source = random.oneOf([...group.elsewhere.values()])
    const artifact = source && random.oneOf([...source.artifacts.values()].flat())
    if (!source || !artifact) return undefined
    const { artifactId, contentHash } = artifact
    return intent(random.oneOf([ada, coordinatorOf(group)]) ?? ada, ARTIFACT_IMPORT, { sourceGroupId: source.groupId, artifactId, contentHash, reason: 'It is the same everywhere.' })
  }],
  [0.1, (group, random, fresh) => {
    // No snapshot has an empty Policy Log.
    if (group.state.policyLog.length === 0) return undefined
    return intent(random.chance(0.8) ? groupAuthority : registry, GROUP_ARCHIVE, { snapshot: archivalSnapshot(group, { snapshotId: urnOf(fresh) }) })
  }],
  [0.2, (group) => intent(ada, 'mission.create', missionPayload('again', { groupId: group.state.groupId }))],
  [0.1, (group) => intent(ada, 'mission.create_follow_up', { ...missionPayload('again', { groupId: group.state.groupId }), followUpOfMissionId: group.state.mission.missionId })],
]

const TOTAL = IDEAS.reduce((sum, [weight]) => sum + weight, 0)

/** The next Command for this Group; `fresh` names what the Command would create. Phases of work and of closing alternate. */
export function randomCommand(group: RandomGroup, random: RandomSource, fresh: string): VerifiedCommand {
  const isClosing = group.log.length % 120 > 90 && random.chance(0.6)
  for (;;) {
    const idea = (isClosing && windDown(group, random)) || pick(random)(group, random, fresh)
    if (!idea) continue
    const actor = random.chance(0.06) ? (random.oneOf(everybody) ?? ada) : idea.actor
    return group.command(actor, idea.kind, idea.payload, { ...idea.changes, ...(random.chance(0.15) && flaw(group, random)) })
  }
}

function pick(random: RandomSource): Idea {
  let rest = random.next() * TOTAL
  const chosen = IDEAS.find(([weight]) => (rest -= weight) < 0) ?? IDEAS[0]
  if (!chosen) throw new Error('no ideas')
  return chosen[1]
}

/** One thing that a sender may get wrong, or a revision that may well be right. */
function flaw(group: RandomGroup, random: RandomSource): CommandChanges {
  const flaws: readonly CommandChanges[] = [
    { sessionEpoch: 1 + random.below(3) },
    { membershipEpoch: 1 + random.below(4) },
    { coordinatorEpoch: 1 + random.below(3) },
    { expectedRevision: random.below(6) },
    { expectedRevision: group.state.mission.revision },
    { keyUse: 'conversation' },
    { workItemId: urnOf('other work') },
    { conversationId: random.oneOf([...group.state.conversations.keys()]) ?? urnOf('no Conversation') },
    { cooperationOverrideGrantId: random.oneOf([...group.state.overrides.keys()]) ?? urnOf('no grant') },
    { causedByEventId: random.oneOf(group.log)?.eventId ?? urnOf('no Event') },
  ]
  return random.oneOf(flaws) ?? {}
}
