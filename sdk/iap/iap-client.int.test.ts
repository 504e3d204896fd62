import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WebSocketServer } from 'ws'
import type { AddressInfo } from 'node:net'
import type { IAPMessageOf, TaskAssignment } from '../../protocol/iap/types.ts'
import type { MessageType } from '../../protocol/iap/message-type.ts'
import { IapRouter } from '../../server/testing/iap-router.ts'
import { deferred } from '../deferred.ts'
import { createHandshakeAckMessage } from './create-messages.ts'
import type { IAPClientOptions, Introduction, ReceivedContext } from './iap-client.ts'
import { IAPClient } from './iap-client.ts'

const backoff = { firstMs: 5, maxMs: 20 }
const capability = { id: 'sum', type: 'data_analysis', name: 'Sum', description: 'Adds' }
const clients: IAPClient[] = []
let router: IapRouter

beforeEach(async () => void (router = await IapRouter.start()))
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()))
  await router.stop()
})

async function join(agentId: string, introduction: Partial<Introduction> = {}, options: IAPClientOptions = {}): Promise<IAPClient> {
  const client = new IAPClient(router.url, { token: agentId, backoff, ...options })
  clients.push(client)
  await client.connect({ agentId, name: agentId, capabilities: [capability], ...introduction })
  return client
}

/** An agent that bids for everything and accepts what it gets. */
async function bidder(agentId: string, work: (client: IAPClient, assignment: TaskAssignment) => void, estimatedCost = 10): Promise<IAPClient> {
  const client = await join(agentId)
  client.on('TASK_PROPOSAL', ({ payload: { taskId } }) => client.bid({ taskId, estimatedLatency: 100, estimatedCost, confidence: 0.9, queueDepth: 0 }))
  client.on('TASK_ASSIGNMENT', ({ payload }) => {
    client.accept(payload)
    work(client, payload)
  })
  return client
}
const finish = (client: IAPClient, { taskId, assignmentId }: TaskAssignment) => client.sendResult({ taskId, assignmentId, status: 'completed', result: 42 })
const next = <T extends MessageType>(client: IAPClient, type: T) => new Promise<IAPMessageOf<T>>((resolve) => { const end = client.on(type, (message) => { end(); resolve(message) }) })
const question = { description: 'Sum it', requiredCapability: 'DATA_ANALYSIS', input: { a: 1 } }

describe('IAP 1.18 IAPClient', () => {
  it('connects with an introduction as the text prints it, and is told of its session', async () => {
    const client = new IAPClient(router.url)
    clients.push(client)
    expect(await client.connect({ agentId: 'langchain_001', name: 'LangChain Agent', capabilities: [] })).toMatchObject({ agentId: 'langchain_001', heartbeatIntervalMs: 30_000 })
    expect(client.flowState).toBe('connected')
  })

  it('proposes a task, which the better bidder does', async () => {
    const proposer = await join('a')
    await bidder('b', finish, 90)
    await bidder('c', finish, 10)
    expect(await proposer.propose(question)).toMatchObject({ status: 'completed', result: 42 })
    expect(router.records.find(({ type }) => type === 'task_assignment')).toMatchObject({ content: { agentId: 'c' } })
    expect(proposer.flowState).toBe('connected')
  })

  it('discovers who is there', async () => {
    const client = await join('a')
    await join('b')
    expect((await client.discover({ type: 'data_analysis' })).agents).toMatchObject([{ agentId: 'b', capabilities: [capability] }])
  })

  it('is told why a task found nobody', async () => {
    const client = await join('a')
    await expect(client.propose({ ...question, requiredCapability: 'x-unheard' })).rejects.toMatchObject({ name: 'IAPRefused', payload: { code: 'CAPABILITY_NOT_FOUND', recoverable: true } })
  })

  it('hears parts of a result while the work goes on', async () => {
    const proposer = await join('a')
    await bidder('b', (client, assignment) => {
      client.sendPart(assignment, 0, 'one')
      client.sendPart(assignment, 1, 'two')
      finish(client, assignment)
    })
    const parts: unknown[] = []
    await proposer.propose(question, { onPart: (part) => parts.push(part) })
    expect(parts).toEqual(['one', 'two'])
  })

  it('is answered from the cache only where it asks for that', async () => {
    const proposer = await join('a')
    let worked = 0
    await bidder('b', (client, assignment) => {
      worked += 1
      finish(client, assignment)
    })
    for (const useCache of [true, true, false]) expect(await proposer.propose(question, { useCache })).toMatchObject({ result: 42 })
    expect(worked).toBe(2)
  })

  it('cancels a task of its own, and the assignee hears of it', async () => {
    const proposer = await join('a')
    const started = deferred<TaskAssignment>()
    const worker = await bidder('b', (_client, assignment) => started.resolve(assignment))
    const result = proposer.propose({ ...question, taskId: 'task_c' })
    await started.promise
    const told = next(worker, 'ERROR')
    proposer.cancel('task_c')
    expect((await told).payload.details).toMatchObject({ cancel: true })
    await expect(result).rejects.toThrow('cancelled')
  })

  it('ends for good when the token is not taken, or another version is spoken', async () => {
    await expect(join('a', {}, { token: 'revoked' })).rejects.toMatchObject({ name: 'IAPUnauthorized' })
    await expect(join('a', { protocolVersion: '2.0.0' })).rejects.toMatchObject({ payload: { code: 'PROTOCOL_VERSION_MISMATCH' } })
  })

  it('does not fight over a session that a newer one replaced', async () => {
    const first = await join('a')
    await join('a')
    expect(await first.over).toMatchObject({ name: 'SessionReplaced' })
  })
})

