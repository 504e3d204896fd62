import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../protocol/strict-json.ts'
import type { SpaceMessageView } from '../trpc.tsx'
import { advantages, readNegotiation, type Assignment } from './negotiation.ts'
import { bidRows, indexReplies, latestAnswers } from './replies.ts'

let sequence = 0
const message = (content: JsonObject, contentType: string | undefined, answers: readonly number[] = [], nodeId = 'router'): SpaceMessageView =>
  ({ sequence: ++sequence, content, answers, author: { nodeId }, ...(contentType !== undefined && { contentType }) }) as SpaceMessageView
const head = { taskId: 't', ordinal: 0, refs: [], author: 'router', at: '2026-11-30T08:00:00Z' }
const bidOf = (bidderId: string, estimatedCost: number, more: JsonObject = {}): JsonObject => ({ taskId: 't', bidderId, estimatedCost, estimatedLatency: 100, confidence: 0.5, ...more })
const placed = (bidderId: string, cost: number, proposal: SpaceMessageView, more: JsonObject = {}) => message({ ...head, bid: bidOf(bidderId, cost), round: 1, ...more }, 'iap/task_bid', [proposal.sequence], bidderId)
const candidate = (bid: number, agentId: string, estimatedCost: number, estimatedLatency: number): JsonObject => ({ bid, agentId, estimatedCost, estimatedLatency, queueDepth: 0, confidence: 0.5 })
const chosen = (agentId: string, bids: readonly SpaceMessageView[]) => message({ ...head, agentId, assignmentId: 'a1' }, 'iap/task_assignment', bids.map((bid) => bid.sequence))
const propose = () => message({ ...head, proposal: { taskId: 't', description: 'Sum it up', requiredCapability: 'text_generation', maxCost: 5 } }, 'iap/task_proposal')
const shape = (proposal: SpaceMessageView, all: readonly SpaceMessageView[]) => {
  const replies = indexReplies(all)
  return bidRows(replies.get(proposal.sequence)!, replies).map((row) => [row.bid.bidderId, row.bid.cost, row.isChosen, row.bid.ineligible])
}

describe('a record of a negotiation', () => {
  it('of a proposal says what is wanted and within which limits', () => {
    const { content, contentType } = propose()
    expect(readNegotiation(content, contentType)).toEqual({ type: 'proposal', description: 'Sum it up', capability: 'text_generation', maxCost: 5 })
  })

  it('of an assignment says from what was chosen, and in what the chosen bid was better', () => {
    const selection = { rule: 'iap-selection/1', winner: 3, candidates: [candidate(2, 'a', 2, 300), candidate(3, 'b', 1, 400)], passedOver: [{ bid: 4, agentId: 'c', reason: 'no_slot' }] }
    const record = readNegotiation({ ...head, agentId: 'b', selection } as unknown as JsonObject, 'iap/task_assignment') as Assignment
    expect(record).toMatchObject({ agentId: 'b', rule: 'iap-selection/1', winner: { bidderId: 'b', cost: 1 }, candidates: [{ bidderId: 'a' }, { bidderId: 'b' }], passedOver: ['c'], isTied: false })
    expect(advantages(record)).toEqual(['lowest cost'])
    expect(advantages({ ...record, candidates: [record.winner!] })).toEqual([])
  })

  it('of a result that came too late says that it was not applied', () => {
    const late = { ...head, result: { taskId: 't', status: 'completed', result: { total: 3 } }, refused: 'stale_assignment' }
    expect(readNegotiation(late, 'iap/task_result')).toEqual({ type: 'result', isCompleted: true, isCached: false, refused: 'stale_assignment', result: { total: 3 } })
  })

  it.each<[string, JsonObject, object]>([
    ['task_rejection', { cause: 'rejected', reason: 'Busy' }, { name: 'task rejection', reason: 'rejected: Busy' }],
    ['task_failure', { code: 'AGENT_OVERLOAD', reason: 'All busy' }, { name: 'task failure', reason: 'AGENT_OVERLOAD: All busy' }],
    ['assignee_lost', { agentId: 'a', graceUntil: '2026-11-30T08:00:00Z' }, { name: 'assignee lost', agentId: 'a', until: '2026-11-30T08:00:00Z' }],
    ['__proto__', {}, { name: '  proto  ' }],
    ['', {}, { name: '' }],
  ])('named %s that has no card of its own is a step', (name, content, step) => {
    expect(readNegotiation(content, `iap/${name}`)).toEqual({ type: 'step', ...step })
  })

  it.each([undefined, 'task_bid', 'IAP/task_bid', 'checkpoint'])('is not seen under the content type %s', (contentType) => {
    expect(readNegotiation({ bid: bidOf('a', 1) }, contentType)).toBeUndefined()
  })

  it.each(['task_proposal', 'task_bid', 'task_assignment', 'task_result', 'context_transfer'])('of %s is read whatever it holds', (name) => {
    const odd = { proposal: 3, bid: [], selection: 'x', result: null, fromAgent: {}, ineligible: 7 } as unknown as JsonObject
    expect([{}, odd].map((content) => readNegotiation(content, `iap/${name}`)?.type)).not.toContain(undefined)
  })
})

describe('the bids on a proposal', () => {
  it('are the last of each bidder, with what speaks against it, and which was chosen', () => {
    const proposal = propose()
    const [early, late, dear, other] = [placed('a', 4, proposal), placed('a', 2, proposal), placed('b', 9, proposal, { ineligible: 'over_max_cost' }), placed('c', 3, proposal)]
    expect(shape(proposal, [proposal, early, late, dear, other, chosen('a', [late, other])])).toEqual([
      ['a', 2, true, undefined],
      ['b', 9, false, 'over the cost limit'],
      ['c', 3, false, undefined],
    ])
  })

  it('show the later choice when the task was awarded again', () => {
    const proposal = propose()
    const [one, two] = [placed('a', 2, proposal), placed('b', 3, proposal)]
    const rows = shape(proposal, [proposal, one, two, chosen('a', [one, two]), chosen('b', [two])])
    expect(rows.map(([bidder, , isChosen]) => [bidder, isChosen])).toEqual([['a', false], ['b', true]])
  })
})

describe('answers to a checkpoint', () => {
  it('are the last of each Node, and nothing that is no answer', () => {
    const checkpoint = message({ id: 'c' }, 'checkpoint')
    const at = [checkpoint.sequence]
    const said = [message({ option: 'Continue' }, undefined, at, 'a'), message({ option: 'Reject' }, undefined, at, 'b'), message({ text: 'Hm' }, undefined, at, 'c'), message({ option: 'Reject', feedback: 'No' }, undefined, at, 'a')]
    expect(latestAnswers(indexReplies(said).get(checkpoint.sequence)!).map(({ message: { author }, answer }) => [author.nodeId, answer.option])).toEqual([['b', 'Reject'], ['a', 'Reject']])
  })
})
