// One connection of the I.A.P. door: what each message of its agent leads to.
import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { composeMessage } from '../../../protocol/iap/compose.ts'
import { deriveUrn } from '../../../protocol/digest.ts'
import type { IAPHandshakeAck } from '../../../protocol/generated/types.ts'
import { errorPayload } from '../../../protocol/iap/error-codes.ts'
import type { IAPPayloads, MessageType } from '../../../protocol/iap/message-type.ts'
import type { AgentHandshake, ErrorMessage, IAPMessage, IAPMessageOf } from '../../../protocol/iap/types.ts'
import { ROUTER } from '../../../protocol/iap/types.ts'
import { speaksAdditions } from '../../../protocol/iap/version.ts'
import { isPartyTo } from '../../authority/iap/context.ts'
import { resultCacheKey } from '../../authority/iap/result-cache.ts'
import type { OnlineAgent } from '../../authority/iap/roster.ts'
import { discover } from '../../authority/iap/roster.ts'
import type { SessionRefusal } from '../../authority/iap/session.ts'
import { admitHandshake, admitMessage, judgeRepeat } from '../../authority/iap/session.ts'
import { isStorable } from '../../authority/storable-text.ts'
import { ContextReader } from './context-content.ts'
import type { IapRouterService } from './iap-router.ts'
import { answerTo, contentHashOf } from './task-desk.ts'
import type { TaskJob } from './task-desk.ts'
import type { Peer, PeerEnd, PeerLink } from './types.ts'

type Answers = readonly IAPMessage[]

/** Characters of all schemas of one agent together. */
const maximumSchemasLength = 128 * 1024

const heartbeatsKept = 64

export class AgentPeer implements Peer {
  readonly #router: IapRouterService
  readonly #principalId: string
  readonly #link: PeerLink
  readonly #contexts: ContextReader
  readonly #beats = new Map<string, string>()
  #session: OnlineAgent | undefined
  #isOver = false
  #turn: Promise<void> = Promise.resolve()

  constructor(router: IapRouterService, principalId: string, link: PeerLink) {
    this.#router = router
    this.#principalId = principalId
    this.#link = link
    this.#contexts = new ContextReader(router.limits.maxContextBytes)
  }

