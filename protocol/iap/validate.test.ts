import { describe, expect, it } from 'vitest'
import { answersTo, CapabilityType, foldCapabilityType, isCapabilityType } from './capability-type.ts'
import { composeMessage } from './compose.ts'
import { errorPayload, IAP_ERROR_CODES } from './error-codes.ts'
import { claimedAgent, speaksFor } from './identity.ts'
import type { IAPPayloads } from './message-type.ts'
import { ADDED_IN_1_1, MessageType } from './message-type.ts'
import { isTerminal, TaskStatus } from './task-status.ts'
import type { AgentHandshake, IAPMessage } from './types.ts'
import { validateHandshake, validateIAPMessage } from './validate.ts'
import { isCompatibleVersion, majorOf, speaksAdditions } from './version.ts'

const capability = { id: 'code_gen_python', type: CapabilityType.CODE_EXECUTION, name: 'Python', description: 'Runs Python', estimatedCost: 100, averageLatency: 2000 }
const handshake: AgentHandshake = { agentId: 'agent_1', name: 'One', version: '1.0.0', framework: 'none', protocolVersion: '1.0.0', capabilities: [capability], maxConcurrentTasks: 5, currentLoad: 0.2 }
const proposal = { taskId: 'task_1', proposerId: 'agent_1', description: 'Sum it', requiredCapability: CapabilityType.DATA_ANALYSIS, input: {}, maxLatency: 5000, maxCost: 200, priority: 7 }
const bid = { taskId: 'task_1', bidderId: 'agent_2', estimatedLatency: 3000, estimatedCost: 150, confidence: 0.95, queueDepth: 2, notes: 'pandas' }
const time = '2026-11-30T08:00:00.000Z'

const PAYLOADS: IAPPayloads = {
  HANDSHAKE: handshake,
  HANDSHAKE_ACK: { sessionId: 's', agentId: 'agent_1', protocolVersion: '1.0.0', serverTime: time, heartbeatIntervalMs: 30_000, limits: { maxMessageBytes: 1, maxContextBytes: 1, maxBatchMessages: 1 } },
  CAPABILITY_DISCOVERY: {},
  CAPABILITY_RESPONSE: { agents: [{ agentId: 'agent_1', name: 'One', version: '1', capabilities: [capability], reputation: { code_gen_python: { awarded: 1, completed: 1, failed: 0, timedOut: 0, released: 0 } } }] },
  TASK_PROPOSAL: proposal,
  TASK_BID: bid,
  TASK_ASSIGNMENT: { taskId: 'task_1', proposal, bid, assignmentId: 'f', acceptBy: time, deadline: time },
  TASK_ACCEPTANCE: { taskId: 'task_1' },
  TASK_REJECTION: { taskId: 'task_1', code: 'AGENT_OVERLOAD', reason: 'full' },
  CONTEXT_TRANSFER: { fromAgent: 'agent_1', toAgent: 'agent_2', taskId: 'task_1', contextType: 'history', data: { messages: [] }, embedding: [0.1, -2], compression: 'none' },
  TASK_RESULT: { taskId: 'task_1', status: 'completed', result: { mean: 2 } },
  ERROR: { code: 'TASK_TIMEOUT', message: 'late', relatedTaskId: 'task_1', details: { actualLatency: 6500 }, recoverable: false },
  HEARTBEAT: { currentLoad: 0.5 },
  DISCONNECT: {},
  MESSAGE_BATCH: { messages: [{ messageId: 'm', type: 'HEARTBEAT', from: 'agent_1', to: 'router', timestamp: time, protocolVersion: '1.1.0', payload: {} }] },
  TASK_PARTIAL_RESULT: { taskId: 'task_1', index: 0, part: 'half' },
}
const TYPES = Object.values(MessageType)

const messageOf = (type: MessageType, payload: unknown = PAYLOADS[type]): IAPMessage =>
  composeMessage(type, { messageId: 'msg_1', from: 'agent_1', to: 'router', timestamp: time }, payload as never) as IAPMessage
