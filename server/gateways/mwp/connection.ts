// One WebSocket from upgrade to close: reads frames, dispatches them, and knows every reason to end.
import type { Duplex } from 'node:stream'
import type { RawData, WebSocket } from 'ws'
import type { Rejection } from '../../../protocol/error-codes.ts'
import { ERROR_CODES, reject } from '../../../protocol/error-codes.ts'
import type { HelloClientInitFrame, HelloClientResponseFrame, PingFrame } from '../../../protocol/generated/types.ts'
import { assertNever } from '../../../protocol/result.ts'
import type { FailureQuota } from '../../service/failure-quota.ts'
import type { AgentSession, AuthorityService } from '../../service/service.ts'
import { Acknowledgements } from './acknowledgements.ts'
import type { CloseCode } from './close-codes.ts'
import { CLOSE_CODES, closeCodeOfEnd } from './close-codes.ts'
import { CommandIntake } from './command-intake.ts'
import { closeCodeFor, protocolError } from './errors.ts'
import { errorFrame, pingFrame } from './frames.ts'
import { Greeting } from './greeting.ts'
import { Handshake } from './handshake.ts'
import type { MwpLimits } from './limits.ts'
import { Outbox } from './outbox.ts'
import type { ReceivedFrame, Related } from './read-frame.ts'
import { readFrame } from './read-frame.ts'
import { Subscriptions } from './subscriptions.ts'
import { TokenBucket } from '../../token-bucket.ts'

export interface ConnectionHost {
  readonly service: AuthorityService
  readonly limits: MwpLimits
  readonly failures: FailureQuota
  /** The handshake succeeded and the session is still the Agent's current one. */
  onAuthenticated(connection: Connection, session: AgentSession): void
  onClosed(connection: Connection): void
  onFault(fault: unknown): void
}

interface Authenticated {
  readonly session: AgentSession
  readonly acknowledgements: Acknowledgements
  readonly commands: CommandIntake
  readonly subscriptions: Subscriptions
}

export class Connection {
  readonly #socket: WebSocket
  readonly #host: ConnectionHost
  readonly #outbox: Outbox
  readonly #handshake: Handshake
  readonly #greeting: Greeting
  readonly #bucket: TokenBucket
  readonly #deadline: NodeJS.Timeout
  #authenticated: Authenticated | undefined
  #isEnded = false
  #isAlive = true

