// An exhausted budget pauses what runs on it, and asks whoever can give more.
import type { Actor } from '../../protocol/generated/types.ts'
import { WORK_PREEMPTION_REQUESTED } from '../../protocol/kinds.ts'
import type { Charge } from './budget.ts'
import { budgetUsedUp, exhaustedDimension, isAllAllocated } from './budget.ts'
import { eventIdOf, followingDraft } from './draft.ts'
import { approvalUsedUp, exhaustedApproval, personInCharge } from './execution-approval.ts'
import { executionsOf } from './execution-end.ts'
import type { MemberRequest } from './request.ts'
import type { BudgetDimension, EventDraft, GroupState, WorkRecord } from './types.ts'

interface Exhaustion {
  readonly record: WorkRecord
  readonly dimension: BudgetDimension
  readonly reason: string
  /** Who decides whether there will be more. */
  readonly to: Actor
}

/**
 * One Event of the authority's for every running WorkItem that this charge leaves without means: its Worker is to pause at the next
 * safe point, and somebody is asked to decide. `first` is the place of the first one in the batch, behind that of the charge,
 * which is their cause; the work that the Command itself brings to a pause is not asked again.
 */
export function budgetPauses(request: MemberRequest, charge: Charge, { first, paused }: { readonly first: number; readonly paused?: string }): readonly EventDraft[] {
  const { state, env } = request
  const running = executionsOf(state).map(({ record }) => record)
  const asked = running.filter(({ item, preemption }) => item.workItemId !== paused && preemption?.escalation === undefined)
  const exhausted = asked.flatMap((record) => exhaustionOf(state, record, charge) ?? [])
  return exhausted.map(({ record: { item }, dimension, reason, to }, offset) => {
    const payload = { workItemId: item.workItemId, reason, urgency: 'critical' as const, requestedAt: env.now, escalation: { dimension, to } }
    const draft = followingDraft(request, first + offset, { kind: WORK_PREEMPTION_REQUESTED, aggregateRevision: item.revision + 1, item, payload })
    return { ...draft, actor: env.authority, cause: { type: 'event', id: eventIdOf(request.signingHash, first - 1) } }
  })
}

function exhaustionOf(state: GroupState, record: WorkRecord, charge: Charge): Exhaustion | undefined {
  const { workItemId } = record.item
  const dimension = exhaustedDimension(state, workItemId, charge)
  if (dimension) return { record, dimension, reason: budgetUsedUp(dimension), to: givesMore(state, workItemId, dimension) }
  const approved = charge.id === workItemId ? exhaustedApproval(state, record, charge.delta) : undefined
  return approved && { record, dimension: approved, reason: approvalUsedUp(approved), to: personInCharge(state) }
}

/** The Coordinator, as long as it has something to allocate; then only the MissionOwner can bring more. */
function givesMore(state: GroupState, workItemId: string, dimension: BudgetDimension): Actor {
  const { missionOwner, coordinator } = state.mission
  return isAllAllocated(state, workItemId, dimension) ? missionOwner : { type: 'agent', id: coordinator.agentId }
}