const faultsOf = (type: MessageType, payload: unknown) => validateIAPMessage(messageOf(type, payload)).errors
const without = (value: object, member: string) => Object.fromEntries(Object.entries(value).filter(([key]) => key !== member))

describe('IAP 1.11 envelope', () => {
  it.each(['messageId', 'type', 'from', 'to', 'timestamp', 'protocolVersion', 'payload'])('needs %s', (member) => {
    expect(validateIAPMessage(without(messageOf('HEARTBEAT'), member))).toEqual({ valid: false, errors: [`lacks the member ${member}`] })
  })

  it('may have correlationId and metadata, and members that a minor version adds', () => {
    expect(validateIAPMessage({ ...messageOf('HEARTBEAT'), correlationId: 'msg_0', metadata: { trace: 1 }, added: true })).toEqual({ valid: true, errors: [] })
    expect(validateIAPMessage({ ...messageOf('HEARTBEAT'), metadata: 'no' }).valid).toBe(false)
  })

  it.each([['2026-11-30T08:00:00Z', true], ['2026-11-30T08:00:00.123456+01:00', true], ['2026-11-30T08:00:00', true], ['yesterday', false], [1_700_000_000, false]])('takes the timestamp %s: %s', (timestamp, valid) => {
    expect(validateIAPMessage({ ...messageOf('HEARTBEAT'), timestamp }).valid).toBe(valid)
  })

  it.each([null, undefined, [], 'HEARTBEAT', 1])('is an object: %s is refused', (value) => expect(validateIAPMessage(value).valid).toBe(false))

  it('refuses a type of no version, whatever its name', () => {
    for (const type of ['TASK_AUCTION', 'handshake', '__proto__', 'toString']) expect(validateIAPMessage({ ...messageOf('HEARTBEAT'), type }).errors).toEqual(['/type is no message type of this version'])
  })

  it('repeats nothing that the peer wrote', () => {
    const { errors } = validateIAPMessage({ ...messageOf('HEARTBEAT'), type: '<script>' })
    expect(errors.join()).not.toContain('script')
  })
})

