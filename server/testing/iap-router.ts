// A whole I.A.P. router in memory: the pure core behind real WebSockets and a real clock. For the client's tests and for transcripts.
import { createHash, randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { WebSocket } from 'ws'
import { WebSocketServer } from 'ws'
import type { IAPPackedContext } from '../../protocol/generated/types.ts'
import { composeMessage } from '../../protocol/iap/compose.ts'
import type { IAPPayloads, MessageType } from '../../protocol/iap/message-type.ts'
import { isTerminal } from '../../protocol/iap/task-status.ts'
import type { AgentId, CapabilityRecord, ErrorMessage, IAPMessage, IAPMessageOf, TaskId } from '../../protocol/iap/types.ts'
import { ROUTER } from '../../protocol/iap/types.ts'
import { nextDue } from '../authority/iap/absence.ts'
import { decideTask } from '../authority/iap/decide-task.ts'
import { evolveTask } from '../authority/iap/evolve-task.ts'
import type { TaskRecord } from '../authority/iap/records.ts'
import { addRecords, NO_RECORD, reputationChange } from '../authority/iap/reputation.ts'
import { resultCacheKey } from '../authority/iap/result-cache.ts'
import type { OnlineAgent } from '../authority/iap/roster.ts'
import { discover, eligibleAgents, standingOf } from '../authority/iap/roster.ts'
import { DEFAULT_RULES } from '../authority/iap/rules.ts'
import { admitHandshake, admitMessage, judgeRepeat } from '../authority/iap/session.ts'
import type { RouterRules, TaskEnv, TaskInput, TaskState } from '../authority/iap/types.ts'

const MAX_CONTEXT_BYTES = 1024 * 1024
const LIMITS = { maxMessageBytes: 4 * MAX_CONTEXT_BYTES, maxContextBytes: MAX_CONTEXT_BYTES, maxBatchMessages: 64 }

interface Seat {
  readonly socket: WebSocket
  readonly principalId: string
  session?: OnlineAgent
}

export class IapRouter {
  readonly roster = new Map<AgentId, OnlineAgent>()
  readonly tasks = new Map<TaskId, TaskState>()
  readonly records: TaskRecord[] = []
  readonly #server: WebSocketServer
  readonly #rules: RouterRules
  readonly #seats = new Map<string, Seat>()
  readonly #owners = new Map<AgentId, string>()
  readonly #accounts = new Map<string, CapabilityRecord>()
  readonly #cache = new Map<string, unknown>()
  readonly #keys = new Map<TaskId, string | undefined>()
  readonly #undelivered = new Map<AgentId, IAPMessage[]>()
  readonly #heard = new Map<string, string>()
  readonly #timers = new Map<TaskId, NodeJS.Timeout>()

  private constructor(server: WebSocketServer, rules: RouterRules) {
    this.#server = server
    this.#rules = rules
    server.on('connection', (socket, request) => this.#seat({ socket, principalId: request.headers.authorization ?? 'nobody' }))
  }

  /** Short windows by default: a test waits for them. */
  static async start(rules: Partial<RouterRules> = {}): Promise<IapRouter> {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1', verifyClient: ({ req }: { req: IncomingMessage }) => req.headers.authorization !== 'Bearer revoked' })
    await new Promise((resolve) => server.once('listening', resolve))
    return new IapRouter(server, { ...DEFAULT_RULES, bidWindowMs: 250, acceptWithinMs: 400, graceMs: 400, ...rules })
  }

  get url(): string {
    return `ws://127.0.0.1:${(this.#server.address() as AddressInfo).port}/iap`
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers.values()) clearTimeout(timer)
    for (const socket of this.#server.clients) socket.terminate()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  /** Pulls the cable of an agent. */
  cut(agentId: AgentId): void {
    this.#seats.get(this.roster.get(agentId)?.sessionId ?? '')?.socket.terminate()
  }

  #seat(seat: Seat): void {
    seat.socket.on('error', () => undefined)
    seat.socket.on('message', (data) => this.#receive(seat, parse(String(data))))
    seat.socket.on('close', () => this.#leave(seat, 'lost'))
  }

  #receive(seat: Seat, value: unknown): void {
    const admitted = admitMessage(value, seat.session)
    if (!admitted.ok) return this.#refuse(seat, value, admitted.error.error, admitted.error.closes)
    const message = admitted.value
    if (message.type === 'MESSAGE_BATCH') return this.#unpack(seat, message)
    if (message.type !== 'HANDSHAKE') {
      const key = JSON.stringify([message.from, message.messageId])
      const hash = createHash('sha256').update(JSON.stringify(message)).digest('hex')
      const judged = judgeRepeat(this.#heard.get(key), hash)
      if (judged === 'repeat') return
      if (judged !== 'new') return this.#refuse(seat, value, judged.error, judged.closes)
      this.#heard.set(key, hash)
    }
    this.#handle(seat, message)
  }

  #unpack(seat: Seat, { payload: { messages } }: IAPMessageOf<'MESSAGE_BATCH'>): void {
    for (const each of messages) if (each.type !== 'MESSAGE_BATCH') this.#receive(seat, each)
  }

  #handle(seat: Seat, message: IAPMessage): void {
    switch (message.type) {
      case 'HANDSHAKE':
        return this.#greet(seat, message)
      case 'CAPABILITY_DISCOVERY':
        return this.#reply(seat, 'CAPABILITY_RESPONSE', discover(this.roster, message.from, message.payload, { maySee: () => true, recordOf: (...key) => this.#accounts.get(JSON.stringify(key)) }), message.messageId)
      case 'TASK_PROPOSAL': {
        const key = resultCacheKey('tenant', message)
        const cached = key !== undefined && this.#cache.has(key) ? { result: this.#cache.get(key) } : undefined
        return this.#act(message.payload.taskId, { type: 'proposal', message, ...(cached && { cached }) }, seat)
      }
      case 'TASK_BID':
        return this.#act(message.payload.taskId, { type: 'bid', message }, seat)
      case 'TASK_ACCEPTANCE':
        return this.#act(message.payload.taskId, { type: 'acceptance', message }, seat)
      case 'TASK_REJECTION':
        return this.#act(message.payload.taskId, { type: 'rejection', message }, seat)
      case 'TASK_RESULT':
        return this.#act(message.payload.taskId, { type: 'result', message, ...this.#outputFault(message) }, seat)
      case 'TASK_PARTIAL_RESULT':
        return this.#act(message.payload.taskId, { type: 'partial-result', message }, seat)
      case 'CONTEXT_TRANSFER':
        return this.#act(message.payload.taskId, { type: 'context', message, content: contentOf(message) }, seat)
      case 'ERROR':
        if (message.payload.details?.cancel === true && message.payload.relatedTaskId !== undefined) this.#cancel(message.payload.relatedTaskId, message)
        return
      case 'HEARTBEAT':
        return this.#beat(seat, message)
      case 'DISCONNECT':
        this.#leave(seat, 'departed')
        return seat.socket.close(1000)
      default:
        return this.#refuse(seat, message, { code: 'VALIDATION_ERROR', message: 'an agent does not send this', recoverable: true }, false)
    }
  }

  #greet(seat: Seat, message: IAPMessageOf<'HANDSHAKE'>): void {
    const bound = [...this.#owners].find(([, principalId]) => principalId === seat.principalId && principalId !== 'nobody')?.[0]
    const owner = { principalId: seat.principalId, ownerOf: (agentId: AgentId) => this.#owners.get(agentId), boundAgentId: bound }
    const welcome = admitHandshake(message, seat.session, { roster: this.roster, owner, nowMs: Date.now(), sessionId: randomUUID(), heartbeatIntervalMs: this.#rules.heartbeatIntervalMs, limits: LIMITS })
    if (!welcome.ok) return this.#refuse(seat, message, welcome.error.error, welcome.error.closes)
    const { agent, ack, replaces } = welcome.value
    const isNew = seat.session === undefined
    seat.session = agent
    this.#seats.set(agent.sessionId, seat)
    this.#owners.set(agent.agentId, agent.principalId)
    this.roster.set(agent.agentId, agent)
    if (replaces !== undefined) this.#seats.get(replaces)?.socket.close(4001)
    this.#reply(seat, 'HANDSHAKE_ACK', ack, message.messageId)
    if (isNew) for (const taskId of this.tasks.keys()) this.#act(taskId, { type: 'returned', agentId: agent.agentId, isTakeover: replaces !== undefined })
    for (const held of this.#undelivered.get(agent.agentId) ?? []) seat.socket.send(JSON.stringify(held))
    this.#undelivered.delete(agent.agentId)
  }

  #beat(seat: Seat, { payload: { currentLoad } }: IAPMessageOf<'HEARTBEAT'>): void {
    const agent = { ...seat.session!, lastHeardMs: Date.now(), ...(currentLoad !== undefined && { currentLoad }) }
    seat.session = agent
    this.roster.set(agent.agentId, agent)
  }

  #leave(seat: Seat, type: 'departed' | 'lost'): void {
    const { session } = seat
    if (session === undefined || this.roster.get(session.agentId)?.sessionId !== session.sessionId) return
    this.roster.delete(session.agentId)
    for (const taskId of this.tasks.keys()) this.#act(taskId, { type, agentId: session.agentId })
  }

  #cancel(taskId: TaskId, { from, payload }: IAPMessageOf<'ERROR'>): void {
    if (this.tasks.get(taskId)?.proposal.proposerId === from) this.#act(taskId, { type: 'cancel', by: from, reason: payload.message })
  }

  #act(taskId: TaskId, input: TaskInput, seat?: Seat): void {
    const proposal = input.type === 'proposal' ? input.message : undefined
    const { records, messages, error } = decideTask(this.tasks.get(taskId), input, this.#env(taskId, proposal))
    for (const record of records) this.#append(taskId, record)
    if (proposal !== undefined && error === undefined) this.#keys.set(taskId, resultCacheKey('tenant', proposal))
    for (const message of messages) this.#deliver(message)
    if (error !== undefined && seat !== undefined && 'message' in input) this.#reply(seat, 'ERROR', error, input.message.messageId)
    this.#schedule(taskId)
  }

  #append(taskId: TaskId, record: TaskRecord): void {
    const before = this.tasks.get(taskId)
    const change = reputationChange(before, record)
    const key = JSON.stringify([change?.agentId, change?.capabilityId])
    if (change !== undefined) this.#accounts.set(key, addRecords(this.#accounts.get(key) ?? NO_RECORD, change.added))
    if (record.type === 'task_result' && record.content.refused === undefined && record.content.result.status === 'completed') {
      const cacheKey = this.#keys.get(taskId)
      if (cacheKey !== undefined) this.#cache.set(cacheKey, record.content.result.result)
    }
    this.tasks.set(taskId, evolveTask(before, record))
    this.records.push(record)
  }

  #schedule(taskId: TaskId): void {
    clearTimeout(this.#timers.get(taskId))
    const due = nextDue(this.tasks.get(taskId) ?? ({ status: 'failed' } as TaskState))
    if (due !== undefined) this.#timers.set(taskId, setTimeout(() => this.#act(taskId, { type: 'due' }), Math.min(Math.max(0, due - Date.now()), 2 ** 31 - 1)))
  }

  #env(taskId: TaskId, proposed: IAPMessageOf<'TASK_PROPOSAL'> | undefined): TaskEnv {
    const proposal = this.tasks.get(taskId)?.proposal ?? proposed?.payload
    const presence = { roster: this.roster, held: this.#held(), hasRoom: () => true }
    return {
      nowMs: Date.now(),
      seed: randomUUID(),
      rules: this.#rules,
      candidates: () => (proposal === undefined ? { eligible: [], busy: 0 } : eligibleAgents(presence, proposal, ({ inputSchema }) => hasRequired(inputSchema, proposal.input))),
      standingOf: (agentId) => standingOf(presence, agentId),
      recordOf: (agentId, capabilityId) => this.#accounts.get(JSON.stringify([agentId, capabilityId])) ?? NO_RECORD,
      isWorkInHand: () => false,
    }
  }

  #held(): ReadonlyMap<AgentId, number> {
    const held = new Map<AgentId, number>()
    for (const { holding, status } of this.tasks.values()) if (holding !== undefined && !isTerminal(status)) held.set(holding.agent.agentId, (held.get(holding.agent.agentId) ?? 0) + 1)
    return held
  }

  #outputFault({ payload }: IAPMessageOf<'TASK_RESULT'>): { outputFault?: string } {
    const schema = this.tasks.get(payload.taskId)?.holding?.agent.outputSchema
    return hasRequired(schema, payload.result) ? {} : { outputFault: 'a required member is missing' }
  }

  #deliver(message: IAPMessage): void {
    const seat = this.#seats.get(this.roster.get(message.to)?.sessionId ?? '')
    if (seat?.socket.readyState === 1) seat.socket.send(JSON.stringify(message))
    else this.#undelivered.set(message.to, [...(this.#undelivered.get(message.to) ?? []), message])
  }

  #reply<T extends MessageType>(seat: Seat, type: T, payload: IAPPayloads[T], correlationId: string | undefined): void {
    const to = seat.session?.agentId ?? 'unknown'
    seat.socket.send(JSON.stringify(composeMessage(type, { messageId: `msg_${randomUUID()}`, from: ROUTER, to, timestamp: new Date().toISOString(), ...(correlationId !== undefined && { correlationId }) }, payload)))
  }

  #refuse(seat: Seat, value: unknown, error: ErrorMessage, closes: boolean): void {
    const { messageId, type } = (value ?? {}) as { messageId?: unknown; type?: unknown }
    if (type !== 'ERROR') this.#reply(seat, 'ERROR', error, typeof messageId === 'string' ? messageId : undefined)
    if (closes) seat.socket.close(1008)
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** As much of JSON Schema as the transcripts need. */
const hasRequired = (schema: Readonly<Record<string, unknown>> | undefined, value: unknown): boolean =>
  ((schema?.required ?? []) as readonly string[]).every((member) => typeof value === 'object' && value !== null && member in value)

function contentOf({ payload, metadata }: IAPMessageOf<'CONTEXT_TRANSFER'>): { sha256: string; size: number } | { fault: string } {
  const { compression = 'none' } = payload
  if (compression === 'none') return hashed(Buffer.from(JSON.stringify(payload.data)))
  const { body, sha256, size } = payload.data as IAPPackedContext
  if (metadata?.chunk !== undefined) return { sha256, size }
  try {
    const unpacked = hashed((compression === 'gzip' ? gunzipSync : brotliDecompressSync)(Buffer.from(body, 'base64'), { maxOutputLength: MAX_CONTEXT_BYTES }))
    return unpacked.sha256 === sha256 && unpacked.size === size ? unpacked : { fault: 'the context does not have its hash' }
  } catch {
    return { fault: 'the context cannot be unpacked' }
  }
}

const hashed = (bytes: Buffer): { sha256: string; size: number } => ({ sha256: createHash('sha256').update(bytes).digest('hex'), size: bytes.length })
