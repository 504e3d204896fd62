// The board: one card per WorkItem, with its blockers as sentences derived from the fold, never from a tag.
import { exhaustedDimension, isAllAllocated } from '../../authority/budget.ts'
import { isGateClosed, personInCharge } from '../../authority/execution-approval.ts'
import type { GroupState, WorkRecord } from '../../authority/types.ts'
import type { BoardItem, ParticipantView } from '../views.ts'
import { budgetLines, dimensionName } from './budget-lines.ts'
import type { Naming } from './participants.ts'
import { shorten } from './shorten.ts'

type Blocker = BoardItem['blockers'][number]

export const isFinal = (state: string) => state === 'verified' || state === 'cancelled'

export function boardItems(state: GroupState, name: Naming, now: string): readonly BoardItem[] {
  return [...state.workItems.values()].map((record) => boardItem(record, state, name, now))
}

function boardItem(record: WorkRecord, state: GroupState, name: Naming, now: string): BoardItem {
  const { item } = record
  const lease = record.executionLease?.state === 'active' ? record.executionLease : undefined
  const candidates = candidatesOf(record, name, now)
  return {
    workItemId: item.workItemId,
    goal: item.contract.goal,
    state: item.state,
    revision: item.revision,
    sequence: state.sequenceOf.get(item.workItemId) ?? 0,
    ...(record.proposalId !== undefined && { proposalId: record.proposalId }),
    ...(item.owner && { owner: name({ type: 'agent', id: item.owner.agentId }), ownershipEpoch: item.owner.ownershipEpoch }),
    ...(candidates.length > 0 && { offeredTo: candidates }),
    ...(lease && item.state === 'active' && { leaseExpiresAt: lease.expiresAt }),
    deadline: item.contract.deadline,
    dependsOn: item.contract.dependencyWorkItemIds.flatMap((id) => {
      const dependency = state.workItems.get(id)?.item
      return dependency ? [{ workItemId: id, goal: dependency.contract.goal, state: dependency.state }] : []
    }),
    blockers: blockersOf(record, state, name, now),
    budget: budgetLines(state.ledgers.get(item.workItemId)),
    artifactHashes: artifactHashesOf(record, state),
    ...(record.child && { child: { missionId: record.child.missionId, title: record.child.title, state: record.child.state } }),
    ...(item.progress && { progress: { phase: item.progress.currentPhase, milestones: item.progress.completedMilestones } }),
    conversationId: item.conversationId,
    attempts: record.attempts,
    ...startGate(record, state, now),
  }
}

/** What was made for the item; what a child Mission made lies in its own Group and is known by its hash alone. */
function artifactHashesOf({ item, child }: WorkRecord, state: GroupState): readonly string[] {
  if (child && item.submission) return item.submission.artifactHashes
  return [...state.artifacts.values()].flat().filter((artifact) => artifact.workItemId === item.workItemId).map((artifact) => artifact.contentHash)
}

export function blockersOf(record: WorkRecord, state: GroupState, name: Naming, now: string): readonly Blocker[] {
  const { item } = record
  if (isFinal(item.state)) return []
  if (item.state === 'failed') return [{ sentence: `Failed: ${record.reason ?? 'no reason given'}` }]
  return [...ownBlocker(record), ...gateBlocker(record, state, name, now), ...budgetBlocker(record, state, name), ...waitsFor(record, state), ...offerBlockers(record, name, now)]
}

export const waitsForPerson = (record: WorkRecord, now: string): boolean => record.item.state === 'queued' && isGateClosed(record, now)

/** How many WorkItems may not start before this person approves. */
export function startsWaitingOn(state: GroupState, principalId: string, now: string): number {
  if (personInCharge(state).id !== principalId) return 0
  return [...state.workItems.values()].filter((record) => waitsForPerson(record, now)).length
}

