// Brings a WorkItem to the state that a test starts from, through the same Commands that peers send.
import type { Actor, Approval, ApprovalGrantExecutionPayload, Artifact, ContextPackage, DelegationGrant, EventDocument, ExecutionTerms, MembershipGrantDelegationPayload, MissionReconcilePayload, WorkBlockPayload, WorkContract, WorkOfferPayload } from '../../protocol/generated/types.ts'
import { executionConditions } from '../../protocol/execution-terms.ts'
import { MISSION_RECONCILE } from '../../protocol/kinds.ts'
import { addSeconds } from '../../protocol/timestamp.ts'
import type { WorkRecord } from '../authority/types.ts'
import { isUnfinished } from '../authority/work-record.ts'
import { ada, CAPABILITY, cora, dora, hashOf, urnOf, wim } from './cast.ts'
import { approvalOf, artifactOf, evidenceOf, packageOf, progress, selectionBasis, workContract } from './documents.ts'
import type { GroupFixture } from './group-fixture.ts'

export type Stage = 'open' | 'offered' | 'queued' | 'active' | 'published' | 'submitted' | 'verified'
const STAGES: readonly Stage[] = ['open', 'offered', 'queued', 'active', 'published', 'submitted', 'verified']

export const workId = (name: string): string => urnOf(`work ${name}`)

export interface Setting {
  readonly contract?: Partial<WorkContract>
  readonly worker?: Actor
}

/** Creates the WorkItem and takes it to `stage`. */
export function reach(group: GroupFixture, name: string, stage: Stage, setting: Setting = {}): WorkRecord {
  return advance(group, name, 'open', stage, setting)
}

/** Takes the WorkItem through the stages from `first` to `last`, both included. */
export function advance(group: GroupFixture, name: string, first: Stage, last: Stage, setting: Setting = {}): WorkRecord {
  for (const step of STAGES.slice(STAGES.indexOf(first), STAGES.indexOf(last) + 1)) STEPS[step](group, name, setting)
  return recordOf(group, name)
}

export function recordOf(group: GroupFixture, name: string): WorkRecord {
  const record = group.state.workItems.get(workId(name))
  if (!record) throw new Error(`there is no WorkItem ${name}`)
  return record
}

/** What every Command of the executing owner cites. */
export function citing(group: GroupFixture, name: string): { workItemId: string; ownershipEpoch: number; executionLeaseId: string } {
  const { ownershipEpoch, executionLease } = recordOf(group, name)
  return { workItemId: workId(name), ownershipEpoch, executionLeaseId: executionLease?.leaseId ?? urnOf('no lease') }
}

export function place(group: GroupFixture, name: string) {
  return { state: group.state, workItemId: workId(name), now: group.now }
}

/** Who leads the Mission at the moment. */
export const coordinatorOf = ({ state }: GroupFixture): Actor => ({ type: 'agent', id: state.mission.coordinator.agentId })

export const artifactName = (name: string): string => `result of ${name}`

export function offerPayload(name: string, candidates: readonly Actor[] = [wim]): WorkOfferPayload {
  return { workItemId: workId(name), candidateAgentIds: candidates.map(({ id }) => id), selectionBasis: selectionBasis() }
}

/** An offer with a Context Package, which may go to Agents outside the Group. */
export function invitation(group: GroupFixture, name: string, candidates: readonly Actor[], changes: Partial<ContextPackage> = {}): WorkOfferPayload {
  const contextPackage = packageOf(group.state, group.log, group.now, { workItemId: workId(name), ...changes })
  return { ...offerPayload(name, candidates), contextPackage }
}

/** The pending or settled offer that was made to this Agent in the latest round. */
export function offerTo(group: GroupFixture, name: string, agent: Actor): string {
  const offer = recordOf(group, name).item.offers?.find(({ agentId }) => agentId === agent.id)
  if (!offer) throw new Error('no such offer')
  return offer.offerId
}

export function publish(group: GroupFixture, name: string, changes: Partial<Artifact> = {}, content = artifactName(name)): EventDocument[] {
  const { workItemId: _workItemId, ...leases } = citing(group, name)
  const { owner } = recordOf(group, name).item
  const worker: Actor = { type: 'agent', id: owner?.agentId ?? wim.id }
  return group.accept(worker, 'artifact.publish', { ...leases, artifact: artifactOf(place(group, name), content, changes) })
}

/** Everything that this WorkItem has published so far. */
export function publishedBy(group: GroupFixture, name: string): string[] {
  const published = [...group.state.artifacts.values()].flat().filter(({ workItemId }) => workItemId === workId(name))
  return [...new Set(published.map(({ contentHash }) => contentHash))]
}

const STEPS: Record<Stage, (group: GroupFixture, name: string, setting: Setting) => unknown> = {
  open: (group, name, { contract }) => group.accept(coordinatorOf(group), 'work.authorize', { workItemId: workId(name), contract: workContract({ goal: `Do ${name}`, ...contract }) }),
  offered: (group, name, { worker = wim }) => group.accept(coordinatorOf(group), 'work.offer', offerPayload(name, [worker])),
  queued: (group, name, { worker = wim }) => group.accept(worker, 'work.accept_offer', { workItemId: workId(name), offerId: offerTo(group, name, worker) }),
  active: (group, name, { worker = wim }) => group.accept(worker, 'work.start', { workItemId: workId(name), ownershipEpoch: recordOf(group, name).ownershipEpoch }),
  published: (group, name) => publish(group, name),
  submitted: (group, name, { worker = wim }) =>
    group.accept(worker, 'work.submit', { ...citing(group, name), artifactHashes: publishedBy(group, name), evidence: [evidenceOf(place(group, name), worker)] }),
  verified: (group, name) => group.accept(coordinatorOf(group), 'work.accept_result', { workItemId: workId(name), evidence: [evidenceOf(place(group, name), coordinatorOf(group))] }),
}

