// Cooperation limits of the Organization's policy, and the grants that lift one of them for one Command.
import type { CommandPayloads, CooperationPolicy } from '../../protocol/generated/types.ts'
import { reject } from '../../protocol/error-codes.ts'
import { invariant } from '../../protocol/result.ts'
import { addSeconds, parseTimestamp } from '../../protocol/timestamp.ts'
import type { Refusal } from './fences.ts'
import { isOwnerOfMission, isSame } from './fences.ts'
import { isAfter } from './instants.ts'
import type { GroupEvent, MemberRequest } from './request.ts'
import type { GroupState } from './types.ts'

/** The Command kinds that each limit holds back. */
const KINDS: { readonly [P in CooperationPolicy]: readonly (keyof CommandPayloads)[] } = {
  message_rate: ['message.post', 'message.correct'],
  proposal_rate: ['work.propose'],
  delegation_depth: ['work.authorize', 'membership.grant_delegation'],
  child_mission_depth: ['mission.create_child'],
  queued_work_items: ['work.accept_offer'],
  active_work_items: ['work.accept_offer', 'work.start'],
}

export const isHeldBackBy = (policyName: CooperationPolicy, kind: string): boolean => KINDS[policyName].some((held) => held === kind)

/** Seconds over which a rate counts. */
const RATE_SECONDS = 60
/** When to try again where the end of the excess is not in sight, in milliseconds. */
const UNKNOWN_WAIT_MS = 60_000

/** A limit that the Command would break, with the time after which it may not any more. */
export interface Excess {
  readonly policyName: CooperationPolicy
  readonly limit: number
  readonly retryAfterMs: number
}

/** RATE_LIMITED for what is over a limit, unless the Command cites a grant that lifts exactly that one; a grant that lifts nothing is refused. */
export function overLimits(request: MemberRequest, excesses: readonly (Excess | undefined)[]): Refusal {
  const broken = excesses.filter((excess) => excess !== undefined)
  if (request.command.cooperationOverrideGrantId !== undefined) return grantRefused(request, broken)
  const [excess] = broken
  if (!excess) return undefined
  const { policyName, limit, retryAfterMs } = excess
  return reject('RATE_LIMITED', `${LIMIT_WORDS[policyName]} is ${limit}`, { retryAfterMs, details: { policyName, limit, policyVersion: request.env.policy.version } })
}

/** What each limit is about, in words. */
export const LIMIT_WORDS: { readonly [P in CooperationPolicy]: string } = {
  message_rate: 'the limit of messages per minute',
  proposal_rate: 'the limit of proposals per minute',
  delegation_depth: 'the limit of delegation depth',
  child_mission_depth: 'the limit of levels of child Missions',
  queued_work_items: 'the limit of queued work',
  active_work_items: 'the limit of active work',
}

/** a Command of a kind without a limit needs no grant. */
export function needlessOverride({ command: { kind, cooperationOverrideGrantId } }: Pick<MemberRequest, 'command'>): Refusal {
  if (cooperationOverrideGrantId === undefined || Object.values(KINDS).some((kinds) => kinds.some((held) => held === kind))) return undefined
  return reject('INVALID_COMMAND', 'no limit holds this Command back, so no grant lifts one')
}

/** A-278, each mismatch in words; one grant lifts one limit. */
function grantRefused({ state, command, env }: MemberRequest, broken: readonly Excess[]): Refusal {
  const record = state.overrides.get(command.cooperationOverrideGrantId ?? '')
  if (!record) return reject('INVALID_COMMAND', 'there is no such override grant')
  const { grant, consumedEventId } = record
  if (consumedEventId !== undefined) return reject('INVALID_COMMAND', 'the override grant has been used')
  if (!isAfter(grant.expiresAt, env.now)) return reject('INVALID_COMMAND', 'the override grant has expired')
  if (!isSame(grant.beneficiary, command.actor)) return reject('AUTH_FORBIDDEN', 'the override grant is for somebody else')
  if (grant.targetCommandKind !== command.kind || grant.targetActionId !== command.actionId) return reject('INVALID_COMMAND', 'the override grant is for another Command')
  if (grant.approver.type !== 'service' && !isOwnerOfMission(state, grant.approver)) return reject('INVALID_COMMAND', 'whoever gave the override grant no longer owns the Mission')
  const isExact = broken.length === 1 && broken[0]?.policyName === grant.policyName
  return isExact ? undefined : reject('INVALID_COMMAND', `the override grant lifts ${LIMIT_WORDS[grant.policyName]}, which is not what holds this Command back`)
}

