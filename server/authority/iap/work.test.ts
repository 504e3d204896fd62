import { describe, expect, it } from 'vitest'
import { IapTask, PROPOSER } from '../../testing/iap-task.ts'
import { nextDue } from './absence.ts'

function atWork(...agents: readonly string[]): IapTask {
  const task = new IapTask(...(agents.length > 0 ? agents : ['b']))
  task.propose()
  for (const [index, agentId] of [...task.agents.keys()].filter((agentId) => agentId !== PROPOSER).entries()) task.bid(agentId, { estimatedCost: 10 + index })
  task.accept('b')
  return task
}

describe('IAP 1.8 TASK_RESULT', () => {
  it('is passed on to the proposer, refers to the acceptance, and ends the task', () => {
    const task = atWork()
    task.nowMs += 1500
    task.complete('b', { actualCost: 20 })
    expect(task.messages.at(-1)).toMatchObject({ type: 'TASK_RESULT', to: PROPOSER, correlationId: 'm0', payload: { status: 'completed', result: 42 }, metadata: { agentId: 'b', latencyMs: 1500 } })
    expect(task.last('task_result')).toMatchObject({ author: 'b', refs: [task.last('task_acceptance').ordinal], content: { latencyMs: 1500 } })
    expect(task.state!.status).toBe('completed')
    expect(nextDue(task.state!)).toBeUndefined()
  })

  it('of status failed ends the task as failed', () => {
    const task = atWork()
    task.act({ type: 'result', message: task.message('TASK_RESULT', 'b', { taskId: 'task_1', status: 'failed', error: { message: 'no' } }) })
    expect(task.state!.status).toBe('failed')
    expect(task.sentTo(PROPOSER)).toEqual(['TASK_RESULT'])
  })

  it.each([
    ['of another agent', (task: IapTask) => task.complete('c'), 'stale_assignment'],
    ['under another fence', (task: IapTask) => task.complete('b', { assignmentId: 'old' }), 'stale_assignment'],
    ['that does not fit the output schema', (task: IapTask) => task.complete('b', {}, '/sum must be of type number'), 'output_does_not_fit'],
  ] as const)('%s is kept as evidence, refused, and changes nothing', (_what, send, reason) => {
    const task = atWork('b', 'c')
    expect(send(task)).toMatchObject({ messages: [], error: { code: 'VALIDATION_ERROR', details: { reason } } })
    expect(task.last('task_result').content).toMatchObject({ refused: reason, result: { result: 42 } })
    expect(task.state!.status).toBe('in_progress')
    task.complete('b')
    expect(task.state!.status).toBe('completed')
  })

  it('after the time for the task is evidence, even before the timer rang, and after it too', () => {
    const task = atWork()
    task.nowMs = nextDue(task.state!)!
    expect(task.complete('b').error).toMatchObject({ details: { reason: 'late' } })
    task.due()
    expect(task.complete('b').error).toMatchObject({ details: { reason: 'stale_assignment' } })
    expect(task.types.filter((type) => type === 'task_result')).toHaveLength(2)
    expect(task.sentTo(PROPOSER)).toEqual(['ERROR'])
  })

  it('before an acceptance is evidence', () => {
    const task = new IapTask('b')
    task.propose()
    task.bid('b')
    expect(task.complete('b').error).toMatchObject({ details: { reason: 'not_accepted' } })
  })

  it('is not kept without end', () => {
    const task = atWork()
    for (let count = 0; count < 40; count++) task.complete('stranger')
    expect(task.state!.evidenceCount).toBe(32)
    expect(task.complete('b').error).toBeUndefined()
  })
})

describe('IAP 1.14 TASK_TIMEOUT', () => {
  it('runs from the acceptance, ends the task, and is told to proposer and assignee', () => {
    const task = atWork()
    const acceptedMs = task.nowMs
    task.due()
    expect(task.nowMs - acceptedMs).toBe(8000)
    expect(task.state).toMatchObject({ status: 'failed', failure: { code: 'TASK_TIMEOUT' } })
    expect(task.messages.slice(-2)).toMatchObject([{ to: PROPOSER, payload: { code: 'TASK_TIMEOUT', recoverable: false } }, { to: 'b', payload: { code: 'TASK_TIMEOUT' } }])
  })
})

