// Two servers on one store: one of them serves the Inter-Agent Protocol, and the other takes over when it goes.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startServer } from '../../start.ts'
import { IapServer } from '../../testing/iap/iap-server.ts'
import { dataAnalysis, refusalOf, TestAgent } from '../../testing/iap/test-agent.ts'
import { skipReason } from '../../testing/test-database.ts'

let iap: IapServer
let there: { readonly origin: string; readonly port: number }
const urlOf = ({ port }: { readonly port: number }) => `ws://127.0.0.1:${port}/iap`
const headersFor = async (agentId: string) => ({ authorization: `Bearer ${await iap.token(agentId)}` })
const readiness = async ({ origin }: { readonly origin: string }) => (await fetch(`${origin}/readyz`)).json()
const able = async (node: { readonly port: number }, name: string) => TestAgent.join(urlOf(node), await iap.token(name), name, { capabilities: [dataAnalysis(`${name}.sum`)] })

describe.skipIf(skipReason)(`the I.A.P. door on two nodes${skipReason ? ` (${skipReason})` : ''}`, () => {
  beforeEach(async () => {
    iap = await IapServer.start(startServer)
    there = await iap.another()
  })
  afterEach(() => iap.end())

  it('is open on one of them; the other answers 503, when to come back and why, and both say so in their readiness', async () => {
    await iap.join('ada')
    expect(await refusalOf(urlOf(there), await headersFor('ada'))).toMatchObject({ statusCode: 503, headers: { 'retry-after': '2' }, text: expect.stringContaining('Another node serves') as string })
    // Who has no token learns nothing of it.
    expect(await refusalOf(urlOf(there), {})).toMatchObject({ statusCode: 401, text: '' })
    expect([await readiness(iap.server), await readiness(there)]).toEqual([{ ready: true, iap: true }, { ready: true, iap: false }])
  })

  it('opens on the other when the first stops, with all that went on', async () => {
    const [ada, ben] = [await iap.join('ada'), await able(iap.server, 'ben')]
    ada.propose('task', { maxLatency: 600_000 })
    const assignment = await ben.takeOn('task')
    await iap.stop()
    expect([await ada.closeCode, await ben.closeCode]).toEqual([1001, 1001])
    await expect.poll(() => readiness(there), { timeout: 20_000 }).toMatchObject({ iap: true })
    const [proposer, worker] = [await able(there, 'ada'), await able(there, 'ben')]
    worker.complete(assignment, 'done')
    expect((await proposer.next('TASK_RESULT')).payload.result).toBe('done')
  })

  it('ends its sessions when its node may no longer be the one, and one of both is again', async () => {
    const ada = await iap.join('ada')
    await iap.breakLocks()
    expect(await ada.closeCode).toBe(1001)
    await expect.poll(async () => (await Promise.all([readiness(iap.server), readiness(there)])).filter(({ iap: isServing }) => isServing).length, { timeout: 20_000 }).toBe(1)
    const serving = (await readiness(there)).iap ? there : iap.server
    await (await able(serving, 'ada')).settle()
  })
})
