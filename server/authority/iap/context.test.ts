// Who may send context of a task to whom, how much of it, and what the log keeps of it.
import { describe, expect, it } from 'vitest'
import { IapTask, PROPOSER } from '../../testing/iap-task.ts'
import type { TaskOutcome } from './types.ts'

const content = { sha256: 'a'.repeat(64), size: 12 }

/** The last agent has the task; those before it had it and let go. */
function atWork(...agentIds: readonly string[]): IapTask {
  const task = new IapTask('helper', 'stranger', ...agentIds)
  task.propose()
  for (const [rank, agentId] of agentIds.entries()) task.bid(agentId, { estimatedCost: rank })
  task.due()
  for (const agentId of agentIds.slice(0, -1)) task.reject(agentId)
  task.accept(agentIds.at(-1)!)
  return task
}

function transfer(task: IapTask, fromAgent: string, toAgent: string, metadata?: Record<string, unknown>): TaskOutcome {
  const message = task.message('CONTEXT_TRANSFER', fromAgent, { fromAgent, toAgent, taskId: 'task_1', contextType: 'history', data: { secret: 1 }, compression: 'none' }, metadata)
  return task.act({ type: 'context', message, content })
}
/** Why it was not passed on; undefined where it was. */
const reasonOf = (...asked: Parameters<typeof transfer>): unknown => transfer(...asked).error?.details?.reason

describe('IAP 1.7 CONTEXT_TRANSFER', () => {
  it('is passed on in the name of its sender; the log has hash and size and refers to the acceptance', () => {
    const task = atWork('b')
    transfer(task, 'b', 'helper')
    expect(task.messages.at(-1)).toMatchObject({ type: 'CONTEXT_TRANSFER', from: 'b', to: 'helper', payload: { data: { secret: 1 } } })
    expect(task.last('context_transfer')).toMatchObject({ refs: [task.last('task_acceptance').ordinal], content: { ...content, contextType: 'history' } })
    expect(JSON.stringify(task.last('context_transfer'))).not.toContain('secret')
  })

  it.each([[PROPOSER, 'b'], ['b', PROPOSER], ['b', 'helper'], [PROPOSER, 'helper']])('from %s to %s is allowed: the sender has the task or proposed it', (from, to) => {
    expect(reasonOf(atWork('b'), from, to)).toBeUndefined()
  })

  it.each([
    ['of a stranger to the holder', 'stranger', 'b', 'not_permitted'],
    ['of a stranger to the proposer', 'stranger', PROPOSER, 'not_permitted'],
    ['between two who have nothing to do with the task', 'stranger', 'helper', 'not_permitted'],
    ['to oneself', 'b', 'b', 'not_permitted'],
    ['to somebody who is not there', 'b', 'nobody', 'receiver_offline'],
  ])('%s fails', (_what, from, to, reason) => {
    expect(transfer(atWork('b'), from, to)).toMatchObject({ records: [], messages: [], error: { code: 'CONTEXT_TRANSFER_FAILED', recoverable: true, details: { reason } } })
  })

  it('of one that bid for the task and did not get it fails', () => {
    const task = new IapTask('b', 'loser')
    task.propose()
    for (const [cost, agentId] of ['b', 'loser'].entries()) task.bid(agentId, { estimatedCost: cost })
    task.accept('b')
    expect(reasonOf(task, 'loser', 'b')).toBe('not_permitted')
  })

  it('of whoever was sent some answers the parties, and nobody else', () => {
    const task = atWork('b')
    transfer(task, 'b', 'helper')
    expect([reasonOf(task, 'helper', 'b'), reasonOf(task, 'helper', 'stranger')]).toEqual([undefined, 'not_permitted'])
  })

  it('of whoever had the task hands it over', () => {
    const task = atWork('a', 'b')
    expect([reasonOf(task, 'a', 'b'), reasonOf(task, 'a', 'stranger')]).toEqual([undefined, 'not_permitted'])
  })

  it('waits for an absent agent that the task knows when the sender asks for it, and for no name that nobody may have', () => {
    const task = atWork('b')
    task.leave('b', 'lost')
    expect([reasonOf(task, PROPOSER, 'b'), reasonOf(task, PROPOSER, 'b', { queue: true }), reasonOf(task, PROPOSER, 'nobody', { queue: true })]).toEqual(['receiver_offline', undefined, 'receiver_offline'])
  })

  it('is refused while too much waits for its receiver', () => {
    const task = atWork('b')
    task.agent('b').hasRoom = false
    expect([reasonOf(task, PROPOSER, 'b'), reasonOf(task, PROPOSER, 'b', { queue: true })]).toEqual(['mailbox_full', 'mailbox_full'])
  })

  it('is not passed on without end', () => {
    const task = atWork('b')
    for (let count = 0; count < 1_024; count++) transfer(task, PROPOSER, 'b')
    expect([reasonOf(task, PROPOSER, 'b'), task.state!.contextCount]).toEqual(['too_many_contexts', 1_024])
  })

  it('fails once the task has ended, and for content that the door refuses', () => {
    const task = atWork('b')
    const message = task.message('CONTEXT_TRANSFER', 'b', { fromAgent: 'b', toAgent: 'helper', taskId: 'task_1', contextType: 'x', data: {} })
    expect(task.act({ type: 'context', message, content: { fault: 'larger than 1 MiB' } }).error).toMatchObject({ code: 'CONTEXT_TRANSFER_FAILED', message: 'larger than 1 MiB' })
    task.complete('b')
    expect(reasonOf(task, 'b', 'helper')).toBe('task_has_ended')
  })
})
