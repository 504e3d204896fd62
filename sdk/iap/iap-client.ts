// An agent's end of the Inter-Agent Protocol: one session kept alive, messages sent at least once and heard once.
import type { IAPCapabilityDiscovery, IAPCapabilityResponse, IAPHandshakeAck } from '../../protocol/generated/types.ts'
import type { FlowContext, FlowState } from '../../protocol/iap/flow.ts'
import { createFlowContext, reportedFlowState, transitionFlow } from '../../protocol/iap/flow.ts'
import type { MessageType } from '../../protocol/iap/message-type.ts'
import type { AgentHandshake, AgentId, ContextTransfer, IAPMessage, IAPMessageOf, TaskAssignment, TaskBid, TaskId, TaskProposal, TaskResult } from '../../protocol/iap/types.ts'
import { ROUTER } from '../../protocol/iap/types.ts'
import { errorPayload } from '../../protocol/iap/error-codes.ts'
import { IAP_VERSION } from '../../protocol/iap/version.ts'
import { setMaxListeners } from 'node:events'
import type { BackoffOptions } from '../backoff.ts'
import { backoffMs, DEFAULT_BACKOFF, delay } from '../backoff.ts'
import type { Deferred } from '../deferred.ts'
import { deferred } from '../deferred.ts'
import { ClientClosed, SessionReplaced } from '../refusal.ts'
import type { Compression } from './context-codec.ts'
import { ChunkCollector, packContext, unpackContext } from './context-codec.ts'
import {
  createCapabilityDiscoveryMessage, createContextTransferMessage, createDisconnectMessage, createErrorMessage, createHeartbeatMessage, createTaskAcceptanceMessage, createTaskBidMessage, createTaskPartialResultMessage, createTaskProposalMessage,
  createTaskRejectionMessage, createTaskResultMessage, generateTaskId,
} from './create-messages.ts'
import { IAPConnection, IAPRefused, IAPUnauthorized, SESSION_REPLACED, UNAUTHORIZED } from './iap-connection.ts'
import { OutgoingMessages } from './outgoing.ts'

export interface IAPClientOptions {
  /** Sent as `Authorization: Bearer`. */
  readonly token?: string
  readonly backoff?: BackoffOptions
  /** 0 to 1, told with each heartbeat. */
  readonly currentLoad?: () => number
}

/** What an agent says of itself; the client fills in the rest. */
export type Introduction = Pick<AgentHandshake, 'agentId' | 'name' | 'capabilities'> & Partial<AgentHandshake>

export interface ReceivedContext {
  readonly transfer: ContextTransfer
  readonly data: Readonly<Record<string, unknown>>
}

export interface ProposalOptions {
  /** Lets an earlier result of exactly this question answer. */
  readonly useCache?: boolean
  /** The WorkItem of a Mission that is to be done; for its Coordinator. See `workOfferOf`. */
  readonly work?: { readonly groupId: string; readonly workItemId: string }
  /** The open Space in which the negotiation stands; that about a WorkItem stands in the Space of its Mission. */
  readonly spaceId?: string
  /** Called with each part of the result while the work goes on. */
  readonly onPart?: (part: unknown, index: number) => void
}

type Handler<T extends MessageType> = (message: IAPMessageOf<T>) => void
type Pending = Deferred<unknown> & { readonly messageId: string; readonly onPart?: ProposalOptions['onPart'] }

/** Ids of messages that were heard; older ones are forgotten. */
const REMEMBERED = 10_000

