import { describe, expect, it } from 'vitest'
import { IapTask, PROPOSER } from '../../testing/iap-task.ts'
import { nextDue } from './absence.ts'
import { replaySelection } from './selection.ts'

const proposed = (...agents: readonly string[]): IapTask => {
  const task = new IapTask(...agents)
  task.propose()
  return task
}
const errorsTo = (task: IapTask, agentId: string) => task.messages.flatMap((message) => (message.to === agentId && message.type === 'ERROR' ? [message.payload.code] : []))

describe('IAP 1.4 TASK_PROPOSAL', () => {
  it('goes to each capable agent but the proposer, one copy each with an id of its own, correlated with the proposal', () => {
    const task = proposed('b', 'c')
    expect(task.messages.map(({ to, from, type, correlationId }) => [to, from, type, correlationId])).toEqual([['b', 'router', 'TASK_PROPOSAL', 'm0'], ['c', 'router', 'TASK_PROPOSAL', 'm0']])
    expect(new Set(['m0', ...task.messages.map(({ messageId }) => messageId)]).size).toBe(3)
    expect(task.messages[0]!.payload).toEqual(task.state!.proposal)
    expect(task.state!.status).toBe('bidding')
  })

  it('fails at once with CAPABILITY_NOT_FOUND when nobody can, and with AGENT_OVERLOAD when all who can are busy', () => {
    expect(errorsTo(proposed(), PROPOSER)).toEqual(['CAPABILITY_NOT_FOUND'])
    const task = new IapTask('b')
    task.agent('b').freeSlots = 0
    task.propose()
    expect(errorsTo(task, PROPOSER)).toEqual(['AGENT_OVERLOAD'])
    expect(task.state).toMatchObject({ status: 'failed', failure: { code: 'AGENT_OVERLOAD' } })
  })

  it('is refused under a task id that was used before, and changes nothing', () => {
    const task = proposed('b')
    expect(task.propose()).toMatchObject({ records: [], messages: [], error: { code: 'VALIDATION_ERROR', details: { reason: 'task_id_taken' } } })
  })

  it.each([[8000, 2000], [40_000, 2000], [2000, 500], [undefined, 2000]])('with maxLatency %s takes bids for %s ms', (maxLatency, windowMs) => {
    const task = new IapTask('b')
    task.act({ type: 'proposal', message: task.message('TASK_PROPOSAL', PROPOSER, { taskId: 'task_1', proposerId: PROPOSER, description: '', requiredCapability: 'data_analysis', input: {}, ...(maxLatency && { maxLatency }) }) })
    expect(nextDue(task.state!)! - task.nowMs).toBe(windowMs)
  })

  it('with the largest maxLatency there is can still be accepted', () => {
    const task = new IapTask('b')
    task.propose({ maxLatency: Number.MAX_SAFE_INTEGER })
    task.bid('b')
    task.accept('b')
    expect(nextDue(task.state!)! - task.nowMs).toBe(task.rules.longestTaskMs)
  })
})

describe('IAP 1.5 TASK_BID', () => {
  it('closes the window early when everybody who was asked has bid', () => {
    const task = proposed('b', 'c')
    task.bid('b')
    expect(task.state!.status).toBe('bidding')
    task.bid('c')
    expect(task.state!.status).toBe('assigned')
  })

  it('is not taken from one agent without end; its last one counts', () => {
    const task = proposed('b', 'c')
    for (let cost = 1; cost <= 32; cost++) expect(task.bid('b', { estimatedCost: cost }).error).toBeUndefined()
    expect(task.bid('b', { estimatedCost: 99 })).toMatchObject({ records: [], error: { code: 'VALIDATION_ERROR', details: { reason: 'too_many_bids' } } })
    task.bid('c', { estimatedCost: 33 })
    expect(task.state!.holding).toMatchObject({ agent: { agentId: 'b' }, bid: { estimatedCost: 32 } })
  })

  it('refers to the proposal; a repeated one replaces the earlier, which stays in the record', () => {
    const task = proposed('b', 'c')
    task.bid('b', { estimatedCost: 90 })
    task.bid('b', { estimatedCost: 10 })
    task.bid('c', { estimatedCost: 50 })
    expect(task.records.filter(({ type }) => type === 'task_bid').map(({ refs }) => refs)).toEqual([[0], [0], [0]])
    expect(task.records[3]).toMatchObject({ content: { replaces: 2 } })
    expect(task.state!.bids).toHaveLength(3)
    expect(task.last('task_assignment')).toMatchObject({ content: { agentId: 'b' }, refs: [3, 4] })
  })

  it.each([['estimatedCost', 101, 'over_max_cost'], ['estimatedLatency', 8001, 'over_max_latency']])('with %s %s is kept and cannot win', (member, value, ineligible) => {
    const task = proposed('b', 'c')
    task.bid('b', { [member]: value, confidence: 1 })
    task.bid('c', { estimatedCost: 100, estimatedLatency: 8000, confidence: 0 })
    expect(task.state!.bids[0]).toMatchObject({ ineligible })
    expect(task.state!.holding!.agent.agentId).toBe('c')
  })

  it('at the limits is eligible', () => {
    const task = proposed('b')
    task.bid('b', { estimatedCost: 100, estimatedLatency: 8000 })
    expect(task.state!.status).toBe('assigned')
  })

  it('after the window gets a recoverable error, whether or not the timer rang', () => {
    const task = proposed('b', 'c')
    task.nowMs = nextDue(task.state!)!
    expect(task.bid('b')).toMatchObject({ records: [], error: { code: 'VALIDATION_ERROR', recoverable: true, details: { reason: 'bid_window_closed' } } })
  })

  it('of somebody who was not asked is refused', () => {
    expect(proposed('b').bid('stranger')).toMatchObject({ records: [], error: { details: { reason: 'not_eligible' } } })
  })

  it('for a task that nobody proposed is refused', () => {
    expect(new IapTask('b').bid('b')).toMatchObject({ records: [], error: { details: { reason: 'unknown_task' } } })
  })

  it('by nobody until the window closes means CAPABILITY_NOT_FOUND', () => {
    const task = proposed('b')
    task.due()
    expect(errorsTo(task, PROPOSER)).toEqual(['CAPABILITY_NOT_FOUND'])
    expect(task.types).toEqual(['task_proposal', 'task_broadcast', 'task_failure'])
  })

  it('is not waited for from an agent that has gone', () => {
    const task = proposed('b', 'c')
    task.bid('b')
    task.leave('c', 'lost')
    expect(task.state!.holding!.agent.agentId).toBe('b')
  })
})

