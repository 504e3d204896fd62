// What the I.A.P. door does when too much waits for somebody.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createContextTransferMessage, createTaskPartialResultMessage } from '../../../sdk/iap/create-messages.ts'
import { startServer } from '../../start.ts'
import { WORK_OFFER_CONTEXT } from '../../service/iap/work-bridge.ts'
import { BiddingMission } from '../../testing/iap/bidding-mission.ts'
import { IapServer } from '../../testing/iap/iap-server.ts'
import type { AgentTraits } from '../../testing/iap/test-agent.ts'
import { dataAnalysis, TestAgent } from '../../testing/iap/test-agent.ts'
import { skipReason } from '../../testing/test-database.ts'

const limits = { maxWaiting: { count: 3, bytes: 1_000_000 } }
let iap: IapServer
const able = (name: string, traits: AgentTraits & { readonly autoPong?: boolean } = {}) => iap.join(name, { capabilities: [dataAnalysis(`${name}.sum`)], ...traits })
const say = (from: TestAgent, toAgent: string) => from.send(createContextTransferMessage({ fromAgent: from.agentId, toAgent, taskId: 'task', contextType: 'note', data: {} }, { queue: true }))
const waitingFor = async (agentId: string) => (await iap.store.iap.waiting(agentId, 0, 100)).length

/** Ada proposed the task, Ben is at work on it. */
async function atWork(ada: TestAgent) {
  const ben = await able('ben', { protocolVersion: '1.1.0' })
  ada.propose('task', { maxLatency: 600_000 })
  await ben.next('TASK_PROPOSAL')
  ben.bid('task')
  const { payload } = await ben.next('TASK_ASSIGNMENT')
  ben.accept(payload)
  await ben.settle()
  return { ben, assignment: payload }
}

