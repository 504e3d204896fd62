// Tasks over real sockets and a real PostgreSQL, from the proposal to the result, and what the Space keeps of them.
import { createHash } from 'node:crypto'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ContextTransfer, TaskAssignment } from '../../../protocol/iap/types.ts'
import { createContextTransferMessage, createDisconnectMessage, createErrorMessage, createTaskPartialResultMessage } from '../../../sdk/iap/create-messages.ts'
import { replaySelection } from '../../authority/iap/selection.ts'
import { startServer } from '../../start.ts'
import { IapServer } from '../../testing/iap/iap-server.ts'
import type { AgentTraits, TestAgent } from '../../testing/iap/test-agent.ts'
import { dataAnalysis } from '../../testing/iap/test-agent.ts'
import { skipReason } from '../../testing/test-database.ts'

let iap: IapServer
let round = 0
let ada: TestAgent
let ben: TestAgent
let cleo: TestAgent
let taskId: string
const joined: TestAgent[] = []

async function join(name: string, traits: AgentTraits = {}): Promise<TestAgent> {
  const agent = await iap.join(`${name}-${round}`, traits)
  joined.push(agent)
  return agent
}
const kind = () => `x-round-${round}`
const able = (name: string, traits: AgentTraits = {}, schemas = {}) => join(name, { ...traits, capabilities: [{ ...dataAnalysis(`${name}.sum`, schemas), type: kind() }] })
const propose = (changes = {}, metadata?: Record<string, unknown>) => ada.propose(taskId, { requiredCapability: kind(), ...changes }, metadata)

/** Ben has the task and is at work on it. */
async function atWork(changes = {}): Promise<TaskAssignment> {
  propose(changes)
  await Promise.all([ben, cleo].map((agent) => agent.next('TASK_PROPOSAL')))
  ben.bid(taskId, { estimatedCost: 1 })
  cleo.bid(taskId, { estimatedCost: 90 })
  const { payload } = await ben.next('TASK_ASSIGNMENT')
  ben.accept(payload)
  await ben.settle()
  return payload
}