describe('IAP 1.13 cancellation', () => {
  it('ends the task; the assignee hears of it, and who asked for it does not', () => {
    const task = atWork()
    task.act({ type: 'cancel', by: PROPOSER, reason: 'changed my mind' })
    expect(task.state!.status).toBe('cancelled')
    expect(task.messages.at(-1)).toMatchObject({ type: 'ERROR', to: 'b', payload: { details: { cancel: true } } })
    expect(task.sentTo(PROPOSER)).toEqual([])
    expect(task.act({ type: 'cancel', by: PROPOSER }).error).toMatchObject({ details: { reason: 'task_has_ended' } })
  })

  it('from the console is told to both', () => {
    const task = atWork()
    task.act({ type: 'cancel', by: 'urn:human:1' })
    expect([task.sentTo(PROPOSER), task.sentTo('b').at(-1)]).toEqual([['ERROR'], 'ERROR'])
    expect(task.complete('b').error).toMatchObject({ details: { reason: 'stale_assignment' } })
  })
})

describe('IAP 1.10 HEARTBEAT and DISCONNECT with work', () => {
  it('gives accepted work away at once when its holder takes its leave', () => {
    const task = atWork('b', 'c')
    task.leave('b', 'departed')
    expect(task.state).toMatchObject({ status: 'assigned', holding: { agent: { agentId: 'c' } } })
    expect(task.complete('b').error).toMatchObject({ details: { reason: 'stale_assignment' } })
    expect(task.last('task_result').refs).toEqual([task.records.findLast(({ type }) => type === 'task_acceptance')!.ordinal])
  })

  it('gives unaccepted work away at once when its holder is not heard any more', () => {
    const task = new IapTask('b', 'c')
    task.propose()
    task.bid('b', { estimatedCost: 1 })
    task.bid('c')
    task.leave('b', 'lost')
    expect(task.state!.holding!.agent.agentId).toBe('c')
  })

  it('keeps accepted work for the grace, and gives it away after', () => {
    const task = atWork('b', 'c')
    task.rules = { ...task.rules, graceMs: 1000 }
    task.leave('b', 'lost')
    expect(task.state).toMatchObject({ status: 'in_progress', holding: { graceUntilMs: task.nowMs + 1000 } })
    expect(task.leave('b', 'lost').records).toEqual([])
    task.due()
    expect(task.last('task_release').content).toMatchObject({ cause: 'offline' })
    expect(task.state!.holding!.agent.agentId).toBe('c')
  })

  it('leaves the work where it is when the holder is back within the grace', () => {
    const task = atWork('b', 'c')
    const fence = task.state!.holding!.assignmentId
    task.leave('b', 'lost')
    task.agent('b').isOnline = true
    task.act({ type: 'returned', agentId: 'b', isTakeover: false })
    expect(task.state!.holding).not.toHaveProperty('graceUntilMs')
    task.complete('b', { assignmentId: fence })
    expect(task.state!.status).toBe('completed')
  })

  it('keeps work over a session that replaced an open one, under a new fence', () => {
    const task = atWork()
    const fence = task.state!.holding!.assignmentId
    task.act({ type: 'returned', agentId: 'b', isTakeover: true })
    const renewed = task.state!.holding!.assignmentId
    expect(renewed).not.toBe(fence)
    expect(task.messages.at(-1)).toMatchObject({ type: 'TASK_ASSIGNMENT', to: 'b', payload: { assignmentId: renewed }, metadata: { resumed: true, accepted: true } })
    expect(task.complete('b', { assignmentId: fence }).error).toMatchObject({ details: { reason: 'stale_assignment' } })
    expect(task.complete('b', { assignmentId: renewed }).error).toBeUndefined()
  })

  it('lets the tasks of a proposer that left go on', () => {
    const task = atWork()
    task.leave(PROPOSER, 'departed')
    task.complete('b')
    expect(task.sentTo(PROPOSER)).toEqual(['TASK_RESULT'])
  })

  it('gives work away that its holder left and came back to without end', () => {
    const task = atWork('b', 'c')
    let turns = 0
    for (; turns < 5_000 && task.state!.holding?.agent.agentId === 'b'; turns++) {
      task.leave('b', 'lost')
      task.agent('b').isOnline = true
      task.act({ type: 'returned', agentId: 'b', isTakeover: false })
      if (task.state!.recordCount % 2 === 0) task.act({ type: 'returned', agentId: 'b', isTakeover: true })
    }
    expect([task.state!.holding?.agent.agentId, task.state!.recordCount < 4_110, turns > 1_000]).toEqual(['c', true, true])
  })

  it('keeps the fence as well where no message could tell of a new one', () => {
    const task = atWork('b')
    task.agent('b').hasRoom = false
    expect(task.act({ type: 'returned', agentId: 'b', isTakeover: true })).toEqual({ records: [], messages: [] })
    expect(task.complete('b', { assignmentId: task.state!.holding!.assignmentId }).error).toBeUndefined()
  })
})