  constructor(socket: WebSocket, transport: Duplex, host: ConnectionHost) {
    const { limits, service } = host
    this.#socket = socket
    this.#host = host
    this.#outbox = new Outbox(socket, transport, limits, () => this.#terminate(CLOSE_CODES.neverReads))
    this.#handshake = new Handshake(service.sessions)
    this.#bucket = new TokenBucket(limits.framesPerSecond, limits.frameBurst, performance.now())
    this.#deadline = setTimeout(() => this.end(CLOSE_CODES.helloTimeout), limits.helloDeadlineMs)
    this.#greeting = new Greeting(transport, limits, (bytes) => this.#flooded(bytes))
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary))
    socket.on('ping', (data) => this.#answerPing(data))
    socket.on('pong', () => (this.#isAlive = true))
    // `ws` has already chosen the close code; without a listener the fault would end the process.
    socket.on('error', () => this.#stop())
    socket.once('close', () => this.#closed())
  }

  /** The session of this connection, once it has one. */
  get session(): AgentSession | undefined {
    return this.#authenticated?.session
  }

  /** Stops all work at once and closes with a code; the peer has `closeTimeoutMs` to agree. */
  end({ code, reason }: CloseCode): void {
    this.#stop()
    this.#socket.close(code, reason)
  }

  /** Terminates a peer that was silent since the last call, otherwise asks it for a sign of life. */
  checkLiveness(): void {
    if (!this.#isAlive) return this.#socket.terminate()
    this.#isAlive = false
    if (!this.#isEnded) this.#socket.ping()
  }

  #answerPing(data: Buffer): void {
    this.#isAlive = true
    if (this.#isEnded) return
    const grant = this.#bucket.take(performance.now())
    if (grant === 'exhausted') this.end(CLOSE_CODES.tooManyFrames)
    else if (!this.#outbox.isFull) this.#socket.pong(data)
  }

  #receive(data: RawData, isBinary: boolean): void {
    this.#isAlive = true
    if (this.#isEnded) return
    if (this.#authenticated === undefined && !this.#greeting.hasRoom()) return this.end(CLOSE_CODES.tooManyFrames)
    if (isBinary) {
      this.#fail(reject('PROTOCOL_VIOLATION', 'binary messages carry no frames'), {}, CLOSE_CODES.binaryMessage)
      return
    }
    // `ws` hands over one Buffer per message, its default binary type.
    const frame = readFrame(data as Buffer, this.#host.limits.maxFrameBytes)
    const grant = this.#bucket.take(performance.now(), frame.ok ? costOf(frame.value) : 1)
    if (grant === 'exhausted') return this.end(CLOSE_CODES.tooManyFrames)
    if (!frame.ok) return this.#refuse(frame.error.rejection, frame.error.related)
    if (grant === 'granted') return this.#dispatch(frame.value)
    this.#refuse(reject('RATE_LIMITED', 'too many frames', grant), relatedTo(frame.value))
  }

  #dispatch(frame: ReceivedFrame): void {
    if (frame.frameType === 'HELLO') return void this.#greet(frame)
    if (this.#authenticated === undefined) {
      return this.#sendError(reject('AUTH_REQUIRED', 'HELLO comes first'), relatedTo(frame))
    }
    const { commands, subscriptions, acknowledgements, session } = this.#authenticated
    // A Command is answered even so: it may be the retry of one that was accepted.
    if (frame.frameType === 'COMMAND') return commands.receive(frame)
    this.#endIfOver(session)
    if (this.#isEnded) return
    switch (frame.frameType) {
      case 'SUBSCRIBE':
        return subscriptions.subscribe(frame)
      case 'ACK':
        return acknowledgements.receive(frame)
      case 'PING':
        return this.#answer(frame, session)
      case 'ERROR':
        return
      default:
        assertNever(frame)
    }
  }

  /** A PING that answers another one is not answered in turn. */
  #answer({ frameId, nonce, replyToNonce, presence }: PingFrame, session: AgentSession): void {
    const refusal = presence && this.#host.service.sessions.notePresence(session, presence)
    if (refusal) this.#sendError(refusal, { relatedFrameId: frameId })
    if (replyToNonce === undefined) this.#outbox.send(pingFrame(nonce, this.#now()))
  }

  async #greet(frame: HelloClientInitFrame | HelloClientResponseFrame): Promise<void> {
    const related = { relatedFrameId: frame.frameId }
    try {
      const step = await this.#handshake.take(frame)
      if (!step.ok) return this.#fail(step.error, related)
      const { reply, session } = step.value
      if (session !== undefined && !this.#admit(session)) return
      this.#outbox.send(reply)
    } catch (fault) {
      this.#host.onFault(fault)
      this.#fail(reject('INTERNAL_ERROR', 'the handshake could not be completed'), related)
    }
  }

  #endIfOver(session: AgentSession): void {
    const why = this.#isEnded ? undefined : this.#host.service.sessions.endOf(session)
    if (why !== undefined) this.end(closeCodeOfEnd[why])
  }

  /** False when the connection has ended meanwhile, or when the session is over already. */
  #admit(session: AgentSession): boolean {
    const { service, limits, failures, onFault } = this.#host
    this.#endIfOver(session)
    if (this.#isEnded) {
      service.sessions.ended(session)
      return false
    }
    clearTimeout(this.#deadline)
    this.#greeting.passed()
    const outbox = this.#outbox
    const sendError = this.#sendError.bind(this)
    const subscriptions = new Subscriptions({ service, limits, agentId: session.agentId, outbox, sendError, onFault })
    const commands = new CommandIntake({ service, limits, session, failures, outbox, subscriptions, sendError, onFault })
    const acknowledgements = new Acknowledgements({ service, limits, agentId: session.agentId, sendError, onFault })
    this.#authenticated = { session, acknowledgements, commands, subscriptions }
    this.#host.onAuthenticated(this, session)
    return true
  }

  /** More came than any handshake needs. A peer that goes on after it was told does not read. */
  #flooded(bytes: number): void {
    const { maxFrameBytes, maxHelloBytes } = this.#host.limits
    this.end(CLOSE_CODES.tooManyBytes)
    if (bytes > maxFrameBytes + maxHelloBytes) this.#socket.terminate()
  }

  /** Only a fatal refusal ends an authenticated connection; before that there is nothing worth keeping. */
  #refuse(rejection: Rejection, related: Related): void {
    const ends = ERROR_CODES[rejection.code].fatal || this.#authenticated === undefined
    if (ends) this.#fail(rejection, related)
    else this.#sendError(rejection, related)
  }

  #fail(rejection: Rejection, related: Related, code = closeCodeFor(rejection)): void {
    this.#outbox.send(errorFrame(protocolError(rejection, related, this.#now(), true)))
    this.end(code)
  }

  #sendError(rejection: Rejection, related: Related, onFlushed?: () => void): void {
    this.#outbox.send(errorFrame(protocolError(rejection, related, this.#now())), onFlushed)
    // A refusal of a Command may be fatal too: its bytes broke the protocol.
    if (ERROR_CODES[rejection.code].fatal) this.end(closeCodeFor(rejection))
  }

  #now(): string {
    return this.#host.service.clock.now()
  }

  #terminate(closeCode: CloseCode): void {
    this.end(closeCode)
    this.#socket.terminate()
  }

  #stop(): void {
    this.#isEnded = true
    clearTimeout(this.#deadline)
    this.#authenticated?.subscriptions.close()
    this.#authenticated?.acknowledgements.close()
  }

  #closed(): void {
    this.#stop()
    if (this.#authenticated !== undefined) this.#host.service.sessions.ended(this.#authenticated.session)
    this.#host.onClosed(this)
  }
}

const relatedTo = (frame: ReceivedFrame): Related =>
  frame.frameType === 'COMMAND' ? frame.related : { relatedFrameId: frame.frameId }

/** Each Group that a frame names is a look-up or a write of its own. */
function costOf(frame: ReceivedFrame): number {
  if (frame.frameType === 'SUBSCRIBE') return frame.groups.length
  return frame.frameType === 'ACK' ? frame.acknowledgements.length : 1
}