describe('IAP 1.1 to 1.10 the fourteen messages', () => {
  it('are fourteen, and two of 1.1', () => {
    expect(TYPES.filter((type) => !ADDED_IN_1_1.includes(type))).toHaveLength(14)
    expect(ADDED_IN_1_1).toEqual(['MESSAGE_BATCH', 'TASK_PARTIAL_RESULT'])
  })

  it.each(TYPES)('%s is valid with its payload and with unknown members, and nothing else is', (type) => {
    expect(validateIAPMessage(messageOf(type))).toEqual({ valid: true, errors: [] })
    expect(faultsOf(type, { ...PAYLOADS[type], added: [] })).toEqual([])
    expect(faultsOf(type, [])).not.toEqual([])
  })

  const required: readonly (readonly [MessageType, readonly string[]])[] = [
    ['HANDSHAKE', ['agentId', 'name', 'version', 'capabilities', 'protocolVersion']],
    ['HANDSHAKE_ACK', ['sessionId', 'agentId', 'protocolVersion', 'serverTime', 'heartbeatIntervalMs', 'limits']],
    ['CAPABILITY_RESPONSE', ['agents']],
    ['TASK_PROPOSAL', ['taskId', 'proposerId', 'description', 'requiredCapability', 'input']],
    ['TASK_BID', ['taskId', 'bidderId', 'estimatedLatency', 'estimatedCost', 'confidence']],
    ['TASK_ASSIGNMENT', ['taskId', 'proposal', 'bid', 'assignmentId', 'acceptBy', 'deadline']],
    ['TASK_ACCEPTANCE', ['taskId']],
    ['TASK_REJECTION', ['taskId']],
    ['CONTEXT_TRANSFER', ['fromAgent', 'toAgent', 'taskId', 'contextType', 'data']],
    ['TASK_RESULT', ['taskId', 'status']],
    ['ERROR', ['code', 'message', 'recoverable']],
    ['MESSAGE_BATCH', ['messages']],
    ['TASK_PARTIAL_RESULT', ['taskId', 'index', 'part']],
  ]
  it.each(required.flatMap(([type, members]) => members.map((member) => [type, member] as const)))('%s needs %s', (type, member) => {
    expect(faultsOf(type, without(PAYLOADS[type], member))).toEqual([expect.stringContaining(`lacks the member ${member}`)])
  })

  it('a completed TASK_RESULT has a result, a failed one an error', () => {
    expect(faultsOf('TASK_RESULT', { taskId: 't', status: 'completed', result: null })).toEqual([])
    expect(faultsOf('TASK_RESULT', { taskId: 't', status: 'failed', error: { message: 'no' } })).toEqual([])
    expect(faultsOf('TASK_RESULT', { taskId: 't', status: 'completed' })).not.toEqual([])
    expect(faultsOf('TASK_RESULT', { taskId: 't', status: 'failed', result: 1 })).not.toEqual([])
    expect(faultsOf('TASK_RESULT', { taskId: 't', status: 'cancelled', result: 1 })).not.toEqual([])
  })

  it.each([
    ['a confidence over one', 'TASK_BID', { ...bid, confidence: 1.01 }],
    ['a load below zero', 'HEARTBEAT', { currentLoad: -0.1 }],
    ['a priority of eleven', 'TASK_PROPOSAL', { ...proposal, priority: 11 }],
    ['half a priority', 'TASK_PROPOSAL', { ...proposal, priority: 0.5 }],
    ['half a unit of cost', 'TASK_BID', { ...bid, estimatedCost: 1.5 }],
    ['an infinite latency', 'TASK_BID', { ...bid, estimatedLatency: Infinity }],
    ['a latency that is no number', 'TASK_BID', { ...bid, estimatedLatency: NaN }],
    ['an infinite embedding', 'CONTEXT_TRANSFER', { ...PAYLOADS.CONTEXT_TRANSFER, embedding: [-Infinity] }],
    ['too long an embedding', 'CONTEXT_TRANSFER', { ...PAYLOADS.CONTEXT_TRANSFER, embedding: Array.from({ length: 4097 }, () => 0) }],
    ['an unknown compression', 'CONTEXT_TRANSFER', { ...PAYLOADS.CONTEXT_TRANSFER, compression: 'zip' }],
    ['an empty batch', 'MESSAGE_BATCH', { messages: [] }],
  ] as const)('refuses %s', (_what, type, payload) => expect(faultsOf(type, payload)).not.toEqual([]))
})

describe('IAP 1.1 HANDSHAKE', () => {
  it('validateHandshake answers with valid and errors', () => {
    expect(validateHandshake(handshake)).toEqual({ valid: true, errors: [] })
    expect(validateHandshake({ ...handshake, name: 1 })).toEqual({ valid: false, errors: ['/name must be of type string'] })
  })

  it.each(['id', 'type', 'name', 'description'])('a capability needs %s', (member) => {
    expect(validateHandshake({ ...handshake, capabilities: [without(capability, member)] }).errors).toEqual([`/capabilities/0 lacks the member ${member}`])
  })

  it('refuses two capabilities of one id, and an agent that calls itself the router', () => {
    expect(validateHandshake({ ...handshake, capabilities: [capability, capability] }).errors).toEqual(['/capabilities has two of one id'])
    expect(validateHandshake({ ...handshake, agentId: 'router' }).valid).toBe(false)
  })

  it('refuses versions in envelope and payload that differ in the major; minors may differ', () => {
    const message = messageOf('HANDSHAKE', { ...handshake, protocolVersion: '1.4.0' })
    expect(validateIAPMessage(message).valid).toBe(true)
    expect(validateIAPMessage({ ...message, protocolVersion: '2.0.0' }).errors).toEqual(['/protocolVersion and /payload/protocolVersion differ in the major'])
  })
})

