// What the I.A.P. router keeps when the server goes down at the worst moment.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { IAPClient, IAPRefused } from '../../../sdk/iap/index.ts'
import { foldTask } from '../../authority/iap/evolve-task.ts'
import { recordFromSpace } from '../../authority/iap/records.ts'
import { startServer } from '../../start.ts'
import { IapServer } from '../../testing/iap/iap-server.ts'
import type { AgentTraits } from '../../testing/iap/test-agent.ts'
import { dataAnalysis } from '../../testing/iap/test-agent.ts'
import { skipReason } from '../../testing/test-database.ts'

/** Four decisions of a task and what was delivered of each, with all of its Messages and their ids written at once. */
const FEWEST_WRITES = 10

let iap: IapServer
const able = (name: string, traits: AgentTraits & { readonly autoPong?: boolean } = {}) => iap.join(name, { capabilities: [dataAnalysis(`${name}.sum`)], ...traits })

describe.skipIf(skipReason)(`the I.A.P. router after a restart${skipReason ? ` (${skipReason})` : ''}`, () => {
  beforeEach(async () => {
    iap = await IapServer.start(startServer)
  })
  afterEach(() => iap.end())

  it('goes on taking bids, and closes the window that ran out meanwhile once agents had time to come back', async () => {
    const [ada, ben] = [await iap.join('ada'), await able('ben')]
    await able('cleo')
    ada.propose('task')
    await ben.next('TASK_PROPOSAL')
    ben.bid('task')
    await ben.settle()
    await iap.restart()
    iap.time.leap(2_001)
    const back = await able('ben')
    iap.time.leap(5_001)
    expect((await back.next('TASK_ASSIGNMENT')).payload.bid).toMatchObject({ bidderId: 'ben' })
  })

  it('keeps accepted work and its fence, and passes on the result', async () => {
    const [ada, ben] = [await iap.join('ada'), await able('ben')]
    ada.propose('task', { maxLatency: 600_000 })
    const assignment = await ben.takeOn('task')
    await iap.restart()
    const [proposer, worker] = [await iap.join('ada'), await able('ben')]
    worker.complete(assignment, 'done')
    expect((await proposer.next('TASK_RESULT')).payload.result).toBe('done')
  })

  it('gives accepted work away when its holder does not come back within the grace', async () => {
    const [ada, ben] = [await iap.join('ada'), await able('ben')]
    await able('cleo').then((cleo) => {
      ada.propose('task', { maxLatency: 600_000 })
      return cleo.next('TASK_PROPOSAL').then(() => cleo.bid('task', { estimatedCost: 90 }))
    })
    await ben.next('TASK_PROPOSAL')
    ben.bid('task', { estimatedCost: 1 })
    ben.accept((await ben.next('TASK_ASSIGNMENT')).payload)
    await ben.settle()
    await iap.restart()
    const cleo = await able('cleo')
    iap.time.leap(5_001)
    await expect.poll(async () => (await iap.store.iap.records(['task'])).at(-1)!.record).toContain('assignee_lost')
    iap.time.leap(60_001)
    await cleo.next('TASK_ASSIGNMENT')
  })

  it('sends again what an agent never showed to have got, and nothing that it showed', async () => {
    const [ada, deaf] = [await iap.join('ada'), await able('deaf', { autoPong: false })]
    const hearing = await able('hearing')
    ada.propose('task')
    const [lost] = [await deaf.next('TASK_PROPOSAL'), await hearing.next('TASK_PROPOSAL')]
    await expect.poll(() => iap.store.iap.waiting('hearing', 0, 10)).toEqual([])
    await iap.restart()
    const [again, back] = [await able('deaf'), await able('hearing')]
    expect(await again.next('TASK_PROPOSAL')).toEqual(lost)
    await back.settle()
    await expect.poll(() => iap.store.iap.waiting('deaf', 0, 10)).toEqual([])
  })

  it('answers what it answered before, and refuses other content under the same id', async () => {
    const ada = await iap.join('ada')
    const proposal = ada.propose('task', {}, { spaceId: 'nowhere' })
    const refused = await ada.next('ERROR')
    await iap.restart()
    const back = await iap.join('ada')
    back.send(proposal)
    expect(await back.next('ERROR')).toEqual(refused)
    back.send({ ...proposal, metadata: {} })
    expect(await back.nextError()).toMatchObject({ details: { reason: 'message_id_reused' } })
  })

  it('publishes once what was decided and not published', async () => {
    const [ada, ben] = [await iap.join('ada'), await able('ben')]
    ada.propose('task')
    await ben.next('TASK_PROPOSAL')
    ben.bid('task')
    await ben.next('TASK_ASSIGNMENT')
    const before = await iap.records('task')
    // As if the server had died after the Message was written and before its id was noted.
    await iap.store.iap.published('task', before.length - 1, null as never)
    await iap.restart()
    expect(await iap.records('task')).toEqual(before)
    expect((await iap.store.iap.records(['task'])).at(-1)!.messageId).toBe(before.at(-1)!.id)
  })

  it('folds a task from its Space to the same state as from its own records', async () => {
    const [ada, ben] = [await iap.join('ada'), await able('ben')]
    ada.propose('task')
    await ben.next('TASK_PROPOSAL')
    ben.bid('task')
    const { payload } = await ben.next('TASK_ASSIGNMENT')
    ben.accept(payload)
    ben.complete(payload, { sum: 3 })
    await ada.next('TASK_RESULT')
    const spoken = (await iap.records('task')).map(({ type, content }) => recordFromSpace(type, content))
    const kept = (await iap.store.iap.records(['task'])).map(({ record }) => JSON.parse(record) as never)
    expect(foldTask(spoken)).toEqual(foldTask(kept))
    expect(foldTask(spoken)!.status).toBe('completed')
  })

  it.each(['before', 'after'] as const)('loses and repeats nothing, whichever write the server dies at: just %s it', async (when) => {
    const backoff = { firstMs: 10, maxMs: 50 }
    const [ada, ben] = [new IAPClient(iap.url, { token: await iap.token('ada'), backoff }), new IAPClient(iap.url, { token: await iap.token('ben'), backoff })]
    await ada.connect({ agentId: 'ada', name: 'Ada', capabilities: [] })
    await ben.connect({ agentId: 'ben', name: 'Ben', capabilities: [dataAnalysis('sum')], maxConcurrentTasks: 100 })
    ben.on('TASK_PROPOSAL', ({ payload: { taskId } }) => ben.bid({ taskId, estimatedCost: 1, estimatedLatency: 1, confidence: 1 }))
    ben.on('TASK_ASSIGNMENT', ({ payload }) => {
      ben.accept(payload)
      ben.sendResult({ taskId: payload.taskId, assignmentId: payload.assignmentId, status: 'completed', result: payload.taskId })
    })
    const agents = ['ada', 'ben']
    const isWritten = async (taskId: string) => {
      if (!(await iap.store.iap.findTask(taskId))?.isOver) return false
      await iap.server.service.iap.published()
      return (await Promise.all(agents.map((agent) => iap.store.iap.waiting(agent, 0, 1)))).flat().length === 0
    }
    // The writes of one task: four decisions, seven Messages and their ids, and what was delivered. What comes close together is written together.
    for (let write = 1; write <= 18; write++) {
      const taskId = `task-${write}`
      let hasDied = false
      // Answered when the only agent that can is back from the restart before.
      await ben.discover()
      const died = iap.dieAt(write, when).then(() => (hasDied = true))
      // Where the proposal itself was lost, it may be sent again before the only agent that can is back.
      const told = ada
        .propose({ taskId, description: 'Sum it', requiredCapability: 'DATA_ANALYSIS', input: { write }, maxLatency: 600_000 })
        .catch((fault: unknown) => (fault instanceof IAPRefused ? fault.payload : Promise.reject(fault as Error)))
      await expect.poll(async () => hasDied || (await isWritten(taskId)), { timeout: 30_000, interval: 5 }).toBe(true)
      if (!hasDied) {
        expect(write).toBeGreaterThan(FEWEST_WRITES)
        expect(await told).toMatchObject({ status: 'completed', result: taskId })
        break
      }
      await died
      await iap.restart()
      const answer = await told
      const records = await iap.records(taskId)
      const state = foldTask(records.map(({ type, content }) => recordFromSpace(type, content)))!
      expect(records.map(({ content }) => content.ordinal)).toEqual(records.map((_record, index) => index))
      expect(answer).toMatchObject(state.status === 'completed' ? { status: 'completed', result: taskId } : { code: 'CAPABILITY_NOT_FOUND' })
      expect(state.bids.length > 0).toBe(state.status === 'completed')
      expect(records.filter(({ type }) => ['iap/task_result', 'iap/task_failure'].includes(type))).toHaveLength(1)
    }
    await Promise.all([ada.close(), ben.close()])
  })

  it('IAP 1.18: IAPClient carries a task through a restart of the server without losing or repeating anything', async () => {
    const backoff = { firstMs: 10, maxMs: 50 }
    const [ada, ben] = [new IAPClient(iap.url, { token: await iap.token('ada'), backoff }), new IAPClient(iap.url, { token: await iap.token('ben'), backoff })]
    await ada.connect({ agentId: 'ada', name: 'Ada', capabilities: [] })
    await ben.connect({ agentId: 'ben', name: 'Ben', capabilities: [dataAnalysis('sum')] })
    const assigned = new Promise<{ taskId: string; assignmentId: string }>((resolve) => ben.on('TASK_ASSIGNMENT', ({ payload }) => resolve(payload)))
    ben.on('TASK_PROPOSAL', ({ payload: { taskId } }) => ben.bid({ taskId, estimatedCost: 1, estimatedLatency: 1, confidence: 1 }))
    const result = ada.propose({ description: 'Sum it', requiredCapability: 'DATA_ANALYSIS', input: {}, maxLatency: 600_000 })
    const assignment = await assigned
    ben.accept(assignment)
    await iap.restart()
    ben.sendResult({ ...assignment, status: 'completed', result: 42 })
    expect(await result).toMatchObject({ status: 'completed', result: 42 })
    await Promise.all([ada.close(), ben.close()])
  })
})