/** Every unfinished WorkItem as it stands. */
export function standingOf({ state }: Pick<GroupFixture, 'state'>): MissionReconcilePayload['workItems'] {
  return [...state.workItems.values()].filter(isUnfinished).map(({ item: { workItemId, revision, state: at } }) => ({ workItemId, revision, state: at }))
}

/** The new Coordinator takes stock of all that there is. */
export function reconcile(group: GroupFixture, changes: Partial<ContextPackage> = {}): EventDocument[] {
  const contextPackage = packageOf(group.state, group.log, group.now, changes)
  return group.accept(coordinatorOf(group), MISSION_RECONCILE, { contextPackage, workItems: standingOf(group) })
}

/** The executing owner waits for others. */
export function block(group: GroupFixture, name: string, changes: Partial<WorkBlockPayload> = {}): EventDocument[] {
  const worker: Actor = { type: 'agent', id: recordOf(group, name).item.owner?.agentId ?? wim.id }
  const payload = { ...citing(group, name), progress: progress(), reason: 'A licence text is missing.', unblockCondition: 'Somebody finds it.' }
  return group.accept(worker, 'work.block', { ...payload, ...changes })
}

/** The Coordinator gives the work up. */
export function fail(group: GroupFixture, name: string): EventDocument[] {
  return group.accept(coordinatorOf(group), 'work.fail', { workItemId: workId(name), reason: 'It cannot be done.', evidence: [evidenceOf(place(group, name), coordinatorOf(group), { type: 'failure_report', result: 'failed' })] })
}

/** The Coordinator submits the results of these verified WorkItems. */
export function submitMission(group: GroupFixture, ...names: readonly string[]): EventDocument[] {
  const artifactHashes = names.map((name) => hashOf(artifactName(name)))
  return group.accept(coordinatorOf(group), 'mission.submit_for_approval', { artifactHashes, summary: 'All done.', openRisks: [], dropped: [] })
}

/** All that the contract of the WorkItem allows, for its present owner and an hour. */
export function executionTerms(group: GroupFixture, name: string, changes: Partial<ExecutionTerms> = {}): ExecutionTerms {
  const { item, ownershipEpoch } = recordOf(group, name)
  const { contractVersion, allowedResources, budget } = item.contract
  return { ownershipEpoch, contractVersion, resources: allowedResources, budget, expiresAt: addSeconds(group.now, 3600), ...changes }
}

/** The owner's Approval of these terms; `changes` are made after its conditions were derived. */
export function executionApproval(group: GroupFixture, name: string, terms = executionTerms(group, name), changes: Partial<Approval> = {}): ApprovalGrantExecutionPayload {
  const approvalId = urnOf(`execution of ${name} ${group.log.length}`)
  const matter = { approvalId, kind: 'work_execution', workItemId: workId(name), missionRevision: group.state.mission.revision } as const
  const approval = { ...approvalOf(group.state, 'approved', group.now), ...matter, artifactHashes: [], conditions: executionConditions(terms), ...changes }
  return { approval, terms }
}

export const approve = (group: GroupFixture, changes?: Parameters<typeof approvalOf>[3]) => ({ approval: approvalOf(group.state, 'approved', group.now, changes) })
export const requestChanges = (group: GroupFixture, changes?: Parameters<typeof approvalOf>[3]) => ({ approval: approvalOf(group.state, 'changes_requested', group.now, changes) })

/** Ceilings in all six dimensions. */
export const CEILINGS: DelegationGrant['budget'] = {
  currency: 'EUR',
  financialLimit: 25,
  modelTokenLimit: 250,
  toolCallLimit: 20,
  computeSecondsLimit: 0,
  wallClockSecondsLimit: 0,
  externalSideEffectLimit: 0,
}

export function grantPayload(group: GroupFixture, target: string, changes: Partial<MembershipGrantDelegationPayload> = {}): MembershipGrantDelegationPayload {
  return {
    grantId: urnOf('grant'),
    granteeAgentId: dora.id,
    targetWorkItemId: workId(target),
    allowedCapabilities: [{ id: CAPABILITY, version: '1.0.0' }],
    budget: CEILINGS,
    maxDescendantDepth: 2,
    expiresAt: addSeconds(group.now, 3600),
    ...changes,
  }
}

/** Dora becomes a work delegate and is granted what lies below `target`. */
export function delegate(group: GroupFixture, target: string, changes: Partial<MembershipGrantDelegationPayload> = {}): EventDocument[] {
  if (group.state.memberships.get(dora.id)?.role !== 'work_delegate') group.accept(ada, 'membership.change', { member: dora, role: 'work_delegate' })
  return group.accept(cora, 'membership.grant_delegation', grantPayload(group, target, changes))
}
