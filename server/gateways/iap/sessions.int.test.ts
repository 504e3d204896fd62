// Who may come in and speak as whom, over real sockets: tokens, HANDSHAKE, repeats, limits, and every way a session ends.
import { once } from 'node:events'
import { WebSocket } from 'ws'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createErrorMessage, createHeartbeatMessage, createMessageBatch, createTaskBidMessage, createTaskProposalMessage } from '../../../sdk/iap/create-messages.ts'
import { startServer } from '../../start.ts'
import { IapServer } from '../../testing/iap/iap-server.ts'
import { dataAnalysis, refusalOf as refusalAt, TestAgent } from '../../testing/iap/test-agent.ts'
import { skipReason } from '../../testing/test-database.ts'

let iap: IapServer
let count = 0
/** A name that no other test uses. */
const name = (stem: string) => `${stem}-${++count}`
const refusalOf = (...asked: [headers: Record<string, string>, protocols?: readonly string[]]) => refusalAt(iap.url, ...asked)
const looking = (agentId: string, messageId: string, payload: object = {}) => ({ messageId, type: 'CAPABILITY_DISCOVERY', from: agentId, to: 'router', timestamp: '2026-11-30T08:00:00Z', protocolVersion: '1.0.0', payload })
async function statusOf(headers: Record<string, string>, protocols: readonly string[] = []): Promise<number | undefined> {
  const refused = await refusalOf(headers, protocols)
  return refused === undefined ? 101 : refused.statusCode
}