describe('IAP 1.10 IAPClient over broken connections', () => {
  it('gets a result that came while it was away, once', async () => {
    const proposer = await join('a')
    const started = deferred<[IAPClient, TaskAssignment]>()
    await bidder('b', (...work) => started.resolve(work))
    const results: unknown[] = []
    proposer.on('TASK_RESULT', ({ payload }) => results.push(payload))
    const result = proposer.propose(question)
    const work = await started.promise
    router.cut('a')
    finish(...work)
    expect(await result).toMatchObject({ result: 42 })
    expect(results).toHaveLength(1)
  })

  it('keeps its work over a reconnection', async () => {
    const proposer = await join('a')
    const started = deferred<[IAPClient, TaskAssignment]>()
    await bidder('b', (...work) => started.resolve(work))
    const result = proposer.propose(question)
    const [worker, assignment] = await started.promise
    await worker.discover()
    router.cut('b')
    await worker.discover()
    finish(worker, assignment)
    expect(await result).toMatchObject({ result: 42 })
  })

  it('hears a message once that comes twice, and sends what was not received again in the same bytes', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
    await once(server, 'listening')
    const texts: string[] = []
    const heard: string[] = []
    const twice = deferred<void>()
    server.on('connection', (socket) => {
      socket.on('message', (data) => {
        const message = JSON.parse(String(data)) as { type: string; messageId: string }
        if (message.type === 'HANDSHAKE') {
          const ack = createHandshakeAckMessage({ sessionId: 's', agentId: 'a', protocolVersion: '1.0.0', serverTime: new Date().toISOString(), heartbeatIntervalMs: 30_000, limits: { maxMessageBytes: 1, maxContextBytes: 1, maxBatchMessages: 1 } }, message.messageId)
          const note = { ...ack, messageId: 'note', type: 'ERROR', payload: { code: 'VALIDATION_ERROR', message: 'note', recoverable: true } }
          for (const each of [ack, note, note]) socket.send(JSON.stringify(each))
        } else if (message.type === 'CAPABILITY_DISCOVERY' && texts.push(String(data)) === 1) socket.terminate()
        else if (texts.length === 2) twice.resolve()
      })
    })
    const client = new IAPClient(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, { backoff })
    client.on('ERROR', ({ messageId }) => heard.push(messageId))
    await client.connect({ agentId: 'a', name: 'a', capabilities: [] })
    client.discover().catch(() => undefined)
    await twice.promise
    expect(texts[1]).toBe(texts[0])
    expect(heard).toEqual(['note'])
    await client.close()
    for (const socket of server.clients) socket.terminate()
    server.close()
  })
})

describe('IAP 1.7 IAPClient and context', () => {
  it.each([['none', { a: 1 }], ['gzip', { a: 1 }], ['brotli', { text: randomBytes(90_000).toString('hex') }]] as const)('hands %s context over whole', async (compression, data) => {
    const proposer = await join('a')
    const started = deferred<TaskAssignment>()
    const worker = await bidder('b', (_client, assignment) => started.resolve(assignment))
    proposer.propose(question).catch(() => undefined)
    const { taskId } = await started.promise
    const received = new Promise<ReceivedContext>((resolve) => worker.onContext(resolve))
    await proposer.transferContext({ toAgent: 'b', taskId, contextType: 'history', data, compression })
    expect(await received).toMatchObject({ transfer: { fromAgent: 'a', compression }, data })
  })
})
