import { describe, expect, it } from 'vitest'
import { createFlowContext, FlowState, reportedFlowState, transitionFlow } from './flow.ts'
import type { FlowContext } from './flow.ts'
import { MessageType } from './message-type.ts'

const after = (...types: readonly MessageType[]): FlowContext => types.reduce(transitionFlow, createFlowContext('agent_001'))
const GREETED = [MessageType.HANDSHAKE, MessageType.HANDSHAKE_ACK] as const

describe('IAP 1.12 FlowState', () => {
  it('has the thirteen states of the text', () => {
    expect(Object.values(FlowState)).toEqual([
      'disconnected', 'handshaking', 'connected', 'idle', 'discovering', 'proposing', 'bidding', 'assigning', 'executing', 'transferring_context', 'completing', 'error', 'disconnecting',
    ])
  })

  it('goes from disconnected to handshaking with a HANDSHAKE, as the text prints it, and leaves the old context alone', () => {
    const context = createFlowContext('agent_001')
    expect(transitionFlow(context, MessageType.HANDSHAKE)).toMatchObject({ agentId: 'agent_001', currentState: 'handshaking', previousState: 'disconnected', isIllegal: false })
    expect(context.currentState).toBe('disconnected')
  })

  it.each([
    ['a bidder that wins', [MessageType.TASK_PROPOSAL, MessageType.TASK_BID, MessageType.TASK_ASSIGNMENT, MessageType.TASK_ACCEPTANCE], 'executing'],
    ['a bidder that turns it down', [MessageType.TASK_PROPOSAL, MessageType.TASK_BID, MessageType.TASK_ASSIGNMENT, MessageType.TASK_REJECTION], 'idle'],
    ['a proposer that gets its result', [MessageType.TASK_PROPOSAL, MessageType.TASK_RESULT], 'completing'],
    ['context between agents', [MessageType.TASK_BID, MessageType.TASK_ASSIGNMENT, MessageType.TASK_ACCEPTANCE, MessageType.CONTEXT_TRANSFER], 'transferring_context'],
    ['a question and its answer', [MessageType.CAPABILITY_DISCOVERY, MessageType.CAPABILITY_RESPONSE], 'idle'],
    ['a leave', [MessageType.DISCONNECT], 'disconnecting'],
    ['an error', [MessageType.ERROR], 'error'],
  ] as const)('follows %s', (_what, types, state) => {
    expect(after(...GREETED, ...types)).toMatchObject({ currentState: state, isIllegal: false })
  })

  it('stays where it is and says so when a message does not fit', () => {
    for (const type of Object.values(MessageType).filter((each) => each !== 'HANDSHAKE')) {
      expect(transitionFlow(createFlowContext('a'), type)).toMatchObject({ currentState: 'disconnected', isIllegal: true, lastMessageType: type })
    }
    expect(after(...GREETED, MessageType.TASK_ACCEPTANCE)).toMatchObject({ currentState: 'connected', isIllegal: true })
  })

  it('forgets a misfit with the next message that fits', () => {
    const misfit = after(...GREETED, MessageType.TASK_ACCEPTANCE)
    expect(transitionFlow(misfit, MessageType.HEARTBEAT)).toMatchObject({ currentState: 'idle', isIllegal: false })
  })

  it('reaches every state', () => {
    const reached = new Set<string>([FlowState.DISCONNECTED])
    for (let front = [createFlowContext('a')]; front.length > 0; ) {
      const next = front.flatMap((context) => Object.values(MessageType).map((type) => transitionFlow(context, type))).filter(({ currentState }) => !reached.has(currentState))
      front = [...new Map(next.map((context) => [context.currentState, context])).values()]
      for (const { currentState } of front) reached.add(currentState)
    }
    expect(reached).toEqual(new Set(Object.values(FlowState)))
  })

  it('reports the most active of a session and its tasks', () => {
    const session = after(...GREETED)
    const task = after(...GREETED, MessageType.TASK_BID)
    const work = after(...GREETED, MessageType.TASK_BID, MessageType.TASK_ASSIGNMENT, MessageType.TASK_ACCEPTANCE)
    expect(reportedFlowState(session, [])).toBe('connected')
    expect(reportedFlowState(session, [task, work])).toBe('executing')
  })
})