describe.skipIf(skipReason)(`sessions of the I.A.P. door${skipReason ? ` (${skipReason})` : ''}`, () => {
  beforeAll(async () => {
    iap = await IapServer.start(startServer)
  })
  afterAll(() => iap.end())

  describe('IAP security: authentication at the WebSocket layer', () => {
    it('answers 401 without a token, with a wrong one, and with one for another door', async () => {
      const principalId = await iap.principal(name('elsewhere'))
      const other = await iap.server.service.doors.tokens.issue({ principalId, doors: ['mcp'], label: 'elsewhere' })
      expect(other.ok).toBe(true)
      expect(await statusOf({})).toBe(401)
      expect(await statusOf({ authorization: `Bearer ${'0'.repeat(64)}` })).toBe(401)
      expect(await statusOf({ authorization: `Bearer ${other.ok ? other.value.token : ''}` })).toBe(401)
    })

    it('takes the token among the subprotocols from clients that can set no header, and does not send it back', async () => {
      const socket = new WebSocket(iap.url, ['countersign.iap', `bearer.${await iap.token(name('browser'))}`])
      await once(socket, 'open')
      expect(socket.protocol).toBe('countersign.iap')
      socket.terminate()
    })

    it('refuses pages of a foreign origin', async () => {
      expect(await statusOf({ authorization: `Bearer ${await iap.token(name('page'))}`, origin: 'https://elsewhere.example' })).toBe(403)
    })

    it('locks nobody out whom it knows by the guesses of others at the same address', async () => {
      const own = await IapServer.start(startServer)
      try {
        const answer = async (token: string) => (await refusalAt(own.url, { authorization: `Bearer ${token}` }))?.statusCode ?? 101
        const known = await own.token('known')
        expect(await answer(known)).toBe(101)
        const guess = () => Promise.all(Array.from({ length: 60 }, () => answer('0'.repeat(64))))
        while (!(await guess()).includes(429));
        expect(await answer(known)).toBe(101)
      } finally {
        await own.end()
      }
    })

    it('closes with 4401 when the token is revoked', async () => {
      const agentId = name('revoked')
      const agent = await iap.join(agentId)
      const principalId = await iap.principal(agentId)
      const { tokens } = iap.server.service.doors
      for (const token of await tokens.list()) if (token.principalId === principalId) await tokens.revoke(token.tokenId)
      expect(await agent.closeCode).toBe(4401)
    })
  })

  describe('IAP 1.1 HANDSHAKE', () => {
    it('is answered with session, agent, version, time, heartbeat interval and limits', async () => {
      const agentId = name('new')
      const agent = await TestAgent.open(iap.url, await iap.token(agentId), agentId)
      agent.introduce()
      const { payload, from, correlationId } = await agent.next('HANDSHAKE_ACK')
      expect(payload).toMatchObject({ agentId, protocolVersion: '1.0.0', heartbeatIntervalMs: 30_000, limits: { maxContextBytes: 1_048_576 } })
      expect(payload.sessionId).toMatch(/^urn:uuid:/)
      expect([from, typeof correlationId]).toEqual(['router', 'string'])
    })

    it('must come first', async () => {
      const agentId = name('early')
      const agent = await TestAgent.open(iap.url, await iap.token(agentId), agentId)
      agent.send(looking(agentId, 'm1'))
      expect(await agent.nextError()).toMatchObject({ code: 'VALIDATION_ERROR', details: { reason: 'handshake_required' } })
      expect(await agent.closeCode).toBe(4003)
    })

    it('binds the agent id to the Principal of the token for good; another Principal is refused it', async () => {
      const agentId = name('owned')
      await (await iap.join(agentId)).breakOff()
      const thief = await TestAgent.open(iap.url, await iap.token(name('thief')), agentId)
      thief.introduce()
      expect(await thief.nextError()).toMatchObject({ code: 'VALIDATION_ERROR', details: { reason: 'agent_taken' } })
      expect(await thief.closeCode).toBe(4003)
    })

    it('refuses a second agent id for one Principal', async () => {
      const agentId = name('first')
      await (await iap.join(agentId)).breakOff()
      const again = await TestAgent.open(iap.url, await iap.token(agentId), name('second'))
      again.introduce()
      expect(await again.nextError()).toMatchObject({ details: { reason: 'identity' } })
    })

    it('of an agent that is online wins over its older session, which is closed with 4001', async () => {
      const agentId = name('twice')
      const old = await iap.join(agentId)
      const fresh = await iap.join(agentId)
      expect(await old.closeCode).toBe(4001)
      await fresh.settle()
    })

    it('said again on one socket renews the capabilities and keeps the session', async () => {
      const [agentId, other] = [name('renewed'), await iap.join(name('other'))]
      const agent = await TestAgent.open(iap.url, await iap.token(agentId), agentId)
      agent.introduce({ capabilities: [dataAnalysis('old')] })
      const before = await agent.next('HANDSHAKE_ACK')
      agent.introduce({ capabilities: [dataAnalysis('new')] })
      const after = await agent.next('HANDSHAKE_ACK')
      expect(after.payload.sessionId).toBe(before.payload.sessionId)
      other.send(looking(other.agentId, 'm1'))
      const found = await other.next('CAPABILITY_RESPONSE')
      expect(found.payload.agents.find((each) => each.agentId === agentId)!.capabilities.map(({ id }) => id)).toEqual(['new'])
    })

    it('refuses a capability whose schema is none, and one that refers to another document', async () => {
      for (const inputSchema of [{ type: 'nothing' }, { $ref: 'https://elsewhere.example/schema.json' }]) {
        const agentId = name('schema')
        const agent = await TestAgent.open(iap.url, await iap.token(agentId), agentId)
        agent.introduce({ capabilities: [dataAnalysis('x', { inputSchema })] })
        expect(await agent.nextError()).toMatchObject({ code: 'VALIDATION_ERROR', details: { reason: 'capability' } })
      }
    })
  })

  describe('IAP versions', () => {
    it('closes after PROTOCOL_VERSION_MISMATCH for another major', async () => {
      const agentId = name('future')
      const agent = await TestAgent.open(iap.url, await iap.token(agentId), agentId)
      agent.introduce({ protocolVersion: '2.0.0' })
      expect(await agent.nextError()).toMatchObject({ code: 'PROTOCOL_VERSION_MISMATCH', recoverable: false })
      expect(await agent.closeCode).toBe(4005)
    })

    it('answers an unknown type of the same major with VALIDATION_ERROR and goes on', async () => {
      const agent = await iap.join(name('minor'))
      agent.send({ ...looking(agent.agentId, 'm1'), type: 'SOMETHING_NEW', protocolVersion: '1.7.0' })
      expect(await agent.nextError()).toMatchObject({ code: 'VALIDATION_ERROR', recoverable: true, correlationId: 'm1' })
      await agent.settle()
    })
  })

  describe('IAP spoofing', () => {
    it.each(['from', 'proposerId', 'bidderId'])('refuses a message whose %s is another agent', async (member) => {
      const agent = await iap.join(name('liar'))
      const other = name('victim')
      const proposal = createTaskProposalMessage({ taskId: name('task'), proposerId: member === 'proposerId' ? other : agent.agentId, description: '', requiredCapability: 'data_analysis', input: {} })
      const bid = createTaskBidMessage({ taskId: 'task', bidderId: other, estimatedCost: 1, estimatedLatency: 1, confidence: 1 }, agent.agentId)
      agent.send(member === 'bidderId' ? bid : { ...proposal, from: member === 'from' ? other : agent.agentId })
      expect(await agent.nextError()).toMatchObject({ code: 'VALIDATION_ERROR', details: { reason: 'identity' } })
      await agent.settle()
    })
  })

  describe('IAP repeated messages', () => {
    it('of the same content get the same answer, over connections too, and happen once', async () => {
      const agentId = name('repeats')
      const agent = await iap.join(agentId)
      const proposal = agent.propose(name('task'), { requiredCapability: 'x-nobody' })
      const failed = await agent.next('ERROR')
      expect(failed.payload.code).toBe('CAPABILITY_NOT_FOUND')
      // Until then it would be delivered once more.
      await expect.poll(() => iap.store.iap.waiting(agentId, 0, 10)).toEqual([])
      await agent.breakOff()
      const back = await iap.join(agentId)
      back.send(proposal)
      await back.settle()
      expect(await iap.store.iap.records([proposal.payload.taskId])).toHaveLength(2)
    })

    it('of a discovery are answered as things are now: its answers, of any length, are not kept', async () => {
      const agentId = name('looks-again')
      const agent = await iap.join(agentId)
      agent.send(looking(agentId, 'look', { type: 'x-later' }))
      expect((await agent.next('CAPABILITY_RESPONSE')).payload.agents).toEqual([])
      expect(await iap.store.iap.findReceived(agentId, 'look')).toMatchObject({ answers: '[]' })
      const later = await iap.join(name('later'), { capabilities: [{ ...dataAnalysis('later'), type: 'x-later' }] })
      await agent.breakOff()
      const back = await iap.join(agentId)
      back.send(looking(agentId, 'look', { type: 'x-later' }))
      expect((await back.next('CAPABILITY_RESPONSE')).payload.agents).toMatchObject([{ agentId: later.agentId }])
    })

    it('of other content under a used id are refused', async () => {
      const agent = await iap.join(name('reuses'))
      agent.send(looking(agent.agentId, 'same'))
      await agent.next('CAPABILITY_RESPONSE')
      agent.send(looking(agent.agentId, 'same', { includeSelf: true }))
      expect(await agent.nextError()).toMatchObject({ code: 'VALIDATION_ERROR', details: { reason: 'message_id_reused' } })
    })
  })

  describe('IAP 1.9 ERROR', () => {
    it('is never answered with an ERROR', async () => {
      const agent = await iap.join(name('complains'))
      agent.send(createErrorMessage(agent.agentId, 'router', { code: 'SOMETHING_ODD', message: '', recoverable: true }, 'unknown'))
      agent.send({ ...createErrorMessage(agent.agentId, 'router', { code: 'X', message: '', recoverable: true }), from: 'somebody-else' })
      await agent.settle()
    })

    it('for what is no JSON, or repeats a member, names the reason, and the connection stays', async () => {
      const agent = await iap.join(name('garbles'))
      agent.send('{')
      expect(await agent.nextError()).toMatchObject({ code: 'VALIDATION_ERROR', details: { reason: 'malformed' } })
      agent.send('{"a":1,"a":2}')
      expect(await agent.nextError()).toMatchObject({ details: { reason: 'malformed' } })
      await agent.settle()
    })
  })

  describe('IAP limits', () => {
    it('refuses a message that is too long, and takes the next one', async () => {
      const agent = await iap.join(name('long'))
      agent.propose(name('task'), { input: { text: 'x'.repeat(200_000) } })
      expect(await agent.nextError()).toMatchObject({ details: { reason: 'too_long' } })
      await agent.settle()
    })

    it('closes with 1009 for a frame that no message can need, and with 1003 for bytes', async () => {
      const [long, binary] = [await iap.join(name('huge')), await iap.join(name('binary'))]
      long.send('x'.repeat(1_700_000))
      expect(await long.closeCode).toBe(1009)
      binary.sendBytes(new Uint8Array([1]))
      expect(await binary.closeCode).toBe(1003)
    })

    it('refuses messages that come too fast, and closes with 4006 when they go on coming', async () => {
      const agent = await iap.join(name('fast'))
      const heartbeat = JSON.stringify(createHeartbeatMessage(agent.agentId))
      for (let sent = 0; sent < 6_000; sent++) agent.send(heartbeat)
      expect(await agent.closeCode).toBe(4006)
      expect(agent.received.at(-1)).toMatchObject({ type: 'ERROR', payload: { code: 'VALIDATION_ERROR', details: { reason: 'rate_limited' } } })
    })

    it('does not begin anew with every connection: who overdrew it is answered 429 before the upgrade', async () => {
      const agentId = name('insistent')
      const agent = await iap.join(agentId)
      for (let sent = 0; sent < 60; sent++) agent.introduce()
      expect(await agent.closeCode).toBe(4006)
      const refused = await refusalOf({ authorization: `Bearer ${await iap.token(agentId)}` })
      expect(refused?.statusCode).toBe(429)
      expect(Number(refused?.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    })

    it('gives a Principal only so many connections', async () => {
      const agentId = name('many')
      const token = await iap.token(agentId)
      for (let open = 0; open < 4; open++) await TestAgent.open(iap.url, token, agentId)
      expect(await statusOf({ authorization: `Bearer ${token}` })).toBe(429)
    })
  })

  describe('IAP 1.10 HEARTBEAT and DISCONNECT', () => {
    it('takes an agent for gone that is silent for three intervals, and closes with 4002', async () => {
      const [silent, other] = [await iap.join(name('silent')), await iap.join(name('lively'))]
      iap.time.leap(30_000)
      iap.time.leap(30_000)
      other.send(createHeartbeatMessage(other.agentId, { currentLoad: 0.5 }))
      await other.settle()
      iap.time.leap(30_000)
      expect(await silent.closeCode).toBe(4002)
      other.send(looking(other.agentId, 'm1', { includeSelf: true }))
      const { agents } = (await other.next('CAPABILITY_RESPONSE')).payload
      expect(agents.find(({ agentId }) => agentId === other.agentId)).toMatchObject({ currentLoad: 0.5 })
      expect(agents.some(({ agentId }) => agentId === silent.agentId)).toBe(false)
    })

    it('closes with 1000 on DISCONNECT', async () => {
      const agent = await iap.join(name('leaves'))
      agent.send({ ...looking(agent.agentId, 'm1'), type: 'DISCONNECT' })
      expect(await agent.closeCode).toBe(1000)
    })
  })

  describe('IAP 1.1 batches', () => {
    it('are taken apart for peers that announced 1.1, one answer for each message', async () => {
      const agentId = name('batches')
      const agent = await iap.join(agentId, { protocolVersion: '1.1.0' })
      const looks = ['a', 'b'].map((id) => looking(agentId, id) as never)
      agent.send(createMessageBatch(looks, agentId))
      expect([(await agent.next('CAPABILITY_RESPONSE')).correlationId, (await agent.next('CAPABILITY_RESPONSE')).correlationId]).toEqual(['a', 'b'])
    })

    it('are refused from peers of 1.0, and within batches', async () => {
      const old = await iap.join(name('old'))
      old.send(createMessageBatch([looking(old.agentId, 'a') as never], old.agentId))
      expect(await old.nextError()).toMatchObject({ details: { reason: 'not_announced' } })
      const agent = await iap.join(name('nests'), { protocolVersion: '1.1.0' })
      agent.send(createMessageBatch([createMessageBatch([looking(agent.agentId, 'a') as never], agent.agentId)], agent.agentId))
      expect(await agent.nextError()).toMatchObject({ details: { reason: 'nested_batch' } })
    })
  })
})