describe('IAP 1.1 capability types', () => {
  it('are lower snake case; upper-case spellings are folded, others start with x-', () => {
    expect(CapabilityType).toEqual({ CODE_EXECUTION: 'code_execution', DATA_ANALYSIS: 'data_analysis', TEXT_GENERATION: 'text_generation' })
    expect(foldCapabilityType('CODE_EXECUTION')).toBe('code_execution')
    expect(['TEXT_GENERATION', 'x-weather', 'X-Weather'].map(isCapabilityType)).toEqual([true, true, true])
    expect(['cooking', 'x-', '', 'ÇODE'].map(isCapabilityType)).toEqual([false, false, false, false])
    expect(validateHandshake({ ...handshake, capabilities: [{ ...capability, type: 'cooking' }] }).valid).toBe(false)
  })

  it('match exactly once folded, or by the id of the capability', () => {
    expect(['CODE_EXECUTION', 'code_execution', 'code_gen_python'].map((required) => answersTo(capability, required))).toEqual([true, true, true])
    expect(['code', 'data_analysis', 'CODE_GEN_PYTHON'].map((required) => answersTo(capability, required))).toEqual([false, false, false])
  })
})

describe('IAP 1.13 TaskStatus', () => {
  it('has the seven of the text, three of them ends', () => {
    expect(Object.values(TaskStatus)).toEqual(['proposed', 'bidding', 'assigned', 'in_progress', 'completed', 'failed', 'cancelled'])
    expect(Object.values(TaskStatus).filter(isTerminal)).toEqual(['completed', 'failed', 'cancelled'])
  })
})

describe('IAP 1.14 errors', () => {
  it('six codes, of which a timeout and a foreign version cannot be recovered from', () => {
    expect(Object.entries(IAP_ERROR_CODES).map(([code, { recoverable }]) => [code, recoverable])).toEqual([
      ['VALIDATION_ERROR', true], ['CAPABILITY_NOT_FOUND', true], ['TASK_TIMEOUT', false], ['AGENT_OVERLOAD', true], ['CONTEXT_TRANSFER_FAILED', true], ['PROTOCOL_VERSION_MISMATCH', false],
    ])
    expect(errorPayload('TASK_TIMEOUT', 'late', { relatedTaskId: 't' })).toEqual({ code: 'TASK_TIMEOUT', message: 'late', relatedTaskId: 't', recoverable: false })
  })

  it('codes of others are taken as they come', () => expect(faultsOf('ERROR', { code: 'OUT_OF_COFFEE', message: '', recoverable: true })).toEqual([]))
})

describe('IAP 1.16 identity', () => {
  it('envelope and payload must both name the agent of the session', () => {
    expect(speaksFor('agent_1', messageOf('TASK_PROPOSAL'))).toBe(true)
    expect(speaksFor('agent_2', messageOf('TASK_PROPOSAL'))).toBe(false)
    expect(speaksFor('agent_1', messageOf('TASK_BID'))).toBe(false)
    expect(speaksFor('agent_1', messageOf('CONTEXT_TRANSFER', { ...PAYLOADS.CONTEXT_TRANSFER, fromAgent: 'agent_3' }))).toBe(false)
    expect(speaksFor('agent_1', messageOf('HANDSHAKE', { ...handshake, agentId: 'agent_3' }))).toBe(false)
    expect(claimedAgent(messageOf('HEARTBEAT'))).toBeUndefined()
  })
})

describe('IAP 1.17 versions', () => {
  it('peers understand each other when they share the major', () => {
    expect(['1.0.0', '1.9.3', '1.0.0-beta.1'].map((version) => isCompatibleVersion(version))).toEqual([true, true, true])
    expect(['2.0.0', '0.9.0', '1.0', 'v1.0.0', ''].map((version) => isCompatibleVersion(version))).toEqual([false, false, false, false, false])
    expect(majorOf('11.0.0')).toBe(11n)
    expect(['1.0.7', '1.1.0', '2.1.0'].map(speaksAdditions)).toEqual([false, true, false])
  })
})
