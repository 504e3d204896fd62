import { describe, expect, it } from 'vitest'
import { composeMessage } from '../../../protocol/iap/compose.ts'
import type { MessageType } from '../../../protocol/iap/message-type.ts'
import type { AgentHandshake, IAPMessageOf } from '../../../protocol/iap/types.ts'
import { resultCacheKey } from './result-cache.ts'
import type { OnlineAgent, Roster } from './roster.ts'
import { discover, eligibleAgents, silentAgents, standingOf } from './roster.ts'
import type { SessionFacts } from './session.ts'
import { admitHandshake, admitMessage, judgeRepeat } from './session.ts'

const time = '2026-11-30T08:00:00.000Z'
const capability = (id: string, type: string, more: object = {}) => ({ id, type, name: id, description: id, ...more })
const handshake = (agentId: string, more: Partial<AgentHandshake> = {}): AgentHandshake => ({ agentId, name: agentId, version: '1', protocolVersion: '1.0.0', capabilities: [capability('sum', 'data_analysis')], ...more })
const message = (type: MessageType, from: string, payload: object) => composeMessage(type, { messageId: 'm1', from, to: 'router', timestamp: time }, payload as never)
const greeting = (agentId: string, more: Partial<AgentHandshake> = {}) => message('HANDSHAKE', agentId, handshake(agentId, more)) as unknown as IAPMessageOf<'HANDSHAKE'>
const online = (agentId: string, more: Partial<AgentHandshake> = {}, changes: Partial<OnlineAgent> = {}): OnlineAgent => ({ agentId, principalId: `p.${agentId}`, sessionId: `s.${agentId}`, handshake: handshake(agentId, more), currentLoad: 0, lastHeardMs: 0, ...changes })
const rosterOf = (...agents: readonly OnlineAgent[]): Roster => new Map(agents.map((agent) => [agent.agentId, agent]))

const facts = (changes: Partial<SessionFacts> = {}): SessionFacts => ({
  roster: new Map(), owner: { principalId: 'p.a', ownerOf: () => undefined, boundAgentId: undefined }, nowMs: 0, sessionId: 's1', heartbeatIntervalMs: 30_000,
  limits: { maxMessageBytes: 1, maxContextBytes: 2, maxBatchMessages: 3 }, ...changes,
})

describe('IAP 1.1 HANDSHAKE at the router', () => {
  it('must come first: anything else is refused and closes', () => {
    expect(admitMessage(message('HEARTBEAT', 'a', {}), undefined)).toMatchObject({ ok: false, error: { closes: true, error: { code: 'VALIDATION_ERROR', details: { reason: 'handshake_required' } } } })
    expect(admitMessage({ nonsense: 1 }, undefined)).toMatchObject({ ok: false, error: { closes: true } })
    expect(admitMessage(greeting('a'), undefined).ok).toBe(true)
  })

  it('of another major is PROTOCOL_VERSION_MISMATCH and closes, whatever else it holds', () => {
    expect(admitMessage({ ...greeting('a', { protocolVersion: '2.0.0' }), protocolVersion: '2.0.0' }, undefined)).toMatchObject({ ok: false, error: { closes: true, error: { code: 'PROTOCOL_VERSION_MISMATCH', recoverable: false } } })
    expect(admitMessage({ protocolVersion: '3.0.0' }, online('a'))).toMatchObject({ ok: false, error: { error: { code: 'PROTOCOL_VERSION_MISMATCH' } } })
    expect(admitMessage(greeting('a', { protocolVersion: '2.0.0' }), undefined)).toMatchObject({ ok: false, error: { error: { code: 'VALIDATION_ERROR' } } })
  })

  it('a second one renews what the agent can do, in the same session', () => {
    const session = online('a', {}, { sessionId: 's1', principalId: 'p.a' })
    const renewed = admitHandshake(greeting('a', { maxConcurrentTasks: 9 }), session, facts({ roster: rosterOf(session), sessionId: 's2' }))
    expect(renewed).toMatchObject({ ok: true, value: { agent: { sessionId: 's1', handshake: { maxConcurrentTasks: 9 } } } })
    expect(renewed).not.toHaveProperty('value.replaces')
  })

  it('of an agent that is online replaces its session for the same Principal, and is refused to another', () => {
    const present = online('a', {}, { sessionId: 'old', principalId: 'p.a' })
    expect(admitHandshake(greeting('a'), undefined, facts({ roster: rosterOf(present) }))).toMatchObject({ ok: true, value: { replaces: 'old' } })
    const owner = { principalId: 'p.b', ownerOf: () => 'p.a', boundAgentId: undefined }
    expect(admitHandshake(greeting('a'), undefined, facts({ owner }))).toMatchObject({ ok: false, error: { closes: true, error: { code: 'VALIDATION_ERROR', details: { reason: 'agent_taken' } } } })
  })

  it('under another name than the token has is refused', () => {
    const owner = { principalId: 'p.a', ownerOf: () => undefined, boundAgentId: 'other' }
    expect(admitHandshake(greeting('a'), undefined, facts({ owner }))).toMatchObject({ ok: false, error: { closes: true } })
  })
})