describe.skipIf(skipReason)(`tasks of the I.A.P. door${skipReason ? ` (${skipReason})` : ''}`, () => {
  beforeAll(async () => {
    iap = await IapServer.start(startServer)
  })
  afterAll(() => iap.end())
  beforeEach(async () => {
    round++
    taskId = `task-${round}`
    ada = await join('ada', { protocolVersion: '1.1.0' })
    ben = await able('ben')
    cleo = await able('cleo')
  })
  afterEach(async () => {
    for (const agent of joined.splice(0)) await agent.breakOff()
  })

  describe('IAP 1.4–1.8 from proposal to result', () => {
    it('is one graph in a Space, each record in the name of its author', async () => {
      const proposal = propose()
      const asked = await Promise.all([ben, cleo].map((agent) => agent.next('TASK_PROPOSAL')))
      expect(asked.map(({ to, from, correlationId }) => [to, from, correlationId])).toEqual([[ben.agentId, 'router', proposal.messageId], [cleo.agentId, 'router', proposal.messageId]])
      ben.bid(taskId, { estimatedCost: 90 })
      await ben.settle()
      cleo.bid(taskId, { estimatedCost: 10 })
      const { payload: assignment } = await cleo.next('TASK_ASSIGNMENT')
      expect(assignment).toMatchObject({ taskId, bid: { bidderId: cleo.agentId, estimatedCost: 10 }, proposal: { input: { numbers: [1, 2] } } })
      cleo.accept(assignment)
      cleo.complete(assignment, { sum: 3 })
      expect(await ada.next('TASK_RESULT')).toMatchObject({ correlationId: proposal.messageId, payload: { status: 'completed', result: { sum: 3 } }, metadata: { agentId: cleo.agentId } })

      const records = await iap.records(taskId)
      expect(records.map(({ type }) => type)).toEqual(['iap/task_proposal', 'iap/task_broadcast', 'iap/task_bid', 'iap/task_bid', 'iap/task_assignment', 'iap/task_acceptance', 'iap/task_result'])
      const [offered, broadcast, loser, winner, assigned, accepted, done] = records
      expect(records.map(({ refs }) => refs)).toEqual([[], [offered!.id], [offered!.id], [offered!.id], [winner!.id, loser!.id], [assigned!.id], [accepted!.id]])
      const [adaNode, cleoNode] = await Promise.all([ada, cleo].map(({ agentId }) => nodeOf(agentId)))
      expect([offered!.sender, accepted!.sender, done!.sender]).toEqual([adaNode, cleoNode, cleoNode])
      expect(broadcast!.sender).toBe(assigned!.sender)
      expect([adaNode, cleoNode]).not.toContain(broadcast!.sender)
    })

    it('stands in the Space that the proposal names, where everybody else can be; an unknown one is refused', async () => {
      const { openSpaces } = iap.server.service
      const entered = await openSpaces.enter(await nodeOf(ada.agentId), { name: `meeting ${round}`, description: 'waits' })
      const spaceId = entered.ok ? entered.value.spaceId : ''
      propose({}, { spaceId })
      await ben.next('TASK_PROPOSAL')
      await iap.records(taskId)
      const read = await openSpaces.read(spaceId, { mode: 'all' }, {})
      expect(read.ok && read.value.map(({ contentType }) => contentType)).toEqual(['iap/task_proposal', 'iap/task_broadcast'])
      ada.propose(`${taskId}-other`, {}, { spaceId: 'urn:uuid:00000000-0000-4000-8000-000000000000' })
      expect(await ada.nextError()).toMatchObject({ code: 'VALIDATION_ERROR', details: { reason: 'unknown_space' } })
    })

    it('a choice can be made again from its record; equals are settled by the recorded seed', async () => {
      propose()
      await Promise.all([ben, cleo].map((agent) => agent.next('TASK_PROPOSAL')))
      ben.bid(taskId)
      cleo.bid(taskId)
      await Promise.race([ben.next('TASK_ASSIGNMENT'), cleo.next('TASK_ASSIGNMENT')].map((each) => each.catch(() => new Promise(() => undefined))))
      const { selection } = (await iap.records(taskId)).find(({ type }) => type === 'iap/task_assignment')!.content as { selection: Parameters<typeof replaySelection>[0] }
      expect(selection.tied).toHaveLength(2)
      expect(replaySelection(selection)).toBe(selection.winner)
    })

    it('closes the window at its end when somebody does not bid, and refuses what comes later', async () => {
      propose()
      await Promise.all([ben, cleo].map((agent) => agent.next('TASK_PROPOSAL')))
      ben.bid(taskId)
      await ben.settle()
      iap.time.leap(2_001)
      await ben.next('TASK_ASSIGNMENT')
      cleo.bid(taskId)
      expect(await cleo.nextError()).toMatchObject({ code: 'VALIDATION_ERROR', relatedTaskId: taskId, details: { reason: 'bid_window_closed' } })
    })

    it('fails with CAPABILITY_NOT_FOUND at once where nobody can, and at the end of the window where nobody bids', async () => {
      ada.propose(`${taskId}-a`, { requiredCapability: 'x-nobody' })
      expect(await ada.nextError()).toMatchObject({ code: 'CAPABILITY_NOT_FOUND', recoverable: true, relatedTaskId: `${taskId}-a` })
      propose()
      await ben.next('TASK_PROPOSAL')
      iap.time.leap(2_001)
      expect(await ada.nextError()).toMatchObject({ code: 'CAPABILITY_NOT_FOUND', relatedTaskId: taskId })
    })

    it('gives nobody more tasks than it takes at a time: AGENT_OVERLOAD', async () => {
      const other = await join('other', { capabilities: [{ ...dataAnalysis('one'), type: `${kind()}-one` }] })
      for (const id of ['first', 'second']) ada.propose(`${taskId}-${id}`, { requiredCapability: `${kind()}-one` })
      await other.next('TASK_PROPOSAL')
      await other.next('TASK_PROPOSAL')
      other.bid(`${taskId}-first`)
      other.bid(`${taskId}-second`)
      await other.next('TASK_ASSIGNMENT')
      expect(await ada.nextError()).toMatchObject({ code: 'AGENT_OVERLOAD', recoverable: true, relatedTaskId: `${taskId}-second` })
    })
  })

  describe('IAP 1.5 acceptance and rejection', () => {
    it('gives the task to the next bid after a rejection', async () => {
      propose()
      await Promise.all([ben, cleo].map((agent) => agent.next('TASK_PROPOSAL')))
      ben.bid(taskId, { estimatedCost: 1 })
      cleo.bid(taskId, { estimatedCost: 90 })
      ben.reject((await ben.next('TASK_ASSIGNMENT')).payload)
      await cleo.next('TASK_ASSIGNMENT')
    })

    it('takes ten seconds of silence for a rejection', async () => {
      propose()
      await Promise.all([ben, cleo].map((agent) => agent.next('TASK_PROPOSAL')))
      ben.bid(taskId, { estimatedCost: 1 })
      cleo.bid(taskId, { estimatedCost: 90 })
      const { payload } = await ben.next('TASK_ASSIGNMENT')
      iap.time.leap(10_001)
      await cleo.next('TASK_ASSIGNMENT')
      ben.accept(payload)
      expect(await ben.nextError()).toMatchObject({ details: { reason: 'stale_assignment' } })
    })

    it('asks all others once more when everybody refused, then fails with AGENT_OVERLOAD when load was the reason', async () => {
      propose()
      await Promise.all([ben, cleo].map((agent) => agent.next('TASK_PROPOSAL')))
      ben.bid(taskId, { estimatedCost: 1 })
      cleo.bid(taskId, { estimatedCost: 90 })
      ben.reject((await ben.next('TASK_ASSIGNMENT')).payload, 'AGENT_OVERLOAD')
      cleo.reject((await cleo.next('TASK_ASSIGNMENT')).payload)
      expect(await ada.nextError()).toMatchObject({ code: 'AGENT_OVERLOAD', relatedTaskId: taskId })
    })
  })

  describe('IAP 1.8 results', () => {
    it('of an agent that does not have the task are evidence in the Space and change nothing', async () => {
      const assignment = await atWork()
      cleo.complete({ taskId, assignmentId: assignment.assignmentId }, 'mine')
      expect(await cleo.nextError()).toMatchObject({ code: 'VALIDATION_ERROR', details: { reason: 'stale_assignment' } })
      ben.complete(assignment, 'right')
      expect((await ada.next('TASK_RESULT')).payload.result).toBe('right')
      const results = (await iap.records(taskId)).filter(({ type }) => type === 'iap/task_result')
      expect(results.map(({ content }) => content.refused)).toEqual(['stale_assignment', undefined])
    })

    it('that come twice reach the proposer once', async () => {
      const assignment = await atWork()
      const message = ben.complete(assignment, 1)
      ben.send(message)
      await ada.next('TASK_RESULT')
      await ben.settle()
      await ada.settle()
    })

    it('come in parts to a proposer of 1.1, before the whole', async () => {
      const { assignmentId } = await atWork()
      for (const index of [0, 1]) ben.send(createTaskPartialResultMessage({ taskId, assignmentId, index, part: `part ${index}` }, ben.agentId))
      ben.complete({ taskId, assignmentId }, 'whole')
      expect([(await ada.next('TASK_PARTIAL_RESULT')).payload.part, (await ada.next('TASK_PARTIAL_RESULT')).payload.part]).toEqual(['part 0', 'part 1'])
      await ada.next('TASK_RESULT')
    })

    it('are late after maxLatency: TASK_TIMEOUT for both, and evidence from then on', async () => {
      const assignment = await atWork({ maxLatency: 8000 })
      iap.time.leap(8_001)
      expect(await ada.nextError()).toMatchObject({ code: 'TASK_TIMEOUT', recoverable: false, relatedTaskId: taskId })
      expect(await ben.nextError()).toMatchObject({ code: 'TASK_TIMEOUT' })
      ben.complete(assignment, 'late')
      expect(await ben.nextError()).toMatchObject({ details: { reason: 'stale_assignment' } })
    })
  })

  describe('IAP schemas of capabilities', () => {
    it('keep a task from those whose input schema it does not fit', async () => {
      const strict = await able('strict', {}, { inputSchema: { type: 'object', required: ['numbers', 'unit'] } })
      propose()
      await Promise.all([ben, cleo].map((agent) => agent.next('TASK_PROPOSAL')))
      await strict.settle()
    })

    it('hold a result to the output schema; one that does not fit can be sent again', async () => {
      const outputSchema = { type: 'object', required: ['sum'], properties: { sum: { type: 'number' } } }
      const strict = await join('strict', { capabilities: [{ ...dataAnalysis('strict', { outputSchema }), type: `${kind()}-strict` }] })
      propose({ requiredCapability: `${kind()}-strict` })
      await strict.next('TASK_PROPOSAL')
      strict.bid(taskId)
      const { payload } = await strict.next('TASK_ASSIGNMENT')
      strict.accept(payload)
      strict.complete(payload, { sum: 'three' })
      expect(await strict.nextError()).toMatchObject({ code: 'VALIDATION_ERROR', details: { reason: 'output_does_not_fit' } })
      strict.complete(payload, { sum: 3 })
      expect((await ada.next('TASK_RESULT')).payload.result).toEqual({ sum: 3 })
    })

    it('cannot stop the server with a pattern that never ends', async () => {
      const inputSchema = { properties: { text: { pattern: '^(a+)+$' } } }
      await able('slow', {}, { inputSchema })
      propose({ input: { text: `${'a'.repeat(60)}!` } })
      await Promise.all([ben, cleo].map((agent) => agent.next('TASK_PROPOSAL')))
    })
  })

  describe('IAP 1.10 agents that go', () => {
    it('lose accepted work at once by DISCONNECT; the next bid gets it', async () => {
      await atWork()
      ben.send(createDisconnectMessage(ben.agentId))
      await cleo.next('TASK_ASSIGNMENT')
    })

    it('keep accepted work for the grace when they break off, and lose it after', async () => {
      await atWork({ maxLatency: 600_000 })
      await ben.breakOff()
      await expect.poll(async () => (await iap.store.iap.records([taskId])).at(-1)!.record).toContain('assignee_lost')
      iap.time.leap(60_001)
      await cleo.next('TASK_ASSIGNMENT')
    })

    it('go on with accepted work in the session that they open within the grace', async () => {
      const assignment = await atWork()
      await ben.breakOff()
      const back = await able('ben')
      back.complete(assignment, 'done')
      expect((await ada.next('TASK_RESULT')).payload.result).toBe('done')
    })

    it('get a new fence with a session that replaces an open one', async () => {
      const assignment = await atWork()
      const back = await able('ben')
      const renewed = await back.next('TASK_ASSIGNMENT')
      expect(renewed.metadata).toMatchObject({ resumed: true, accepted: true })
      back.complete(assignment, 'old fence')
      expect(await back.nextError()).toMatchObject({ details: { reason: 'stale_assignment' } })
      back.complete(renewed.payload, 'new fence')
      expect((await ada.next('TASK_RESULT')).payload.result).toBe('new fence')
    })

    it('get the result when they come back, if they proposed the task', async () => {
      const assignment = await atWork()
      await ada.breakOff()
      ben.complete(assignment, 'kept')
      await ben.settle()
      ada = await join('ada')
      expect((await ada.next('TASK_RESULT')).payload.result).toBe('kept')
    })
  })

  describe('IAP 1.13 cancellation', () => {
    it('is an ERROR of the proposer with details.cancel, and reaches the assignee', async () => {
      await atWork()
      ada.send(createErrorMessage(ada.agentId, 'router', { code: 'VALIDATION_ERROR', message: 'changed my mind', recoverable: true, relatedTaskId: taskId, details: { cancel: true } }))
      expect(await ben.nextError()).toMatchObject({ relatedTaskId: taskId, details: { cancel: true } })
      expect((await iap.store.iap.findTask(taskId))!.status).toBe('cancelled')
    })

    it('of anybody else does nothing', async () => {
      const assignment = await atWork()
      cleo.send(createErrorMessage(cleo.agentId, 'router', { code: 'X', message: '', recoverable: true, relatedTaskId: taskId, details: { cancel: true } }))
      await cleo.settle()
      ben.complete(assignment, 1)
      await ada.next('TASK_RESULT')
    })

    it('from the console is told to both', async () => {
      await atWork()
      expect(await iap.server.service.iap.cancel(taskId, 'urn:human:ada')).toBe(true)
      await Promise.all([ada, ben].map((agent) => agent.nextError()))
      expect(await iap.server.service.iap.cancel(taskId, 'urn:human:ada')).toBe(false)
    })
  })

  describe('IAP 1.17 result cache', () => {
    async function solve(id: string, metadata?: Record<string, unknown>, input: Record<string, unknown> = { round }): Promise<void> {
      ada.propose(id, { requiredCapability: kind(), input }, metadata)
      await Promise.all([ben, cleo].map((agent) => agent.next('TASK_PROPOSAL')))
      ben.bid(id, { estimatedCost: 1 })
      cleo.bid(id, { estimatedCost: 90 })
      const { payload } = await ben.next('TASK_ASSIGNMENT')
      ben.accept(payload)
      ben.complete(payload, `result of ${id}`)
      await ada.next('TASK_RESULT')
    }

    it('answers the same question at once and says so, where both proposals asked for it', async () => {
      await solve(`${taskId}-a`, { useCache: true })
      ada.propose(`${taskId}-b`, { requiredCapability: kind(), input: { round } }, { useCache: true })
      expect(await ada.next('TASK_RESULT')).toMatchObject({ payload: { result: `result of ${taskId}-a` }, metadata: { cached: true } })
      await ben.settle()
    })

    it('answers nobody who did not ask for it, and no other input', async () => {
      await solve(`${taskId}-a`, { useCache: true })
      await solve(`${taskId}-b`)
      await solve(`${taskId}-c`, { useCache: true }, { round, other: true })
    })
  })

  describe('IAP 1.7 CONTEXT_TRANSFER', () => {
    const secret = { text: 'known to two' }
    const packed = (pack: (bytes: Buffer) => Buffer, content: object = secret) => {
      const bytes = Buffer.from(JSON.stringify(content))
      return { encoding: 'base64', body: pack(bytes).toString('base64'), sha256: createHash('sha256').update(bytes).digest('hex'), size: bytes.length }
    }
    const send = (from: TestAgent, to: string, changes: Partial<ContextTransfer> = {}, metadata?: Record<string, unknown>) =>
      from.send(createContextTransferMessage({ fromAgent: from.agentId, toAgent: to, taskId, contextType: 'history', data: secret, ...changes }, metadata))

    it.each([
      ['none', secret],
      ['gzip', packed(gzipSync)],
      ['brotli', packed(brotliCompressSync)],
    ] as const)('with %s is passed on as it is; the Space has its hash and not its text', async (compression, data) => {
      await atWork()
      send(ada, ben.agentId, { compression, data })
      const { payload, from } = await ben.next('CONTEXT_TRANSFER')
      expect([from, payload.data]).toEqual([ada.agentId, data])
      const record = (await iap.records(taskId)).find(({ type }) => type === 'iap/context_transfer')!
      expect(record.content).toMatchObject({ sha256: packed(gzipSync).sha256, compression })
      expect(JSON.stringify(record)).not.toContain('known to two')
    })

    it.each([
      ['whose checksum is wrong', () => ({ ...packed(gzipSync), sha256: '0'.repeat(64) })],
      ['that inflates to more than allowed', () => packed(gzipSync, { text: 'x'.repeat(2_000_000) })],
      ['that is no gzip', () => ({ ...packed(gzipSync), body: 'AAAA' })],
    ])('%s fails', async (_what, data) => {
      await atWork()
      const packedData = data()
      send(ada, ben.agentId, { compression: 'gzip', data: { ...packedData, size: Math.min(packedData.size, 1_048_576) } })
      expect(await ada.nextError()).toMatchObject({ code: 'CONTEXT_TRANSFER_FAILED', recoverable: true, details: { reason: 'content_refused' } })
      await ben.settle()
    })

    it('between agents that have nothing to do with the task, or to one that is away, fails', async () => {
      await atWork()
      const stranger = await join('stranger')
      send(stranger, cleo.agentId)
      expect(await stranger.nextError()).toMatchObject({ code: 'CONTEXT_TRANSFER_FAILED', details: { reason: 'not_permitted' } })
      send(ben, 'nobody')
      expect(await ben.nextError()).toMatchObject({ details: { reason: 'receiver_offline' } })
    })

    it('waits for a receiver that is away where the sender asked for that', async () => {
      await atWork()
      await cleo.breakOff()
      send(ben, cleo.agentId, {}, { queue: true })
      await ben.settle()
      cleo = await able('cleo')
      expect((await cleo.next('CONTEXT_TRANSFER')).payload.data).toEqual(secret)
    })

    it('in chunks is held against its checksum once it is whole', async () => {
      await atWork()
      const { body, ...rest } = packed(gzipSync)
      const halves = [body.slice(0, 20), body.slice(20)]
      for (const index of [0, 1]) send(ada, ben.agentId, { compression: 'gzip', data: { ...rest, body: halves[index]! } }, { chunk: { index, count: 2 } })
      await ben.next('CONTEXT_TRANSFER')
      await ben.next('CONTEXT_TRANSFER')
      for (const index of [0, 1]) send(ada, ben.agentId, { compression: 'gzip', data: { ...rest, size: 5, body: halves[index]! } }, { chunk: { index, count: 2 } })
      expect(await ada.nextError()).toMatchObject({ code: 'CONTEXT_TRANSFER_FAILED' })
    })
  })

  describe('IAP 1.19 reputation', () => {
    it('is told as counts in the answer to a discovery', async () => {
      const assignment = await atWork()
      ben.complete(assignment, 1)
      await ada.next('TASK_RESULT')
      ada.send({ messageId: `look-${round}`, type: 'CAPABILITY_DISCOVERY', from: ada.agentId, to: 'router', timestamp: '2026-11-30T08:00:00Z', protocolVersion: '1.0.0', payload: { type: kind() } })
      const { agents } = (await ada.next('CAPABILITY_RESPONSE')).payload
      expect(agents.find(({ agentId }) => agentId === ben.agentId)!.reputation).toMatchObject({ 'ben.sum': { awarded: 1, completed: 1, failed: 0, timedOut: 0, released: 0 } })
      expect(agents.find(({ agentId }) => agentId === cleo.agentId)).not.toHaveProperty('reputation')
    })
  })
})

async function nodeOf(agentId: string): Promise<string> {
  return (await iap.server.service.openSpaces.nodes.ofPrincipal(await iap.principal(agentId)))!.nodeId
}
