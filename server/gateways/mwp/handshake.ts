// Authentication of one connection: client_init, server_challenge, client_response, server_accept.
import type { Rejection } from '../../../protocol/error-codes.ts'
import { reject } from '../../../protocol/error-codes.ts'
import type { HelloClientInitFrame, HelloClientResponseFrame } from '../../../protocol/generated/types.ts'
import type { Result } from '../../../protocol/result.ts'
import { err, ok } from '../../../protocol/result.ts'
import type { AgentSession, Sessions } from '../../service/service.ts'
import { acceptFrame, challengeFrame } from './frames.ts'

/** `challenge` of the frame may be no longer; only an endless client nonce makes it so. */
const MAX_CHALLENGE_LENGTH = 4096

export type HandshakeStep = { readonly reply: string; readonly session?: AgentSession }

export class Handshake {
  readonly #sessions: Sessions
  #challengeId: string | undefined
  #expects: HelloClientInitFrame['phase'] | HelloClientResponseFrame['phase'] | undefined = 'client_init'

  constructor(sessions: Sessions) {
    this.#sessions = sessions
  }

  /** Each phase is taken once and in order; whatever the service refuses ends the handshake. */
  async take(frame: HelloClientInitFrame | HelloClientResponseFrame): Promise<Result<HandshakeStep, Rejection>> {
    if (frame.phase !== this.#expects) return err(reject('PROTOCOL_VIOLATION', 'HELLO frames come once and in order'))
    this.#expects = undefined
    return frame.phase === 'client_init' ? this.#challenge(frame) : this.#accept(frame)
  }

  async #challenge(frame: HelloClientInitFrame): Promise<Result<HandshakeStep, Rejection>> {
    const { agentId, keyId, clientNonce } = frame
    const challenged = await this.#sessions.challenge({ agentId, keyId, clientNonce })
    if (!challenged.ok) return challenged
    if (challenged.value.challenge.length > MAX_CHALLENGE_LENGTH) {
      return err(reject('PROTOCOL_VIOLATION', 'the client nonce is too long'))
    }
    this.#challengeId = challenged.value.challengeId
    this.#expects = 'client_response'
    return ok({ reply: challengeFrame(clientNonce, challenged.value) })
  }

  async #accept(frame: HelloClientResponseFrame): Promise<Result<HandshakeStep, Rejection>> {
    const { agentId, keyId, clientNonce, serverNonce, challengeSignature } = frame
    const accepted = await this.#sessions.accept({
      challengeId: this.#challengeId ?? '',
      agentId,
      keyId,
      clientNonce,
      serverNonce,
      signature: challengeSignature,
    })
    if (!accepted.ok) return accepted
    return ok({ reply: acceptFrame(accepted.value), session: accepted.value })
  }
}