export class IAPClient {
  readonly url: string
  /** Resolves with the reason once there will be no further session. */
  readonly over: Promise<Error>
  readonly #options: IAPClientOptions
  readonly #outgoing = new OutgoingMessages()
  readonly #chunks = new ChunkCollector()
  readonly #handlers = new Map<MessageType, Set<(message: IAPMessage) => void>>()
  readonly #contextHandlers = new Set<(context: ReceivedContext) => void>()
  readonly #heard = new Set<string>()
  /** One iterator for all time: a new one would walk over the places of those that were forgotten before. */
  readonly #oldestHeard = this.#heard.values()
  readonly #tasks = new Map<TaskId, Pending>()
  readonly #questions = new Map<string, Pending>()
  readonly #flows = new Map<TaskId, FlowContext>()
  readonly #closing = new AbortController()
  readonly #first = deferred<IAPHandshakeAck>()
  #session: FlowContext = createFlowContext('')
  #handshake: AgentHandshake | undefined
  #running: Promise<void> | undefined
  #onOver: (reason: Error) => void = () => undefined

  constructor(url: string, options: IAPClientOptions = {}) {
    this.url = url
    this.#options = options
    this.over = new Promise((resolve) => (this.#onOver = resolve))
    setMaxListeners(0, this.#closing.signal)
  }

  /** Resolves with the first session. A router that cannot be reached is tried again; one that declines rejects with IAPRefused or IAPUnauthorized. */
  connect(introduction: Introduction): Promise<IAPHandshakeAck> {
    this.#handshake = { version: '1.0.0', protocolVersion: IAP_VERSION, ...introduction }
    this.#session = createFlowContext(introduction.agentId)
    this.#running ??= this.#run(this.#handshake)
    return this.#first.promise
  }

  get agentId(): AgentId {
    return this.#introduced().agentId
  }

  /** The most active of the session's state and of the tasks'. */
  get flowState(): FlowState {
    return reportedFlowState(this.#session, [...this.#flows.values()])
  }

  /** Calls back for each message of a type, once each, over any number of connections. Returns what ends it. */
  on<T extends MessageType>(type: T, handler: Handler<T>): () => void {
    const handlers = this.#handlers.get(type) ?? new Set()
    this.#handlers.set(type, handlers.add(handler as unknown as (message: IAPMessage) => void))
    return () => void handlers.delete(handler as unknown as (message: IAPMessage) => void)
  }

  /** Calls back with each context, whole and unpacked. What cannot be unpacked is answered with CONTEXT_TRANSFER_FAILED. */
  onContext(handler: (context: ReceivedContext) => void): () => void {
    this.#contextHandlers.add(handler)
    return () => void this.#contextHandlers.delete(handler)
  }

  discover(query: IAPCapabilityDiscovery = {}): Promise<IAPCapabilityResponse> {
    const message = createCapabilityDiscoveryMessage(this.agentId, query)
    const pending = { ...deferred<unknown>(), messageId: message.messageId }
    this.#questions.set(message.messageId, pending)
    this.#send(message)
    return pending.promise as Promise<IAPCapabilityResponse>
  }

  /** Resolves with the result, completed or failed; rejects with IAPRefused when nobody takes or finishes the task. Waits through reconnections. */
  propose(proposal: Omit<TaskProposal, 'taskId' | 'proposerId'> & { readonly taskId?: TaskId }, { useCache, work, spaceId, onPart }: ProposalOptions = {}): Promise<TaskResult> {
    const metadata = { ...(useCache && { useCache }), ...(spaceId !== undefined && { spaceId }), ...work }
    const message = createTaskProposalMessage({ taskId: generateTaskId(), proposerId: this.agentId, ...proposal }, Object.keys(metadata).length > 0 ? metadata : undefined)
    const pending = { ...deferred<unknown>(), messageId: message.messageId, ...(onPart && { onPart }) }
    this.#tasks.set(message.payload.taskId, pending)
    this.#send(message, message.payload.taskId)
    return pending.promise as Promise<TaskResult>
  }

  bid(bid: Omit<TaskBid, 'bidderId'>): void {
    this.#send(createTaskBidMessage({ ...bid, bidderId: this.agentId }, this.agentId), bid.taskId)
  }

  accept({ taskId, assignmentId }: Pick<TaskAssignment, 'taskId' | 'assignmentId'>): void {
    this.#send(createTaskAcceptanceMessage({ taskId, assignmentId }, this.agentId), taskId)
  }

  /** With the code AGENT_OVERLOAD when load is the reason. */
  reject({ taskId, assignmentId }: Pick<TaskAssignment, 'taskId' | 'assignmentId'>, why: { readonly code?: string; readonly reason?: string } = {}): void {
    this.#send(createTaskRejectionMessage({ taskId, assignmentId, ...why }, this.agentId), taskId)
  }

  sendPart({ taskId, assignmentId }: Pick<TaskAssignment, 'taskId' | 'assignmentId'>, index: number, part: unknown): void {
    this.#send(createTaskPartialResultMessage({ taskId, assignmentId, index, part }, this.agentId), taskId)
  }

  sendResult(result: TaskResult): void {
    this.#send(createTaskResultMessage(result, this.agentId), result.taskId)
  }

  /** Packs the context and sends it, in several messages where it is large. `queue` lets an absent receiver have it later. */
  async transferContext(transfer: Omit<ContextTransfer, 'fromAgent' | 'compression'> & { readonly compression?: Compression }, { queue = false } = {}): Promise<void> {
    const { compression = 'none' } = transfer
    for (const { data, chunk } of await packContext(transfer.data, compression)) {
      const metadata = { ...(queue && { queue }), ...(chunk && { chunk }) }
      this.#send(createContextTransferMessage({ ...transfer, fromAgent: this.agentId, data, compression }, Object.keys(metadata).length > 0 ? metadata : undefined), transfer.taskId)
    }
  }

  /** Withdraws a task of one's own: an ERROR with `details.cancel`, the protocol having no other way. */
  cancel(taskId: TaskId, reason = 'cancelled by its proposer'): void {
    this.#send(createErrorMessage(this.agentId, ROUTER, errorPayload('VALIDATION_ERROR', reason, { relatedTaskId: taskId, details: { cancel: true } })), taskId)
    this.#settle(this.#tasks, taskId)?.reject(new ClientClosed(reason))
  }

  /** Takes leave. Whatever still waits is rejected with ClientClosed. */
  async close(): Promise<void> {
    if (this.#running !== undefined && !this.#closing.signal.aborted) this.#send(createDisconnectMessage(this.agentId))
    this.#closing.abort()
    await this.#running
  }

  #introduced(): AgentHandshake {
    if (this.#handshake === undefined) throw new ClientClosed('connect comes first')
    return this.#handshake
  }

  async #run(handshake: AgentHandshake): Promise<void> {
    const { signal } = this.#closing
    let reason: Error | undefined
    for (let attempt = 0; reason === undefined && !signal.aborted; ) {
      const end = await this.#oneSession(handshake).catch((fault: Error) => fault)
      if (end === 'ended') attempt = 0
      else reason = isFinal(end) ? end : undefined
      if (reason === undefined) await delay(backoffMs(attempt++, this.#options.backoff ?? DEFAULT_BACKOFF), signal)
    }
    this.#finish(reason ?? new ClientClosed('the client was closed'))
  }

  async #oneSession(handshake: AgentHandshake): Promise<'ended'> {
    this.#session = transitionFlow(createFlowContext(handshake.agentId), 'HANDSHAKE')
    const { url } = this
    const connection = await IAPConnection.open({ url, token: this.#options.token, handshake, onMessage: (message) => this.#hear(message) })
    this.#session = transitionFlow(this.#session, 'HANDSHAKE_ACK')
    const close = () => connection.close()
    this.#closing.signal.addEventListener('abort', close)
    if (this.#closing.signal.aborted) close()
    connection.watch(connection.ack.heartbeatIntervalMs, () => connection.send(JSON.stringify(createHeartbeatMessage(handshake.agentId, this.#load()))))
    this.#outgoing.use(connection)
    this.#first.resolve(connection.ack)
    const code = await connection.ended
    this.#closing.signal.removeEventListener('abort', close)
    if (code === SESSION_REPLACED) throw new SessionReplaced('a newer session of this agent was opened')
    if (code === UNAUTHORIZED) throw new IAPUnauthorized('the token is not valid any more')
    return 'ended'
  }

  #load(): { currentLoad?: number } {
    const { currentLoad } = this.#options
    return currentLoad === undefined ? {} : { currentLoad: currentLoad() }
  }

  #finish(reason: Error): void {
    this.#closing.abort()
    this.#session = createFlowContext(this.#session.agentId)
    this.#flows.clear()
    this.#first.reject(reason)
    for (const pending of [...this.#tasks.values(), ...this.#questions.values()]) pending.reject(reason)
    this.#onOver(reason)
  }

  #send(message: IAPMessage, taskId?: TaskId): void {
    this.#move(message.type, taskId)
    this.#outgoing.send(message)
  }

  #hear(message: IAPMessage): void {
    if (message.type === 'MESSAGE_BATCH') return message.payload.messages.forEach((each) => this.#hear(each as unknown as IAPMessage))
    if (this.#heard.has(message.messageId)) return
    this.#heard.add(message.messageId)
    if (this.#heard.size > REMEMBERED) this.#heard.delete(this.#oldestHeard.next().value!)
    this.#move(message.type, (message.payload as { readonly taskId?: TaskId }).taskId)
    this.#answer(message)
    for (const handler of this.#handlers.get(message.type) ?? []) handler(message)
  }

  #answer(message: IAPMessage): void {
    switch (message.type) {
      case 'CAPABILITY_RESPONSE':
        return this.#settle(this.#questions, message.correlationId)?.resolve(message.payload)
      case 'TASK_PARTIAL_RESULT':
        return this.#tasks.get(message.payload.taskId)?.onPart?.(message.payload.part, message.payload.index)
      case 'TASK_RESULT':
        return this.#settle(this.#tasks, message.payload.taskId)?.resolve(message.payload)
      case 'ERROR':
        return this.#fail(message)
      case 'CONTEXT_TRANSFER':
        return void this.#receive(message)
    }
  }

  #fail({ payload, correlationId }: IAPMessageOf<'ERROR'>): void {
    const [taskId] = [...this.#tasks].find(([, pending]) => pending.messageId === correlationId) ?? []
    const pending = this.#settle(this.#tasks, taskId) ?? this.#settle(this.#questions, correlationId)
    pending?.reject(new IAPRefused(payload))
  }

  async #receive({ messageId, from, payload, metadata }: IAPMessageOf<'CONTEXT_TRANSFER'>): Promise<void> {
    const transfer = this.#chunks.add(payload, metadata)
    if (transfer === undefined) return
    const unpacked = await unpackContext(transfer)
    if (unpacked.ok) for (const handler of this.#contextHandlers) handler({ transfer, data: unpacked.value })
    else this.#send(createErrorMessage(this.agentId, from, errorPayload('CONTEXT_TRANSFER_FAILED', unpacked.error, { relatedTaskId: transfer.taskId }), messageId))
  }

  #settle<K>(waiting: Map<K, Pending>, key: K | undefined): Pending | undefined {
    const pending = key === undefined ? undefined : waiting.get(key)
    if (pending !== undefined) waiting.delete(key!)
    return pending
  }

  #move(type: MessageType, taskId: TaskId | undefined): void {
    if (taskId === undefined) return void (this.#session = transitionFlow(this.#session, type))
    const before = this.#flows.get(taskId) ?? { ...createFlowContext(this.#session.agentId), currentState: 'idle' as const }
    const after = transitionFlow(before, type)
    if (['completing', 'idle', 'error'].includes(after.currentState)) this.#flows.delete(taskId)
    else this.#flows.set(taskId, after)
  }
}

/** Trying again would not help. */
const isFinal = (fault: Error): boolean => fault instanceof IAPUnauthorized || fault instanceof SessionReplaced || (fault instanceof IAPRefused && fault.payload.code !== 'AGENT_OVERLOAD')