  receive(value: unknown): Promise<void> {
    this.heard()
    this.#turn = this.#turn.then(async () => {
      try {
        if (!this.#isOver) await this.#take(value)
      } catch (fault) {
        this.#router.diagnostics.error({ err: fault }, 'a message of the Inter-Agent Protocol could not be dealt with')
        this.#over('failed')
      }
    })
    return this.#turn
  }

  heard(): void {
    if (this.#session) this.#router.heard(this.#session.agentId)
  }

  confirmed(count: number): void {
    if (this.#session) void this.#router.mailboxes.confirmed(this.#session.agentId, this.#link, count)
  }

  refuse(message: string, reason: string): void {
    if (this.#isOver) return
    this.#sendError(undefined, errorPayload('VALIDATION_ERROR', message, { details: { reason } }))
    if (this.#session === undefined) this.#over('refused')
  }

  closed(): void {
    this.#over(undefined)
    this.#router.closed(this)
  }

  replaced(): void {
    this.#over('replaced')
  }

  silent(): void {
    this.#over('silent')
  }

  stopped(): void {
    this.#over('stopping')
  }

  idle(): Promise<void> {
    return this.#turn
  }

  #over(why: PeerEnd | undefined, how: 'departed' | 'lost' = 'lost'): void {
    if (this.#isOver) return
    this.#isOver = true
    if (this.#session) {
      this.#router.mailboxes.close(this.#session.agentId, this.#link)
      // Whoever replaced it has the agent now.
      if (why !== 'replaced') this.#router.left(this, this.#session.agentId, how)
    }
    if (why !== undefined) this.#link.end(why)
  }

  async #take(value: unknown): Promise<void> {
    const admitted = admitMessage(value, this.#session)
    if (!admitted.ok) return this.#refused(value, admitted.error)
    const message = admitted.value
    if (message.type === 'HANDSHAKE') return this.#shakeHands(message)
    if (message.type === 'MESSAGE_BATCH') return this.#takeBatch(message)
    if (message.type === 'HEARTBEAT') return this.#beat(message)
    if (message.type === 'DISCONNECT') return this.#over('left', 'departed')
    await this.#takeOnce(message)
  }

  /** Never an ERROR for an ERROR. */
  #refused(value: unknown, { error, closes }: SessionRefusal): void {
    const { messageId, type } = (value ?? {}) as { readonly messageId?: unknown; readonly type?: unknown }
    if (type !== 'ERROR') this.#sendError(typeof messageId === 'string' && messageId.length <= 256 ? messageId : undefined, error)
    if (closes) this.#over(error.code === 'PROTOCOL_VERSION_MISMATCH' ? 'version' : 'refused')
  }

  /** Not worth a place in the store: those of this connection are remembered for a while. */
  #beat(message: IAPMessageOf<'HEARTBEAT'>): void {
    const { messageId, from, payload } = message
    const contentHash = contentHashOf(message)
    const judged = judgeRepeat(this.#beats.get(messageId), contentHash)
    if (judged === 'repeat') return
    if (judged !== 'new') return this.#refused(message, judged)
    this.#beats.set(messageId, contentHash)
    if (this.#beats.size > heartbeatsKept) this.#beats.delete(this.#beats.keys().next().value!)
    this.#router.heard(from, payload.currentLoad)
  }

  async #takeBatch({ messageId, payload: { messages } }: IAPMessageOf<'MESSAGE_BATCH'>): Promise<void> {
    if (!speaksAdditions(this.#session!.handshake.protocolVersion)) return this.#invalid(messageId, 'batches are for peers that announced 1.1', 'not_announced')
    for (const message of messages) {
      if (this.#isOver) return
      if (message.type === 'MESSAGE_BATCH') this.#invalid(message.messageId, 'a batch holds no batch', 'nested_batch')
      else if (message.type !== 'CONTEXT_TRANSFER' && JSON.stringify(message).length > this.#router.limits.maxMessageBytes) this.#invalid(message.messageId, 'the message is too long', 'too_long')
      else await this.#take(message)
    }
  }

  async #shakeHands(message: IAPMessageOf<'HANDSHAKE'>): Promise<void> {
    const { agentId, capabilities } = message.payload
    const fault = await this.#faultOfCapabilities(capabilities)
    if (fault !== undefined) return this.#refused(message, refusal(fault, 'capability', this.#session === undefined))
    const { nodes, clock, roster, limits, heartbeatIntervalMs } = this.#router
    const { agentOwner, boundAgentId } = await nodes.ownerOf(agentId, this.#principalId)
    const owner = { principalId: this.#principalId, ownerOf: () => agentOwner, boundAgentId }
    const { maxMessageBytes, maxContextBytes, maxBatchMessages } = limits
    const facts = { roster, owner, nowMs: clock.nowMs(), sessionId: `urn:uuid:${randomUUID()}`, heartbeatIntervalMs, limits: { maxMessageBytes, maxContextBytes, maxBatchMessages } }
    const welcome = admitHandshake(message, this.#session, facts)
    if (!welcome.ok) return this.#refused(message, welcome.error)
    if (agentOwner === undefined && !(await nodes.bind(agentId, this.#principalId))) return this.#refused(message, refusal('this agent belongs to somebody else', 'agent_taken', true))
    if (!this.#isOver) this.#welcome(message.messageId, welcome.value.agent, welcome.value.ack)
  }

  #welcome(messageId: string, agent: OnlineAgent, ack: IAPHandshakeAck): void {
    const isNew = this.#session === undefined
    this.#session = agent
    this.#router.joined(this, agent)
    this.#send(this.#compose('HANDSHAKE_ACK', messageId, ack))
    if (isNew) this.#router.mailboxes.open(agent.agentId, this.#link)
  }

  async #faultOfCapabilities(capabilities: AgentHandshake['capabilities']): Promise<string | undefined> {
    if (JSON.stringify(capabilities.flatMap(({ inputSchema, outputSchema }) => [inputSchema, outputSchema])).length > maximumSchemasLength) return `the schemas of all capabilities have more than ${maximumSchemasLength} characters`
    for (const { id, inputSchema, outputSchema } of capabilities) {
      if (!isStorable(id)) return 'a capability has an id with U+0000'
      // Others have their turn between two schemas that have to be compiled.
      await nextTurn()
      for (const schema of [inputSchema, outputSchema]) if (schema !== undefined && !this.#router.schemas.isUsable(schema)) return 'a schema of a capability cannot be used'
    }
    return undefined
  }

  /** A message that came before is answered as it was then, and nothing happens; a discovery is answered as things are now. */
  async #takeOnce(message: IAPMessage): Promise<void> {
    const contentHash = contentHashOf(message)
    const earlier = await this.#router.store.findReceived(message.from, message.messageId)
    const judged = judgeRepeat(earlier?.contentHash, contentHash)
    if (judged === 'new') return this.#sendAll(await this.#answersTo(message, contentHash))
    if (judged === 'repeat' && message.type === 'CAPABILITY_DISCOVERY') return this.#send(this.#discovered(message))
    if (judged === 'repeat') return this.#sendAll(JSON.parse(earlier!.answers) as Answers)
    this.#refused(message, judged)
  }

  async #answersTo(message: IAPMessage, contentHash: string): Promise<Answers> {
    const received = { message, contentHash }
    const submit = (job: Omit<TaskJob, 'received'>) => this.#router.desk.submit({ ...job, received })
    switch (message.type) {
      case 'CAPABILITY_DISCOVERY':
        // Of any length, and changes nothing: only that it came is remembered.
        await this.#keep(message, contentHash, [])
        return [this.#discovered(message)]
      case 'TASK_PROPOSAL':
        return this.#propose(message, contentHash)
      case 'TASK_BID':
        return submit({ taskId: message.payload.taskId, input: { type: 'bid', message } })
      case 'TASK_ACCEPTANCE':
        return submit({ taskId: message.payload.taskId, input: { type: 'acceptance', message } })
      case 'TASK_REJECTION':
        return submit({ taskId: message.payload.taskId, input: { type: 'rejection', message } })
      case 'TASK_PARTIAL_RESULT':
        return submit({ taskId: message.payload.taskId, input: { type: 'partial-result', message } })
      case 'TASK_RESULT':
        return this.#result(message, contentHash)
      case 'CONTEXT_TRANSFER':
        return this.#contexts.read(message).then((content) => submit({ taskId: message.payload.taskId, input: { type: 'context', message, content } }))
      case 'ERROR':
        return this.#takeError(message, contentHash)
      default:
        return this.#keep(message, contentHash, [this.#errorFor(message, invalid('this type is sent by the router alone', 'not_for_router'))])
    }
  }

  async #propose(message: IAPMessageOf<'TASK_PROPOSAL'>, contentHash: string): Promise<Answers> {
    const { desk, nodes, limits, organizationId, store, bridge } = this.#router
    const { from, metadata, payload } = message
    if (desk.open().filter(({ proposal }) => proposal.proposerId === from).length >= limits.maxOpenTasks) {
      return this.#keep(message, contentHash, [this.#errorFor(message, errorPayload('AGENT_OVERLOAD', 'too many tasks of this agent have not ended', { relatedTaskId: payload.taskId }))])
    }
    const work = await bridge.admit(this.#principalId, metadata)
    if (!work.ok) return this.#keep(message, contentHash, [this.#errorFor(message, invalid(work.error, 'work_item'))])
    // What is done for a WorkItem stands in the log of its Mission.
    if (work.value === undefined && !(await nodes.mayWrite(from))) {
      return this.#keep(message, contentHash, [this.#errorFor(message, errorPayload('AGENT_OVERLOAD', 'this agent has written all that one may write to Spaces', { relatedTaskId: payload.taskId, details: { reason: 'quota_exceeded' } }))])
    }
    const spaceId = work.value?.groupId ?? (await nodes.spaceFor(from, metadata?.spaceId))
    if (spaceId === undefined) return this.#keep(message, contentHash, [this.#errorFor(message, invalid('metadata.spaceId names no open Space', 'unknown_space'))])
    const cacheKey = work.value ? undefined : resultCacheKey(organizationId, message)
    const kept = cacheKey === undefined ? undefined : await store.cached(cacheKey)
    const cached = kept && { result: JSON.parse(kept.result) as unknown }
    return desk.submit({ taskId: payload.taskId, received: { message, contentHash }, input: { type: 'proposal', message, ...(cached && { cached }) }, setting: { spaceId, ...(cacheKey !== undefined && { cacheKey }), ...(work.value && { work: work.value }) } })
  }

  async #result(message: IAPMessageOf<'TASK_RESULT'>, contentHash: string): Promise<Answers> {
    const { desk, schemas } = this.#router
    const { taskId, result } = message.payload
    const outputFault = schemas.faultOf((await desk.find(taskId))?.holding?.agent.outputSchema, result)
    return desk.submit({ taskId, received: { message, contentHash }, input: { type: 'result', message, ...(outputFault !== undefined && { outputFault }) } })
  }

  /** A proposer ends its task by it; between the two parties of a task it is passed on. Nothing is ever answered. */
  async #takeError(message: IAPMessageOf<'ERROR'>, contentHash: string): Promise<Answers> {
    const { desk } = this.#router
    const { from, to, payload: { relatedTaskId, details, message: reason } } = message
    const task = relatedTaskId === undefined ? undefined : await desk.find(relatedTaskId)
    if (task !== undefined && details?.cancel === true && task.proposal.proposerId === from) await desk.submit({ taskId: task.taskId, input: { type: 'cancel', by: from, reason } })
    else if (task !== undefined && to !== ROUTER && to !== from && isPartyTo(task, from) && isPartyTo(task, to)) await this.#router.forward(message)
    return this.#keep(message, contentHash, [])
  }

  #discovered(message: IAPMessageOf<'CAPABILITY_DISCOVERY'>): IAPMessage {
    const { roster, desk } = this.#router
    // Everybody whom this door lets in belongs to the one organization.
    const found = discover(roster, message.from, message.payload, { maySee: () => true, recordOf: (agentId, capabilityId) => desk.recordOf(agentId, capabilityId) })
    return this.#compose('CAPABILITY_RESPONSE', message.messageId, found)
  }

  /** Remembers the answers for the message that no task is concerned with. */
  async #keep(message: IAPMessage, contentHash: string, answers: Answers): Promise<Answers> {
    const { store, clock } = this.#router
    const row = { agentId: message.from, messageId: message.messageId, contentHash, answers: JSON.stringify(answers), receivedAt: clock.now() }
    await store.commit({ tasks: [], records: [], outbox: [], received: [row], accounts: [], cache: [] })
    return answers
  }

  #invalid(messageId: string, message: string, reason: string): void {
    this.#sendError(messageId, invalid(message, reason))
  }

  #errorFor(message: IAPMessage, error: ErrorMessage): IAPMessage {
    return answerTo(message, error, this.#router.clock.now())
  }

  #sendError(correlationId: string | undefined, error: ErrorMessage): void {
    const to = this.#session?.agentId ?? 'unknown'
    const messageId = `urn:uuid:${randomUUID()}`
    this.#send(composeMessage('ERROR', { messageId, from: ROUTER, to, timestamp: this.#router.clock.now(), ...(correlationId !== undefined && { correlationId }) }, error))
  }

  #compose<T extends MessageType>(type: T, correlationId: string, payload: IAPPayloads[T]): IAPMessage {
    const to = this.#session!.agentId
    const messageId = deriveUrn('iap-answer', to, correlationId, randomUUID())
    return composeMessage(type, { messageId, from: ROUTER, to, timestamp: this.#router.clock.now(), correlationId }, payload) as unknown as IAPMessage
  }

  #sendAll(answers: Answers): void {
    for (const answer of answers) this.#send(answer)
  }

  #send(message: IAPMessage): void {
    this.#link.send(JSON.stringify(message))
  }
}

const invalid = (message: string, reason: string): ErrorMessage => errorPayload('VALIDATION_ERROR', message, { details: { reason } })
const refusal = (message: string, reason: string, closes: boolean): SessionRefusal => ({ error: invalid(message, reason), closes })