describe('IAP 1.2 HANDSHAKE_ACK', () => {
  it('tells session, agent, version, time, interval and limits', () => {
    expect(admitHandshake(greeting('a'), undefined, facts({ nowMs: Date.parse(time) }))).toMatchObject({
      ok: true,
      value: { ack: { sessionId: 's1', agentId: 'a', protocolVersion: '1.0.0', serverTime: time, heartbeatIntervalMs: 30_000, limits: { maxMessageBytes: 1, maxContextBytes: 2, maxBatchMessages: 3 } } },
    })
  })
})

describe('IAP 1.16 security', () => {
  it.each([
    ['a false from', message('HEARTBEAT', 'b', {})],
    ['a false proposer', { ...message('TASK_PROPOSAL', 'a', { taskId: 't', proposerId: 'b', description: '', requiredCapability: 'sum', input: {} }) }],
    ['a false bidder', message('TASK_BID', 'a', { taskId: 't', bidderId: 'b', estimatedLatency: 1, estimatedCost: 1, confidence: 1 })],
    ['a false sender of context', message('CONTEXT_TRANSFER', 'a', { fromAgent: 'b', toAgent: 'c', taskId: 't', contextType: 'x', data: {} })],
    ['a second handshake for another agent', greeting('b')],
  ])('refuses %s and keeps the connection', (_what, value) => {
    expect(admitMessage(value, online('a'))).toMatchObject({ ok: false, error: { closes: false, error: { code: 'VALIDATION_ERROR', details: { reason: 'identity' } } } })
  })

  it('refuses an unknown type of the same major and keeps the connection', () => {
    expect(admitMessage({ ...message('HEARTBEAT', 'a', {}), type: 'TASK_AUCTION' }, online('a'))).toMatchObject({ ok: false, error: { closes: false, error: { code: 'VALIDATION_ERROR' } } })
  })

  it('knows a message that comes twice from one that reuses an id', () => {
    expect(judgeRepeat(undefined, 'x')).toBe('new')
    expect(judgeRepeat('x', 'x')).toBe('repeat')
    expect(judgeRepeat('x', 'y')).toMatchObject({ closes: false, error: { code: 'VALIDATION_ERROR', details: { reason: 'message_id_reused' } } })
  })
})

describe('IAP 1.3 CAPABILITY_DISCOVERY and CAPABILITY_RESPONSE', () => {
  const roster = rosterOf(online('a'), online('b', { framework: 'none', maxConcurrentTasks: 2 }), online('c', { capabilities: [capability('run', 'CODE_EXECUTION')] }))
  const seen = { maySee: () => true, recordOf: () => undefined }
  const ids = (query: object, changes: object = {}) => discover(roster, 'a', query, { ...seen, ...changes }).agents.map(({ agentId }) => agentId)

  it('tells of all others that are online, and of the asker if it wants', () => {
    expect(ids({})).toEqual(['b', 'c'])
    expect(ids({ includeSelf: true })).toEqual(['a', 'b', 'c'])
  })

  it('by type, folded', () => {
    expect(ids({ type: 'DATA_ANALYSIS' })).toEqual(['b'])
    expect(ids({ type: 'code_execution' })).toEqual(['c'])
  })

  it('never of somebody whom the asker may not see', () => expect(ids({}, { maySee: (agentId: string) => agentId !== 'b' })).toEqual(['c']))

  it('with capabilities, load and what the log tells of each', () => {
    const record = { awarded: 2, completed: 1, failed: 1, timedOut: 0, released: 0 }
    const { agents } = discover(roster, 'a', {}, { ...seen, recordOf: (agentId) => (agentId === 'b' ? record : undefined) })
    expect(agents[0]).toEqual({ agentId: 'b', name: 'b', version: '1', framework: 'none', capabilities: [capability('sum', 'data_analysis')], maxConcurrentTasks: 2, currentLoad: 0, reputation: { sum: record } })
    expect(agents[1]).not.toHaveProperty('reputation')
  })
})

