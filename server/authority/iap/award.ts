// From a proposal to somebody who holds the task: broadcast, bids, choice, and what follows when the chosen one lets go.
import { errorPayload } from '../../../protocol/iap/error-codes.ts'
import type { IAPErrorCode } from '../../../protocol/iap/error-codes.ts'
import { TaskStatus } from '../../../protocol/iap/task-status.ts'
import type { IAPMessageOf } from '../../../protocol/iap/types.ts'
import { ROUTER } from '../../../protocol/iap/types.ts'
import type { Candidate, Selection } from './selection.ts'
import { scalesOf, select, SELECTION_RULE } from './selection.ts'
import type { TaskDraft } from './task-draft.ts'
import type { PlacedBid, TaskOutcome, TaskState } from './types.ts'

/** One broadcast and one more: after that the task has failed. */
const LAST_ROUND = 2
const PROPOSAL_ORDINAL = 0
/** Bids of one agent for one task, each of which is kept. */
const BIDS_KEPT = 32

/** Asks everybody who can, except those who had the task and let go. Nobody left: the task has failed. */
export function openWindow(draft: TaskDraft): void {
  const { proposal, released, round } = draft.state
  const { eligible, busy } = draft.env.candidates()
  const asked = eligible.filter(({ agentId }) => agentId !== proposal.proposerId && !released.has(agentId))
  if (asked.length === 0) return fail(draft, busy > 0)
  const windowMs = Math.floor(Math.min(draft.env.rules.bidWindowMs, (proposal.maxLatency ?? Infinity) / 4))
  const closesAt = draft.time(windowMs)
  draft.append('task_broadcast', ROUTER, [PROPOSAL_ORDINAL], { round: round + 1, eligible: asked, closesAt })
  for (const { agentId, capabilityId } of asked) draft.send(agentId, 'TASK_PROPOSAL', proposal, { metadata: { bidsUntil: closesAt, capabilityId, round: round + 1 } })
}

export function decideBid(draft: TaskDraft, { messageId, from, payload: bid }: IAPMessageOf<'TASK_BID'>): TaskOutcome {
  const { state } = draft
  if (state.status !== TaskStatus.BIDDING || draft.env.nowMs >= (state.windowClosesMs ?? 0)) return draft.refuse('VALIDATION_ERROR', 'no bids are taken for this task', 'bid_window_closed')
  if (!state.eligible.has(from)) return draft.refuse('VALIDATION_ERROR', 'the task was not offered to this agent', 'not_eligible')
  if (state.bids.filter((placed) => placed.bid.bidderId === from).length >= BIDS_KEPT) return draft.refuse('VALIDATION_ERROR', 'this agent has bid too often; its last bid counts', 'too_many_bids')
  const ineligible = limitExceeded(state, bid)
  const replaced = currentBids(state).find((placed) => placed.bid.bidderId === from)
  draft.append('task_bid', from, [PROPOSAL_ORDINAL], { messageId, bid, round: state.round, ...(ineligible && { ineligible }), ...(replaced && { replaces: replaced.ordinal }) })
  closeIfAllReplied(draft)
  return draft.done()
}

/** Nobody is waited for any longer once every agent that was asked and is still there has bid. */
export function closeIfAllReplied(draft: TaskDraft): void {
  const bidders = new Set(currentBids(draft.state).map(({ bid }) => bid.bidderId))
  const isWaitedFor = (agentId: string) => !bidders.has(agentId) && draft.env.standingOf(agentId).isOnline
  if (![...draft.state.eligible.keys()].some(isWaitedFor)) award(draft)
}

/** Gives the task to the best bid of this round whose agent did not have it yet. */
export function award(draft: TaskDraft): void {
  const { state } = draft
  const open = currentBids(state).filter((placed) => placed.ineligible === undefined && !state.released.has(placed.bid.bidderId))
  const passedOver = open.flatMap((placed) => passOver(draft, placed))
  const candidates = open.filter(({ ordinal }) => !passedOver.some(({ bid }) => bid === ordinal)).map((placed) => candidateOf(draft, placed))
  if (candidates.length === 0) return exhausted(draft, passedOver)
  const basis = { weights: draft.env.rules.weights, scales: scalesOf(candidates, state.proposal), seed: draft.env.seed, candidates }
  assign(draft, { rule: SELECTION_RULE, ...basis, passedOver, ...select(basis) })
}

