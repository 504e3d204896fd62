// Which agent a payload names as its author. It must be the one whose session it is.
import type { AgentId, IAPMessage } from './types.ts'

/** The identity that the payload claims; `undefined` where the type names none. */
export function claimedAgent(message: IAPMessage): AgentId | undefined {
  switch (message.type) {
    case 'HANDSHAKE':
      return message.payload.agentId
    case 'TASK_PROPOSAL':
      return message.payload.proposerId
    case 'TASK_BID':
      return message.payload.bidderId
    case 'CONTEXT_TRANSFER':
      return message.payload.fromAgent
    default:
      return undefined
  }
}

/** Whether envelope and payload speak in the name of this agent and of no other. */
export const speaksFor = (agentId: AgentId, message: IAPMessage): boolean => message.from === agentId && [undefined, agentId].includes(claimedAgent(message))
