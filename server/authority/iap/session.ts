// One socket of the I.A.P. door: what may come first, who may be which agent, what ends the session.
import type { IAPHandshakeAck } from '../../../protocol/generated/types.ts'
import { errorPayload } from '../../../protocol/iap/error-codes.ts'
import { speaksFor } from '../../../protocol/iap/identity.ts'
import type { AgentId, ErrorMessage, IAPMessage, IAPMessageOf } from '../../../protocol/iap/types.ts'
import { validateIAPMessage } from '../../../protocol/iap/validate.ts'
import { IAP_BASE_VERSION, isCompatibleVersion } from '../../../protocol/iap/version.ts'
import type { Result } from '../../../protocol/result.ts'
import { err, ok } from '../../../protocol/result.ts'
import { instantFromEpochMs } from '../../../protocol/timestamp.ts'
import type { OnlineAgent, Roster } from './roster.ts'

/** An error for the peer, and whether the socket is closed after it. */
export interface SessionRefusal {
  readonly error: ErrorMessage
  readonly closes: boolean
}

/** Whose socket it is, by its token. */
export interface SocketOwner {
  readonly principalId: string
  /** The Principal that this agent id belongs to; `undefined` when nobody has it yet. */
  readonly ownerOf: (agentId: AgentId) => string | undefined
  /** The agent id that the Principal has already; a Principal has one. */
  readonly boundAgentId: AgentId | undefined
}

export interface SessionFacts {
  readonly roster: Roster
  readonly owner: SocketOwner
  readonly nowMs: number
  /** For the session that this message may open. */
  readonly sessionId: string
  readonly heartbeatIntervalMs: number
  readonly limits: IAPHandshakeAck['limits']
}

export interface Welcome {
  readonly agent: OnlineAgent
  readonly ack: IAPHandshakeAck
  /** The session to close, with everything it had kept under new fences. */
  readonly replaces?: string
}

const refusal = (error: ErrorMessage, closes: boolean): SessionRefusal => ({ error, closes })
const invalid = (message: string, reason: string, closes = false): SessionRefusal => refusal(errorPayload('VALIDATION_ERROR', message, { details: { reason } }), closes)

/** Checks what a socket received, before anything else is done with it. `session` is the one that is open on this socket. */
export function admitMessage(value: unknown, session: OnlineAgent | undefined): Result<IAPMessage, SessionRefusal> {
  const version = protocolVersionOf(value)
  if (version !== undefined && !isCompatibleVersion(version)) return err(refusal(errorPayload('PROTOCOL_VERSION_MISMATCH', `this router speaks ${IAP_BASE_VERSION}`, { details: { supported: IAP_BASE_VERSION } }), true))
  const { valid, errors } = validateIAPMessage(value)
  const isFirst = session === undefined
  if (!valid) return err(invalid(errors.join('; '), 'malformed', isFirst))
  const message = value as IAPMessage
  if (isFirst && message.type !== 'HANDSHAKE') return err(invalid('the first message must be a HANDSHAKE', 'handshake_required', true))
  const agentId = session?.agentId ?? message.from
  return speaksFor(agentId, message) ? ok(message) : err(invalid('the message does not speak for the agent of this session', 'identity', isFirst))
}

/** A version that is one at all; anything else is left to the schema. */
function protocolVersionOf(value: unknown): string | undefined {
  const version = (value as { readonly protocolVersion?: unknown } | null | undefined)?.protocolVersion
  return typeof version === 'string' && /^[0-9]+\.[0-9]+\.[0-9]+/.test(version) ? version : undefined
}

/** Opens a session, or renews what the agent of an open one said of itself. */
export function admitHandshake({ payload }: IAPMessageOf<'HANDSHAKE'>, session: OnlineAgent | undefined, facts: SessionFacts): Result<Welcome, SessionRefusal> {
  const { agentId, currentLoad = 0 } = payload
  const { owner, roster, nowMs } = facts
  if ((owner.ownerOf(agentId) ?? owner.principalId) !== owner.principalId) return err(invalid('this agent belongs to somebody else', 'agent_taken', true))
  if ((owner.boundAgentId ?? agentId) !== agentId) return err(invalid('this token belongs to another agent', 'identity', true))
  const sessionId = session?.sessionId ?? facts.sessionId
  const present = roster.get(agentId)
  const agent: OnlineAgent = { agentId, principalId: owner.principalId, sessionId, handshake: payload, currentLoad, lastHeardMs: nowMs }
  return ok({ agent, ack: acknowledgement(agent, facts), ...(present !== undefined && present.sessionId !== sessionId && { replaces: present.sessionId }) })
}

const acknowledgement = ({ agentId, sessionId }: OnlineAgent, { nowMs, heartbeatIntervalMs, limits }: SessionFacts): IAPHandshakeAck => ({
  sessionId,
  agentId,
  protocolVersion: IAP_BASE_VERSION,
  serverTime: instantFromEpochMs(nowMs),
  heartbeatIntervalMs,
  limits,
})

/** What a message that was seen before is: `repeat` of the same content is answered as it was then; other content under a used id is refused. */
export function judgeRepeat(seenHash: string | undefined, hash: string): 'new' | 'repeat' | SessionRefusal {
  if (seenHash === undefined) return 'new'
  return seenHash === hash ? 'repeat' : invalid('this messageId was used for another message', 'message_id_reused')
}