describe('IAP 1.4 who a proposal goes to', () => {
  const proposal = { taskId: 't', proposerId: 'a', description: '', requiredCapability: 'DATA_ANALYSIS', input: {} }
  const fits = () => true
  const present = (roster: Roster, held: readonly (readonly [string, number])[] = [], full?: string) => ({ roster, held: new Map(held), hasRoom: (agentId: string) => agentId !== full })

  it('agents of that type or with a capability of that id, never the proposer', () => {
    const roster = rosterOf(online('a'), online('b'), online('c', { capabilities: [capability('run', 'code_execution')] }))
    expect(eligibleAgents(present(roster), proposal, fits)).toEqual({ eligible: [{ agentId: 'b', capabilityId: 'sum' }], busy: 0 })
    expect(eligibleAgents(present(roster), { ...proposal, requiredCapability: 'run' }, fits).eligible).toEqual([{ agentId: 'c', capabilityId: 'run' }])
  })

  it('with a free slot: one where they say nothing, none at full load', () => {
    const roster = rosterOf(online('b'), online('c', { maxConcurrentTasks: 2 }), online('d', {}, { currentLoad: 1 }), online('e', { maxConcurrentTasks: 0 }))
    expect(eligibleAgents(present(roster, [['b', 1], ['c', 1]]), proposal, fits)).toMatchObject({ eligible: [{ agentId: 'c' }], busy: 3 })
    expect(standingOf(present(roster, [['c', 5]]), 'c')).toEqual({ isOnline: true, freeSlots: 0, speaksAdditions: false, hasRoom: true })
  })

  it('none that does not take what it was sent: it counts as busy', () => {
    const roster = rosterOf(online('b'), online('c'))
    expect(eligibleAgents(present(roster, [], 'b'), proposal, fits)).toMatchObject({ eligible: [{ agentId: 'c' }], busy: 1 })
    expect(standingOf(present(roster, [], 'gone'), 'gone')).toMatchObject({ isOnline: false, hasRoom: false })
  })

  it('whose input schema the input fits; the output schema goes along', () => {
    const outputSchema = { type: 'object' }
    const roster = rosterOf(online('b', { capabilities: [capability('strict', 'data_analysis'), capability('wide', 'data_analysis', { outputSchema })] }))
    expect(eligibleAgents(present(roster), proposal, ({ id }) => id === 'wide').eligible).toEqual([{ agentId: 'b', capabilityId: 'wide', outputSchema }])
    expect(eligibleAgents(present(roster), proposal, () => false)).toEqual({ eligible: [], busy: 0 })
  })
})

describe('IAP 1.10 HEARTBEAT', () => {
  it('missing three times means that the agent is lost', () => {
    expect(silentAgents(rosterOf(online('a', {}, { lastHeardMs: 0 }), online('b', {}, { lastHeardMs: 1 })), 90_000, 30_000)).toEqual(['a'])
  })
})

describe('IAP 1.17 key of the result cache', () => {
  const ask = (changes: object = {}, metadata: object | undefined = { useCache: true }) =>
    ({ ...message('TASK_PROPOSAL', 'a', { taskId: 't', proposerId: 'a', description: 'd', requiredCapability: 'DATA_ANALYSIS', input: { x: 1, y: 2 }, ...changes }), ...(metadata && { metadata }) }) as unknown as IAPMessageOf<'TASK_PROPOSAL'>

  it('exists only where the proposer asks for it', () => {
    expect(resultCacheKey('t1', ask({}, {}))).toBeUndefined()
    expect(resultCacheKey('t1', ask({}, { useCache: 'yes' }))).toBeUndefined()
    expect(resultCacheKey('t1', ask())).toMatch(/^sha256:/)
  })

  it('is the same for the same question, whoever asks and in whatever order the input is written', () => {
    expect(resultCacheKey('t1', ask({ taskId: 'u', proposerId: 'b', requiredCapability: 'data_analysis', input: { y: 2, x: 1 } }))).toBe(resultCacheKey('t1', ask()))
  })

  it.each([['input', { input: { x: 1, y: 3 } }], ['description', { description: 'D' }], ['capability', { requiredCapability: 'code_execution' }]])('differs by %s', (_what, changes) => {
    expect(resultCacheKey('t1', ask(changes))).not.toBe(resultCacheKey('t1', ask()))
  })

  it('differs by tenant', () => expect(resultCacheKey('t2', ask())).not.toBe(resultCacheKey('t1', ask())))
})
