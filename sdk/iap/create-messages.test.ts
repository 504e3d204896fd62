import { describe, expect, it } from 'vitest'
import { CapabilityType } from '../../protocol/iap/capability-type.ts'
import { validateIAPMessage } from '../../protocol/iap/validate.ts'
import {
  createCapabilityDiscoveryMessage, createCapabilityResponseMessage, createContextTransferMessage, createDisconnectMessage, createErrorMessage, createHandshakeAckMessage, createHandshakeMessage, createHeartbeatMessage, createMessageBatch,
  createTaskAcceptanceMessage, createTaskAssignmentMessage, createTaskBidMessage, createTaskPartialResultMessage, createTaskProposalMessage, createTaskRejectionMessage, createTaskResultMessage, generateTaskId,
} from './create-messages.ts'

const proposal = { taskId: 'task_1', proposerId: 'a', description: 'd', requiredCapability: CapabilityType.DATA_ANALYSIS, input: {} }
const bid = { taskId: 'task_1', bidderId: 'b', estimatedLatency: 1, estimatedCost: 1, confidence: 1 }
const heartbeat = createHeartbeatMessage('a')

describe('IAP 1.18 helpers', () => {
  it.each([
    createHandshakeMessage({ agentId: 'a', name: 'A', version: '1', protocolVersion: '1.0.0', capabilities: [] }),
    createHandshakeAckMessage({ sessionId: 's', agentId: 'a', protocolVersion: '1.0.0', serverTime: heartbeat.timestamp, heartbeatIntervalMs: 1, limits: { maxMessageBytes: 1, maxContextBytes: 1, maxBatchMessages: 1 } }, 'm'),
    createCapabilityDiscoveryMessage('a'),
    createCapabilityResponseMessage({ agents: [] }, 'a', 'm'),
    createTaskProposalMessage(proposal),
    createTaskBidMessage(bid, 'b'),
    createTaskAssignmentMessage({ taskId: 'task_1', proposal, bid, assignmentId: 'f', acceptBy: heartbeat.timestamp, deadline: heartbeat.timestamp }),
    createTaskAcceptanceMessage({ taskId: 'task_1' }, 'b'),
    createTaskRejectionMessage({ taskId: 'task_1' }, 'b'),
    createContextTransferMessage({ fromAgent: 'a', toAgent: 'b', taskId: 'task_1', contextType: 'c', data: {} }),
    createTaskResultMessage({ taskId: 'task_1', status: 'completed', result: 1 }, 'b'),
    createErrorMessage('a', 'router', { code: 'TASK_TIMEOUT', message: 'late', recoverable: false }),
    heartbeat,
    createDisconnectMessage('a'),
    createMessageBatch([heartbeat], 'a'),
    createTaskPartialResultMessage({ taskId: 'task_1', index: 0, part: 1 }, 'b'),
  ])('make a valid $type', (message) => expect(validateIAPMessage(message)).toEqual({ valid: true, errors: [] }))

  it('take the original message as the fourth argument of createErrorMessage', () => {
    const error = { code: 'TASK_TIMEOUT', message: 'late', relatedTaskId: 'task_1', recoverable: false }
    expect(createErrorMessage('agent_001', 'router', error, 'msg_original_123')).toMatchObject({ type: 'ERROR', from: 'agent_001', to: 'router', payload: error, correlationId: 'msg_original_123' })
  })

  it('never repeat an id', () => {
    expect(new Set(Array.from({ length: 1000 }, generateTaskId)).size).toBe(1000)
    expect(createHeartbeatMessage('a').messageId).not.toBe(heartbeat.messageId)
  })

  it('address the router, and context to its receiver', () => {
    expect(createTaskProposalMessage(proposal)).toMatchObject({ from: 'a', to: 'router', protocolVersion: '1.0.0' })
    expect(createContextTransferMessage({ fromAgent: 'a', toAgent: 'b', taskId: 't', contextType: 'c', data: {} })).toMatchObject({ from: 'a', to: 'b' })
  })
})