describe('IAP 1.19 partial results', () => {
  it('reach a proposer that announced 1.1, in order, and refer to the acceptance', () => {
    const task = atWork()
    task.agent(PROPOSER).speaksAdditions = true
    task.part('b', 0)
    task.part('b', 1)
    expect(task.sentTo(PROPOSER)).toEqual(['TASK_PARTIAL_RESULT', 'TASK_PARTIAL_RESULT'])
    expect(task.last('task_partial_result').refs).toEqual([task.last('task_acceptance').ordinal])
    expect(task.part('b', 3).error).toMatchObject({ details: { reason: 'part_out_of_order' } })
    expect(task.part('b', 1).error).toMatchObject({ details: { reason: 'part_out_of_order' } })
  })

  it('are kept and not sent to a proposer of 1.0', () => {
    const task = atWork()
    task.part('b', 0)
    expect(task.sentTo(PROPOSER)).toEqual([])
    expect(task.types).toContain('task_partial_result')
  })

  it('are refused while too much waits for a proposer that is sent them; the result is not', () => {
    const task = atWork()
    Object.assign(task.agent(PROPOSER), { hasRoom: false, speaksAdditions: true })
    expect(task.part('b', 0)).toMatchObject({ records: [], messages: [], error: { code: 'AGENT_OVERLOAD', recoverable: true, details: { reason: 'mailbox_full' } } })
    task.complete('b')
    expect(task.sentTo(PROPOSER)).toEqual(['TASK_RESULT'])
  })

  it('are not kept without end, in number or in bytes, and the result still counts', () => {
    const many = atWork()
    for (let index = 0; index < 1_024; index++) expect(many.part('b', index).error).toBeUndefined()
    expect(many.part('b', 1_024)).toMatchObject({ records: [], messages: [], error: { code: 'VALIDATION_ERROR', details: { reason: 'too_many_parts' } } })
    const long = atWork()
    const mebibyte = 'ä'.repeat(512 * 1024 - 1)
    for (let index = 0; index < 4; index++) expect(long.part('b', index, mebibyte).error).toBeUndefined()
    expect(long.part('b', 4, '').error).toMatchObject({ details: { reason: 'too_many_parts' } })
    expect(long.complete('b').error).toBeUndefined()
  })

  it('count over all who had the task', () => {
    const task = atWork('b', 'c')
    for (let index = 0; index < 1_000; index++) task.part('b', index)
    task.leave('b', 'departed')
    const next = task.state!.holding!.agent.agentId
    task.accept(next)
    const taken = Array.from({ length: 40 }, (_, index) => task.part(next, index)).filter(({ error }) => error === undefined)
    expect([next, taken.length]).toEqual(['c', 24])
  })

  it('of anybody else, or before the acceptance, are refused', () => {
    expect(atWork('b', 'c').part('c', 0).error).toMatchObject({ details: { reason: 'stale_assignment' } })
  })
})

describe('IAP 1.17 result cache', () => {
  it('answers a proposal at once, says so, and asks nobody', () => {
    const task = new IapTask('b')
    const message = task.message('TASK_PROPOSAL', PROPOSER, { taskId: 'task_1', proposerId: PROPOSER, description: 'd', requiredCapability: 'data_analysis', input: {} })
    task.act({ type: 'proposal', message, cached: { result: 7 } })
    expect(task.messages).toMatchObject([{ type: 'TASK_RESULT', to: PROPOSER, payload: { result: 7 }, metadata: { cached: true } }])
    expect(task.types).toEqual(['task_proposal', 'task_result'])
    expect(task.state!.status).toBe('completed')
  })
})
