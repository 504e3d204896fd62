// A Mission and its work as the tools show them to the Agent that calls.
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import type { CommandPayloads, Lease, WorkOffer } from '../../../protocol/generated/types.ts'
import { WORK_EXECUTION_LEASE_RENEW } from '../../../protocol/kinds.ts'
import type { Result } from '../../../protocol/result.ts'
import { err, ok } from '../../../protocol/result.ts'
import type { MembershipRow } from '../../authority/read-models.ts'
import type { GroupState, WorkRecord } from '../../authority/types.ts'
import { refuse, refuseCommand } from './tool.ts'
import type { ToolCall } from './tool.ts'

export interface OpenMission { readonly state: GroupState; readonly membership: MembershipRow }
/** A WorkItem that the caller may see. */
export interface SeenWork extends OpenMission { readonly record: WorkRecord }
/** A WorkItem that the caller executes under a live lease. */
export interface ExecutedWork extends SeenWork { readonly lease: Lease }

type Answered<T> = Promise<Result<T, CallToolResult>>

/** What is not the caller's does not exist for it. */
export async function openMission({ service, principalId }: ToolCall, groupId: string): Answered<OpenMission> {
  const found = await service.reads.groupFor(principalId, groupId)
  return found ? ok(found) : err(refuse('You belong to no Mission with this group_id. mission_list shows those that you belong to.'))
}

/** A candidate sees the work that it was offered, and no other. */
export async function seeWork(call: ToolCall, { group_id, work_item_id }: WorkName): Answered<SeenWork> {
  const mission = await openMission(call, group_id)
  if (!mission.ok) return mission
  const record = mission.value.state.workItems.get(work_item_id)
  const isHidden = mission.value.membership.state === 'provisional' && !record?.item.offers?.some(({ agentId }) => agentId === call.principalId)
  return record === undefined || isHidden ? err(refuse('There is no such work in this Mission. work_offers shows what is offered to you, mission_list what is yours.')) : ok({ ...mission.value, record })
}

export interface WorkName { readonly group_id: string; readonly work_item_id: string }

/** The work under a live Execution Lease of the caller's, renewed since the call shows that somebody works on it. */
export async function executeWork(call: ToolCall, name: WorkName): Answered<ExecutedWork> {
  const seen = await seeWork(call, name)
  if (!seen.ok) return seen
  const renewed = await renewLease(call, seen.value)
  if (!renewed.ok) return err(refuseCommand(renewed.error))
  const work = await seeWork(call, name)
  if (!work.ok) return work
  const lease = liveLease(call, work.value.record)
  if (lease !== undefined) return ok({ ...work.value, lease })
  return err(refuse(`You are not executing this work: it is ${work.value.record.item.state}. ${nextStep(call, work.value)}`))
}

/** The Execution Lease that the caller holds now. */
export function liveLease({ service, principalId }: ToolCall, { executionLease }: WorkRecord): Lease | undefined {
  const isMine = executionLease?.holderAgentId === principalId && Date.parse(executionLease.expiresAt) > service.clock.nowMs()
  return isMine ? executionLease : undefined
}

/** Renews the caller's lease once a third of it has passed, for as long as it lasted; without one, nothing happens. */
export async function renewLease(call: ToolCall, { state, record }: SeenWork): Promise<Result<void, Parameters<typeof refuseCommand>[0]>> {
  const lease = liveLease(call, record)
  if (lease === undefined) return ok(undefined)
  const seconds = (Date.parse(lease.expiresAt) - Date.parse(lease.lastRenewedAt ?? lease.issuedAt)) / 1000
  if (secondsLeft(call, lease.expiresAt) > (seconds * 2) / 3) return ok(undefined)
  const payload = { ...citation(record, lease), leaseSeconds: Math.max(1, Math.round(seconds)) }
  const outcome = await submit(call, WORK_EXECUTION_LEASE_RENEW, payload, { groupId: state.groupId, workItemId: record.item.workItemId })
  return outcome.ok ? ok(undefined) : err(outcome.error)
}

/** What every Command of an executing Worker cites. */
export const citation = ({ item, ownershipEpoch }: WorkRecord, { leaseId }: Lease) => ({ workItemId: item.workItemId, ownershipEpoch, executionLeaseId: leaseId })