/** Work that may only start with a person's approval (A-196); a flag beside `queued`, no state of its own (O-5). */
function gateBlocker(record: WorkRecord, state: GroupState, name: Naming, now: string): Blocker[] {
  return waitsForPerson(record, now) ? [{ sentence: `Waits for execution approval by ${name(personInCharge(state)).name}` }] : []
}

function startGate(record: WorkRecord, state: GroupState, now: string): Pick<BoardItem, 'startGate'> {
  if (!waitsForPerson(record, now)) return {}
  const { contractVersion, allowedResources: resources, budget } = record.item.contract
  const acceptancePolicyVersion = state.mission.approvalPolicy.policyVersion ?? '1.0.0'
  return { startGate: { personId: personInCharge(state).id, ownershipEpoch: record.ownershipEpoch, contractVersion, resources, budget, acceptancePolicyVersion } }
}

/** A-197: it does not start again until somebody has decided: only a further offer brings more (A-140), and only from what is left to hand out. */
function budgetBlocker({ item }: WorkRecord, state: GroupState, name: Naming): Blocker[] {
  const dimension = item.state === 'queued' ? exhaustedDimension(state, item.workItemId) : undefined
  if (dimension === undefined) return []
  const spent = `Its budget is used up (${dimensionName(dimension)})`
  if (isAllAllocated(state, item.workItemId, dimension)) return [{ sentence: `${spent}, and so is all that the mission can hand out; ${name(state.mission.missionOwner).name} has to raise the budget` }]
  return [{ sentence: `${spent}; the Coordinator has to offer it again with more, or end it` }]
}

/** Queued work that gets no more before the owner has raised the Mission's budget. */
export function waitsForBudget({ item }: WorkRecord, state: GroupState): boolean {
  const dimension = item.state === 'queued' ? exhaustedDimension(state, item.workItemId) : undefined
  return dimension !== undefined && isAllAllocated(state, item.workItemId, dimension)
}

/** What the owner said it waits for (A-186). */
function ownBlocker({ blocker, child }: WorkRecord): Blocker[] {
  if (child?.state === 'running') return [{ sentence: `Waits for its own Mission “${shorten(child.title, 60)}”` }]
  return blocker ? [{ sentence: `Blocked: ${shorten(blocker.reason, 120)} Goes on when: ${shorten(blocker.unblockCondition, 120)}` }] : []
}

function waitsFor({ item }: WorkRecord, state: GroupState): Blocker[] {
  return item.contract.dependencyWorkItemIds.flatMap((id) => {
    const dependency = state.workItems.get(id)?.item
    if (!dependency || dependency.state === 'verified') return []
    const sequence = state.sequenceOf.get(id)
    const sentence = `Waits for “${shorten(dependency.contract.goal, 60)}”${sequence ? ` (#${sequence})` : ''}`
    return [sequence ? { sentence, sequence } : { sentence }]
  })
}

/** Who has an offer that is neither answered nor over. */
export function candidatesOf({ item }: WorkRecord, name: Naming, now: string): ParticipantView[] {
  if (item.state !== 'offered') return []
  return (item.offers ?? []).filter((offer) => offer.status === 'pending' && offer.expiresAt > now).map((offer) => name({ type: 'agent', id: offer.agentId }))
}

function offerBlockers({ item }: WorkRecord, name: Naming, now: string): Blocker[] {
  if (item.state !== 'offered') return []
  const pending = item.offers?.filter((offer) => offer.status === 'pending') ?? []
  if (pending.length === 0) return [{ sentence: 'Every candidate declined; the Coordinator has to offer it again' }]
  const candidates = pending.map((offer) => name({ type: 'agent', id: offer.agentId }))
  const names = candidates.map((candidate) => candidate.name).join(', ')
  if (pending.every((offer) => offer.expiresAt <= now)) return [{ sentence: `${names} did not answer the offer; the Coordinator has to offer it again` }]
  return candidates.every((candidate) => candidate.online === false) ? [{ sentence: `Offered to ${names}, who is offline` }] : []
}