/** Messages of this member in this Group within the last minute. */
export const messageExcess = (request: MemberRequest): Excess | undefined => rateExcess(request, 'message_rate', request.env.policy.limits.messagesPerMinute)

/** the same for proposals. */
export const proposalExcess = (request: MemberRequest): Excess | undefined => rateExcess(request, 'proposal_rate', request.env.policy.limits.proposalsPerMinute)

function rateExcess({ state, command, env }: MemberRequest, policyName: RatePolicy, limit: number): Excess | undefined {
  const times = state.recent.get(rateKey(policyName, command.actor.id)) ?? []
  const oldest = times[times.length - limit]
  if (oldest === undefined || !isAfter(oldest, addSeconds(env.now, -RATE_SECONDS))) return undefined
  return { policyName, limit, retryAfterMs: wholeSecondsBetween(env.now, addSeconds(oldest, RATE_SECONDS)) * 1000 }
}

/** Rounded up, so that whoever waits that long has waited long enough. */
function wholeSecondsBetween(from: string, to: string): number {
  const [start, end] = [parseTimestamp(from), parseTimestamp(to)]
  invariant(start && end, 'a stored time is not a timestamp')
  return Number(end.epochSeconds - start.epochSeconds) + 1
}

type RatePolicy = 'message_rate' | 'proposal_rate'
const rateKey = (policyName: RatePolicy, memberId: string): string => `${policyName} ${memberId}`

/** Notes what counts towards a rate, and forgets what no longer does. */
export function noteRate(state: GroupState, policyName: RatePolicy, { actor, occurredAt }: Pick<GroupEvent, 'actor' | 'occurredAt'>): void {
  const key = rateKey(policyName, actor.id)
  const times = state.recent.get(key) ?? []
  const cutoff = addSeconds(occurredAt, -RATE_SECONDS)
  while (times[0] !== undefined && !isAfter(times[0], cutoff)) times.shift()
  times.push(occurredAt)
  state.recent.set(key, times)
}

/** how many levels lie above new work below `parentWorkItemId`, or below a grant. */
export function depthExcess({ env }: MemberRequest, depth: number): Excess | undefined {
  const limit = env.policy.maximumDepth.delegation
  return depth > limit ? { policyName: 'delegation_depth', limit, retryAfterMs: UNKNOWN_WAIT_MS } : undefined
}

/** how many levels below the root Mission a child would lie. */
export function childDepthExcess({ env }: MemberRequest, depth: number): Excess | undefined {
  const limit = env.policy.maximumDepth.childMissions
  return depth > limit ? { policyName: 'child_mission_depth', limit, retryAfterMs: UNKNOWN_WAIT_MS } : undefined
}

/** Number of WorkItems from this one up to the Mission. */
export function depthOf({ workItems }: GroupState, workItemId: string | undefined): number {
  let depth = 0
  for (let at = workItemId; at !== undefined; at = workItems.get(at)?.parentWorkItemId) depth += 1
  return depth
}

/** what an Agent holds of this Group's work, with `more` that the Command would add. */
export function workExcess({ state, command, env }: MemberRequest, policyName: 'queued_work_items' | 'active_work_items', more: 0 | 1): Excess | undefined {
  const { queuedWorkItems, activeWorkItems } = env.policy.limits
  const [workState, limit] = policyName === 'queued_work_items' ? ['queued', queuedWorkItems] : ['active', activeWorkItems]
  const held = [...(state.ownedBy.get(command.actor.id) ?? [])].filter((id) => state.workItems.get(id)?.item.state === workState)
  return held.length + more > limit ? { policyName, limit, retryAfterMs: UNKNOWN_WAIT_MS } : undefined
}