describe('IAP 1.6 TASK_ASSIGNMENT, TASK_ACCEPTANCE, TASK_REJECTION', () => {
  it('assigns to the best bid and says until when to accept', () => {
    const task = proposed('b', 'c')
    task.bid('b', { estimatedCost: 60 })
    task.bid('c', { estimatedCost: 10 })
    const sent = task.messages.at(-1)!
    expect(sent).toMatchObject({ type: 'TASK_ASSIGNMENT', to: 'c', payload: { taskId: 'task_1', bid: { bidderId: 'c' }, proposal: task.state!.proposal, assignmentId: task.state!.holding!.assignmentId } })
    expect(nextDue(task.state!)! - task.nowMs).toBe(10_000)
    expect(task.last('task_assignment')).toMatchObject({ author: 'router', refs: [3, 2] })
  })

  it('is in progress once accepted; the acceptance refers to the assignment', () => {
    const task = proposed('b')
    task.bid('b')
    task.accept('b')
    expect(task.state!.status).toBe('in_progress')
    expect(task.last('task_acceptance').refs).toEqual([task.last('task_assignment').ordinal])
    expect(task.accept('b')).toEqual({ records: [], messages: [] })
  })

  it('takes an acceptance of nobody else, of no other fence, and not too late', () => {
    const task = proposed('b', 'c')
    task.bid('b', { estimatedCost: 1 })
    task.bid('c')
    expect(task.accept('c').error).toMatchObject({ details: { reason: 'stale_assignment' } })
    expect(task.accept('b', 'other').error).toMatchObject({ details: { reason: 'stale_assignment' } })
    task.nowMs = nextDue(task.state!)!
    expect(task.accept('b').error).toMatchObject({ details: { reason: 'acceptance_too_late' } })
  })

  it('goes to the next bid on a rejection, then is offered once more without those who refused, then fails', () => {
    const task = proposed('b', 'c', 'd')
    task.bid('b', { estimatedCost: 1 })
    task.bid('c', { estimatedCost: 2 })
    task.due()
    task.reject('b')
    expect(task.state!.holding!.agent.agentId).toBe('c')
    task.reject('c')
    expect(task.last('task_broadcast').content).toMatchObject({ round: 2, eligible: [{ agentId: 'd' }] })
    task.bid('d')
    task.reject('d')
    expect(task.state).toMatchObject({ status: 'failed', failure: { code: 'CAPABILITY_NOT_FOUND' } })
    expect(task.types.filter((type) => type === 'task_broadcast')).toHaveLength(2)
  })

  it('fails with AGENT_OVERLOAD when somebody refused for load', () => {
    const task = proposed('b')
    task.bid('b')
    task.reject('b', 'AGENT_OVERLOAD')
    expect(errorsTo(task, PROPOSER)).toEqual(['AGENT_OVERLOAD'])
  })

  it('takes no acceptance within ten seconds for a rejection', () => {
    const task = proposed('b', 'c')
    task.bid('b', { estimatedCost: 1 })
    task.bid('c')
    const fence = task.state!.holding!.assignmentId
    task.due()
    expect(task.last('task_release').content).toMatchObject({ agentId: 'b', cause: 'not_accepted' })
    expect(task.state!.holding).toMatchObject({ agent: { agentId: 'c' } })
    expect(task.state!.holding!.assignmentId).not.toBe(fence)
  })

  it('passes over bidders that have gone or filled up, and says so', () => {
    const task = proposed('b', 'c', 'd')
    task.bid('b', { estimatedCost: 1 })
    task.bid('c', { estimatedCost: 2 })
    task.agent('b').isOnline = false
    task.agent('c').freeSlots = 0
    task.bid('d', { estimatedCost: 99 })
    expect(task.state!.holding!.agent.agentId).toBe('d')
    expect(task.last('task_assignment').content.selection.passedOver).toEqual([{ bid: 2, agentId: 'b', reason: 'offline' }, { bid: 3, agentId: 'c', reason: 'no_slot' }])
  })

  it('can be chosen again from the record alone', () => {
    const task = proposed('b', 'c', 'd')
    for (const agentId of ['b', 'c', 'd']) task.bid(agentId)
    const recorded = JSON.parse(JSON.stringify(task.last('task_assignment').content.selection)) as Parameters<typeof replaySelection>[0]
    expect(recorded.tied).toHaveLength(3)
    expect(replaySelection(recorded)).toBe(recorded.winner)
    expect(replaySelection({ ...recorded, candidates: [...recorded.candidates].reverse() })).toBe(recorded.winner)
  })
})
