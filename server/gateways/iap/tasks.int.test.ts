// Tasks over real sockets and a real PostgreSQL, from the HANDSHAKE to the result, and what the Space keeps of them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer } from '../../start.ts'
import { skipReason } from '../../testing/test-database.ts'
import { IapServer } from '../../testing/iap/iap-server.ts'
import { dataAnalysis } from '../../testing/iap/test-agent.ts'

describe.skipIf(skipReason)(`the I.A.P. door${skipReason ? ` (${skipReason})` : ''}`, () => {
  let iap: IapServer
  beforeAll(async () => {
    iap = await IapServer.start(startServer, { rules: { bidWindowMs: 60_000 } })
  })
  afterAll(() => iap.end())

  it('IAP 1.1–1.9: handshake, discovery, proposal, bids, assignment, acceptance and result are one graph in a Space', async () => {
    const ada = await iap.join('ada')
    const [ben, cleo] = await Promise.all(['ben', 'cleo'].map((name) => iap.join(name, { capabilities: [dataAnalysis(`${name}.sum`)] })))
    ada.send({ ...discovery('ada') })
    const found = await ada.next('CAPABILITY_RESPONSE')
    expect(found.payload.agents.map(({ agentId }) => agentId).sort()).toEqual(['ben', 'cleo'])

    const proposal = ada.propose('task-one')
    const asked = await Promise.all([ben!, cleo!].map((agent) => agent.next('TASK_PROPOSAL')))
    expect(asked.map(({ to, from, correlationId }) => [to, from, correlationId])).toEqual([['ben', 'router', proposal.messageId], ['cleo', 'router', proposal.messageId]])
    ben!.bid('task-one', { estimatedCost: 90 })
    cleo!.bid('task-one', { estimatedCost: 10 })
    const assignment = await cleo!.next('TASK_ASSIGNMENT')
    expect(assignment.payload).toMatchObject({ taskId: 'task-one', bid: { bidderId: 'cleo', estimatedCost: 10 }, proposal: { input: { numbers: [1, 2] } } })
    cleo!.accept(assignment.payload)
    cleo!.complete(assignment.payload, { sum: 3 })
    const result = await ada.next('TASK_RESULT')
    expect(result).toMatchObject({ correlationId: proposal.messageId, payload: { status: 'completed', result: { sum: 3 } }, metadata: { agentId: 'cleo' } })

    const records = await iap.records('task-one')
    expect(records.map(({ type }) => type)).toEqual(['iap/task_proposal', 'iap/task_broadcast', 'iap/task_bid', 'iap/task_bid', 'iap/task_assignment', 'iap/task_acceptance', 'iap/task_result'])
    const [offered, , benBid, cleoBid, assigned, accepted, done] = records
    const bids = [benBid!, cleoBid!].sort((a) => (a.content.author === 'cleo' ? -1 : 1))
    expect(assigned!.refs).toEqual(bids.map(({ id }) => id))
    expect([benBid!.refs, cleoBid!.refs]).toEqual([[offered!.id], [offered!.id]])
    expect([accepted!.refs, done!.refs]).toEqual([[assigned!.id], [accepted!.id]])
    const nodeOf = async (name: string) => (await iap.server.service.openSpaces.nodes.ofPrincipal(await iap.principal(name)))!.nodeId
    expect([offered!.sender, accepted!.sender, done!.sender]).toEqual([await nodeOf('ada'), await nodeOf('cleo'), await nodeOf('cleo')])
  })
})

const discovery = (agentId: string) => ({ messageId: 'look', type: 'CAPABILITY_DISCOVERY', from: agentId, to: 'router', timestamp: '2026-11-30T08:00:00Z', protocolVersion: '1.0.0', payload: {} })
