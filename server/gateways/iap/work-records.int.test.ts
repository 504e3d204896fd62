// Records of a negotiation about a WorkItem stand in the log of its Mission once, at whichever write the server dies.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { EventPayloads } from '../../../protocol/generated/types.ts'
import { IAP_RECORDED } from '../../../protocol/kinds.ts'
import { IAPClient, IAPRefused } from '../../../sdk/iap/index.ts'
import { startServer } from '../../start.ts'
import { BiddingMission } from '../../testing/iap/bidding-mission.ts'
import { IapServer } from '../../testing/iap/iap-server.ts'
import { dataAnalysis } from '../../testing/iap/test-agent.ts'
import { skipReason } from '../../testing/test-database.ts'

const backoff = { firstMs: 10, maxMs: 50 }

describe.skipIf(skipReason)(`a negotiation about a WorkItem${skipReason ? ` (${skipReason})` : ''}`, () => {
  let iap: IapServer
  let missions: BiddingMission
  let work: { readonly groupId: string; readonly workItemId: string }
  let [coordinator, ben]: IAPClient[] = []

  beforeAll(async () => {
    iap = await IapServer.start(startServer)
    missions = await BiddingMission.prepare(iap)
    work = await missions.found()
    await missions.enlist(work.groupId, 'ben')
    await missions.coordinator.close()
    coordinator = new IAPClient(iap.url, { token: missions.token, backoff })
    ben = new IAPClient(iap.url, { token: await iap.token('ben'), backoff })
    await coordinator.connect({ agentId: 'coordinator', name: 'Coordinator', capabilities: [] })
    await ben.connect({ agentId: 'ben', name: 'Ben', capabilities: [dataAnalysis('sum')], maxConcurrentTasks: 100 })
    ben.on('TASK_PROPOSAL', ({ payload: { taskId } }) => ben!.bid({ taskId, estimatedCost: 1, estimatedLatency: 1, confidence: 1 }))
    ben.on('TASK_ASSIGNMENT', ({ payload: { taskId, assignmentId }, metadata }) => {
      if (metadata?.accepted !== true) ben!.accept({ taskId, assignmentId })
      ben!.sendResult({ taskId, assignmentId, status: 'completed', result: taskId })
    })
  })
  afterAll(async () => {
    await Promise.all([coordinator?.close(), ben?.close()])
    await iap.end()
  })

  const recordsOf = async (taskId: string) =>
    (await missions.log(work.groupId)).filter(({ event }) => event.kind === IAP_RECORDED).map(({ event }) => (event.payload as EventPayloads[typeof IAP_RECORDED]).record).filter((record) => record.taskId === taskId)

  it.each(['before', 'after'] as const)('IAP: is in the log of the Mission once and in order, when the server dies %s any of its writes', async (when) => {
    // Four decisions, the ids of six records, what the Coordinator is told and what was delivered.
    for (let write = 1; write <= 12; write++) {
      const taskId = `${when}-${write}`
      const died = iap.dieAt(write, when)
      const result = coordinator!.propose({ taskId, description: 'Sum it', requiredCapability: 'DATA_ANALYSIS', input: { write }, maxLatency: 600_000 }, { work }).catch((fault: unknown) => fault)
      await died
      await iap.restart()
      const told = await result
      const records = await recordsOf(taskId)
      expect(records.map(({ ordinal }) => ordinal)).toEqual(records.map((_record, index) => index))
      expect(records.map(({ ordinal }) => ordinal)).toEqual((await iap.store.iap.records([taskId])).map(({ ordinal }) => ordinal))
      if (told instanceof IAPRefused) expect(records.at(-1)).toMatchObject({ type: 'task_failure' })
      else expect(records.at(-1)).toMatchObject({ type: 'task_result', content: { result: { result: taskId } } })
    }
  })
})