function assign(draft: TaskDraft, selection: Selection): void {
  const { state, env } = draft
  const winner = selection.candidates.find(({ bid }) => bid === selection.winner)!
  const beaten = selection.candidates.map(({ bid }) => bid).filter((bid) => bid !== selection.winner)
  const content = {
    assignmentId: draft.derive('iap-assignment'),
    agentId: winner.agentId,
    acceptBy: draft.time(env.rules.acceptWithinMs),
    deadline: draft.time(env.rules.acceptWithinMs + timeAllowedMs(draft)),
    selection,
  }
  draft.append('task_assignment', ROUTER, [selection.winner, ...beaten], content)
  const bid = state.bids.find(({ ordinal }) => ordinal === selection.winner)!.bid
  const { assignmentId, acceptBy, deadline } = content
  draft.send(winner.agentId, 'TASK_ASSIGNMENT', { taskId: state.taskId, proposal: state.proposal, bid, assignmentId, acceptBy, deadline })
}

/** How long the work may take from its acceptance. */
export const timeAllowedMs = ({ state, env }: TaskDraft): number => Math.min(state.proposal.maxLatency ?? env.rules.defaultTaskMs, env.rules.longestTaskMs)

function exhausted(draft: TaskDraft, passedOver: Selection['passedOver']): void {
  const hadTakers = draft.state.released.size > 0 || passedOver.length > 0
  if (hadTakers && draft.state.round < LAST_ROUND) return openWindow(draft)
  fail(draft, passedOver.some(({ reason }) => reason === 'no_slot'))
}

/** Nobody takes the task: for lack of capacity where that is known, else for lack of the capability. */
function fail(draft: TaskDraft, isForLoad: boolean): void {
  const isOverload = isForLoad || [...draft.state.released.values()].includes('overloaded')
  const [code, reason]: [IAPErrorCode, string] = isOverload ? ['AGENT_OVERLOAD', 'every agent that could take the task is at capacity'] : ['CAPABILITY_NOT_FOUND', 'no agent took the task']
  failTask(draft, code, reason, [PROPOSAL_ORDINAL])
}

/** Ends the task and tells its proposer. */
export function failTask(draft: TaskDraft, code: IAPErrorCode, reason: string, refs: readonly number[]): void {
  const { taskId, proposal } = draft.state
  draft.append('task_failure', ROUTER, refs, { code, reason })
  draft.send(proposal.proposerId, 'ERROR', errorPayload(code, reason, { relatedTaskId: taskId }))
}

/** Of each agent the last bid in the present round. */
function currentBids({ bids, round }: TaskState): readonly PlacedBid[] {
  return [...new Map(bids.filter((placed) => placed.round === round).map((placed) => [placed.bid.bidderId, placed])).values()]
}

function limitExceeded({ proposal }: TaskState, bid: PlacedBid['bid']): PlacedBid['ineligible'] {
  if (bid.estimatedCost > (proposal.maxCost ?? Infinity)) return 'over_max_cost'
  return bid.estimatedLatency > (proposal.maxLatency ?? Infinity) ? 'over_max_latency' : undefined
}

function passOver({ env }: TaskDraft, { ordinal, bid }: PlacedBid): Selection['passedOver'] {
  const { isOnline, freeSlots } = env.standingOf(bid.bidderId)
  if (isOnline && freeSlots > 0) return []
  return [{ bid: ordinal, agentId: bid.bidderId, reason: isOnline ? 'no_slot' : 'offline' }]
}

function candidateOf({ state, env }: TaskDraft, { ordinal, bid }: PlacedBid): Candidate {
  const { bidderId: agentId, estimatedCost, estimatedLatency, queueDepth = 0, confidence } = bid
  return { bid: ordinal, agentId, estimatedCost, estimatedLatency, queueDepth, confidence, record: env.recordOf(agentId, state.eligible.get(agentId)!.capabilityId) }
}