/** Signs and submits a Command with the caller's key. */
export async function submit<K extends keyof CommandPayloads>({ service, principalId }: ToolCall, kind: K, payload: CommandPayloads[K], target: { groupId: string; workItemId?: string; conversationId?: string }): Promise<Result<void, Parameters<typeof refuseCommand>[0]>> {
  const outcome = await service.doors.custody.submit(principalId, { kind, ...target, payload: payload as Readonly<Record<string, unknown>> })
  return outcome.ok ? ok(undefined) : err(outcome.rejection)
}

/** Where the work stands for the caller, read anew. */
export async function standing(call: ToolCall, name: WorkName, more: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
  const seen = await seeWork(call, name)
  return seen.ok ? { ...workView(call, seen.value), ...more } : { group_id: name.group_id, work_item_id: name.work_item_id, ...more }
}

export function workView(call: ToolCall, work: SeenWork): Record<string, unknown> {
  const { state, record } = work
  const { item } = record
  const isMine = item.owner?.agentId === call.principalId
  const waits = openDependencies(state, record)
  return {
    group_id: state.groupId,
    work_item_id: item.workItemId,
    goal: item.contract.goal,
    state: item.state,
    revision: item.revision,
    is_yours: isMine,
    ...(isMine && { ownership_epoch: record.ownershipEpoch }),
    ...(isMine && leaseView(call, record)),
    deadline: item.contract.deadline,
    ...(waits.length > 0 && { waits_for: waits }),
    ...(record.blocker && { blocked: { reason: record.blocker.reason, unblock_condition: record.blocker.unblockCondition } }),
    ...(record.preemption && { pause_requested: { reason: record.preemption.reason, at: record.preemption.requestedAt } }),
    ...(item.progress && { progress: { phase: item.progress.currentPhase, milestones: item.progress.completedMilestones, next: item.progress.nextCheckpoint, blockers: item.progress.blockers } }),
    ...(record.reason !== undefined && { reason: record.reason }),
    next_step: nextStep(call, work),
  }
}

/** The lease that matters now, and when it ends. */
function leaseView(call: ToolCall, record: WorkRecord): Record<string, unknown> {
  const lease = liveLease(call, record) ?? record.blockedLease ?? record.ownershipLease
  return lease === undefined ? {} : { lease: { type: lease.leaseType, ends_at: lease.expiresAt, seconds_left: Math.max(0, Math.floor(secondsLeft(call, lease.expiresAt))) } }
}

const secondsLeft = ({ service }: ToolCall, at: string): number => (Date.parse(at) - service.clock.nowMs()) / 1000

const openDependencies = ({ workItems }: GroupState, { item }: WorkRecord) =>
  item.contract.dependencyWorkItemIds.flatMap((id) => {
    const dependency = workItems.get(id)?.item
    return dependency === undefined || dependency.state === 'verified' ? [] : [{ work_item_id: id, goal: dependency.contract.goal, state: dependency.state }]
  })

/** What the caller can do about the work now, in one sentence. */
function nextStep(call: ToolCall, { state, record }: SeenWork): string {
  const { item } = record
  if (offerTo(call, record) !== undefined) return 'It is offered to you: work_accept or work_decline.'
  if (item.owner?.agentId !== call.principalId) return 'It is not yours; there is nothing for you to do.'
  if (record.preemption) return 'You are asked to pause: work_checkpoint with continue false.'
  switch (item.state) {
    case 'queued':
      return openDependencies(state, record).length > 0 ? 'It waits for other work; call work_start once that is verified.' : 'It is yours and not started: work_start.'
    case 'active':
      return liveLease(call, record) ? 'Do the work, artifact_publish each deliverable, then work_submit.' : 'Your lease has run out; call work_start as soon as the work is queued again.'
    case 'blocked':
      return 'Wait until the Coordinator says that it may go on, then work_start.'
    case 'submitted':
      return 'Wait for the review of what you handed in.'
    default:
      return 'It has come to its end.'
  }
}

/** The offer that waits for the caller's answer. */
export function offerTo({ service, principalId }: ToolCall, { item }: WorkRecord): WorkOffer | undefined {
  if (item.state !== 'offered') return undefined
  return item.offers?.find(({ agentId, status, expiresAt }) => agentId === principalId && status === 'pending' && Date.parse(expiresAt) > service.clock.nowMs())
}