describe.skipIf(skipReason)(`bounds of the I.A.P. router${skipReason ? ` (${skipReason})` : ''}`, () => {
  beforeEach(async () => {
    iap = await IapServer.start(startServer, { limits })
  })
  afterEach(() => iap.end())

  it('IAP 1.14: asks nobody who does not take what it was sent; the proposer hears AGENT_OVERLOAD', async () => {
    const [ada, deaf] = [await iap.join('ada'), await able('deaf', { autoPong: false, maxConcurrentTasks: 100 })]
    for (let index = 0; index < 3; index++) {
      ada.propose(`task-${index}`)
      await deaf.next('TASK_PROPOSAL')
    }
    ada.propose('one-more')
    expect(await ada.nextError()).toMatchObject({ code: 'AGENT_OVERLOAD', relatedTaskId: 'one-more' })
    expect(await waitingFor('deaf')).toBe(3)
    // What waits is counted in the store, so it counts after a restart as well.
    await deaf.breakOff()
    await iap.restart({ limits })
    const [again, still] = [await iap.join('ada'), await able('deaf', { autoPong: false })]
    again.propose('yet-another')
    expect(await again.nextError()).toMatchObject({ code: 'AGENT_OVERLOAD' })
    await still.breakOff()
    await able('deaf')
    await expect.poll(() => waitingFor('deaf')).toBe(0)
  })

  it('IAP 1.7: refuses context for an agent that does not come for it, and keeps the result of its task all the same', async () => {
    const ada = await iap.join('ada', { protocolVersion: '1.1.0' })
    const { ben, assignment } = await atWork(ada)
    await ada.breakOff()
    for (let index = 0; index < 3; index++) say(ben, 'ada')
    await ben.settle()
    say(ben, 'ada')
    expect(await ben.nextError()).toMatchObject({ code: 'CONTEXT_TRANSFER_FAILED', recoverable: true, relatedTaskId: 'task', details: { reason: 'mailbox_full' } })
    ben.complete(assignment, 'kept')
    await ben.settle()
    expect(await waitingFor('ada')).toBe(4)
    const back = await iap.join('ada')
    for (let index = 0; index < 3; index++) await back.next('CONTEXT_TRANSFER')
    expect((await back.next('TASK_RESULT')).payload.result).toBe('kept')
  })

  it('IAP 1.19: refuses parts, and then proposals, of whoever does not take what it was sent', async () => {
    const ada = await iap.join('ada', { protocolVersion: '1.1.0', autoPong: false })
    const { ben, assignment: { taskId, assignmentId } } = await atWork(ada)
    const part = (index: number) => ben.send(createTaskPartialResultMessage({ taskId, assignmentId, index, part: index }, 'ben'))
    for (let index = 0; index < 3; index++) part(index)
    await ben.settle()
    part(3)
    expect(await ben.nextError()).toMatchObject({ code: 'AGENT_OVERLOAD', recoverable: true, details: { reason: 'mailbox_full' } })
    for (let index = 0; index < 3; index++) await ada.next('TASK_PARTIAL_RESULT')
    ada.propose('another')
    expect(await ada.nextError()).toMatchObject({ code: 'AGENT_OVERLOAD', relatedTaskId: 'another', details: { reason: 'mailbox_full' } })
    ben.complete({ taskId, assignmentId }, 'whole')
    expect((await ada.next('TASK_RESULT')).payload.result).toBe('whole')
  })

  it('IAP outbox: tells a Coordinator of an award as soon as it has some of what it was sent, if there was no room before', async () => {
    const missions = await BiddingMission.prepare(iap)
    const { groupId, workItemId } = await missions.found()
    await missions.enlist(groupId, 'cleo')
    const coordinator = await TestAgent.join(iap.url, missions.token, 'ada', { autoPong: false })
    const { ben } = await atWork(coordinator)
    const cleo = await able('cleo')
    coordinator.propose('work', { maxLatency: 600_000 }, { groupId, workItemId })
    await cleo.next('TASK_PROPOSAL')
    for (let index = 0; index < 3; index++) say(ben, 'ada')
    await ben.settle()
    cleo.bid('work')
    cleo.accept((await cleo.next('TASK_ASSIGNMENT')).payload)
    await cleo.settle()
    const count = (await missions.log(groupId)).length
    expect(await waitingFor('ada')).toBe(3)
    await coordinator.breakOff()
    const back = await TestAgent.join(iap.url, missions.token, 'ada')
    for (let index = 0; index < 3; index++) await back.next('CONTEXT_TRANSFER')
    expect((await back.next('CONTEXT_TRANSFER')).payload).toMatchObject({ taskId: 'work', contextType: WORK_OFFER_CONTEXT })
    expect((await missions.log(groupId)).length).toBe(count)
    await missions.coordinator.close()
  })

  it('IAP 1.14: begins no task for whoever has written all that it may to Spaces, and goes on with those that go on', async () => {
    await iap.end()
    iap = await IapServer.start(startServer, {}, { messages: 2, bytes: 0 })
    const ada = await iap.join('ada')
    const { ben, assignment } = await atWork(ada)
    ada.propose('second', { requiredCapability: 'x-nobody' })
    await ada.nextError()
    expect((await iap.records('second')).map(({ type }) => type)).toEqual(['iap/task_proposal', 'iap/task_failure'])
    ada.propose('third')
    expect(await ada.nextError()).toMatchObject({ code: 'AGENT_OVERLOAD', relatedTaskId: 'third', details: { reason: 'quota_exceeded' } })
    ben.complete(assignment, 'done')
    expect((await ada.next('TASK_RESULT')).payload.result).toBe('done')
    expect((await iap.records('task')).at(-1)!.type).toBe('iap/task_result')
  })

  it('IAP outbox: gives up after thirty days what nobody came for, and says so', async () => {
    const ada = await iap.join('ada')
    const { ben, assignment } = await atWork(ada)
    await ada.breakOff()
    say(ben, 'ada')
    ben.complete(assignment, 'never fetched')
    await ben.settle()
    expect(await waitingFor('ada')).toBe(2)
    iap.time.leap(31 * 24 * 3_600_000)
    await expect.poll(() => waitingFor('ada')).toBe(1)
    const back = await iap.join('ada')
    expect(await back.nextError()).toMatchObject({ code: 'VALIDATION_ERROR', details: { reason: 'messages_expired' } })
    expect((await iap.records('task')).at(-1)!.content).toMatchObject({ result: { result: 'never fetched' } })
  })
})
