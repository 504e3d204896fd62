// An agent of the Inter-Agent Protocol under a test's control: sends what it is told to, keeps what it gets, answers nothing by itself.
import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { WebSocket } from 'ws'
import type { AgentHandshake, IAPMessage, IAPMessageOf, TaskAssignment, TaskBid, TaskProposal } from '../../../protocol/iap/types.ts'
import type { MessageType } from '../../../protocol/iap/message-type.ts'
import { invariant } from '../../../protocol/result.ts'
import {
  createHandshakeMessage, createTaskAcceptanceMessage, createTaskBidMessage, createTaskProposalMessage, createTaskRejectionMessage, createTaskResultMessage,
} from '../../../sdk/iap/create-messages.ts'

export type AgentTraits = Partial<Omit<AgentHandshake, 'agentId'>>

export const dataAnalysis = (id: string, schemas: { readonly inputSchema?: Record<string, unknown>; readonly outputSchema?: Record<string, unknown> } = {}) => ({ id, type: 'data_analysis', name: id, description: '', ...schemas })

/** How the upgrade is refused, with the text that comes along; undefined where it is not. */
export async function refusalOf(url: string, headers: Record<string, string>, protocols: readonly string[] = []): Promise<{ readonly statusCode: number; readonly headers: IncomingHttpHeaders; readonly text: string } | undefined> {
  const socket = new WebSocket(url, [...protocols], { headers })
  socket.on('error', () => undefined)
  const refused = await new Promise<IncomingMessage | undefined>((resolve) => {
    socket.once('unexpected-response', (_request, response) => resolve(response))
    socket.once('open', () => resolve(undefined))
  })
  const answer = refused && { statusCode: refused.statusCode!, headers: refused.headers, text: await text(refused) }
  socket.terminate()
  return answer
}

export class TestAgent {
  readonly agentId: string
  readonly received: IAPMessage[] = []
  readonly #socket: WebSocket
  readonly #wakes = new Set<() => void>()
  readonly #closed: Promise<number>
  #read = 0

  private constructor(agentId: string, socket: WebSocket) {
    this.agentId = agentId
    this.#socket = socket
    this.#closed = once(socket, 'close').then(([code]) => code as number)
    socket.on('message', (data: Buffer) => {
      this.received.push(JSON.parse(data.toString()) as IAPMessage)
      for (const wake of this.#wakes) wake()
    })
    socket.on('error', () => undefined)
  }

  /** An open socket that has not introduced itself. `autoPong: false`: it never says that it has got anything. */
  static async open(url: string, token: string, agentId: string, { autoPong = true } = {}): Promise<TestAgent> {
    const socket = new WebSocket(url, { headers: { authorization: `Bearer ${token}` }, autoPong })
    const agent = new TestAgent(agentId, socket)
    await once(socket, 'open')
    return agent
  }

  static async join(url: string, token: string, agentId: string, traits: AgentTraits & { readonly autoPong?: boolean } = {}): Promise<TestAgent> {
    const { autoPong, ...handshake } = traits
    const agent = await TestAgent.open(url, token, agentId, autoPong === undefined ? {} : { autoPong })
    agent.introduce(handshake)
    await agent.next('HANDSHAKE_ACK')
    return agent
  }

  get closeCode(): Promise<number> {
    return this.#closed
  }

  introduce(traits: AgentTraits = {}): void {
    this.send(createHandshakeMessage({ agentId: this.agentId, name: this.agentId, version: '1.0.0', capabilities: [], protocolVersion: '1.0.0', ...traits }))
  }

  send(message: unknown): void {
    this.#socket.send(typeof message === 'string' ? message : JSON.stringify(message))
  }

  sendBytes(bytes: Uint8Array): void {
    this.#socket.send(bytes)
  }

  propose(taskId: string, changes: Partial<TaskProposal> = {}, metadata?: Record<string, unknown>): IAPMessageOf<'TASK_PROPOSAL'> {
    const message = createTaskProposalMessage({ taskId, proposerId: this.agentId, description: 'Sum it', requiredCapability: 'data_analysis', input: { numbers: [1, 2] }, maxLatency: 8000, maxCost: 100, ...changes }, metadata)
    this.send(message)
    return message
  }

  bid(taskId: string, changes: Partial<TaskBid> = {}): IAPMessageOf<'TASK_BID'> {
    const message = createTaskBidMessage({ taskId, bidderId: this.agentId, estimatedLatency: 100, estimatedCost: 10, confidence: 0.9, ...changes }, this.agentId)
    this.send(message)
    return message
  }

  accept(assignment: Pick<TaskAssignment, 'taskId' | 'assignmentId'>): void {
    this.send(createTaskAcceptanceMessage({ taskId: assignment.taskId, assignmentId: assignment.assignmentId }, this.agentId))
  }

  reject(assignment: Pick<TaskAssignment, 'taskId' | 'assignmentId'>, code?: string): void {
    this.send(createTaskRejectionMessage({ taskId: assignment.taskId, assignmentId: assignment.assignmentId, ...(code !== undefined && { code }) }, this.agentId))
  }

  /** Bids for a task that is proposed to it, gets it and accepts; resolves with the assignment once the router has the acceptance. */
  async takeOn(taskId: string): Promise<TaskAssignment> {
    await this.next('TASK_PROPOSAL')
    this.bid(taskId)
    const { payload: assignment } = await this.next('TASK_ASSIGNMENT')
    this.accept(assignment)
    await this.settle()
    return assignment
  }

  complete(assignment: Pick<TaskAssignment, 'taskId' | 'assignmentId'>, result: unknown): IAPMessageOf<'TASK_RESULT'> {
    const message = createTaskResultMessage({ taskId: assignment.taskId, assignmentId: assignment.assignmentId, status: 'completed', result }, this.agentId)
    this.send(message)
    return message
  }

  /** The next message that was not read yet; it must be of this type. */
  async next<T extends MessageType>(type: T): Promise<IAPMessageOf<T>> {
    while (this.received.length <= this.#read) {
      const arrival = new Promise<void>((resolve) => this.#wakes.add(resolve))
      const isOver = await Promise.race([arrival.then(() => false), this.#closed.then(() => true)])
      invariant(!isOver || this.received.length > this.#read, `the connection closed before a ${type}`)
    }
    const message = this.received[this.#read++]!
    invariant(message.type === type, `expected a ${type}, got ${JSON.stringify(message)}`)
    return message as unknown as IAPMessageOf<T>
  }

  async nextError(): Promise<IAPMessageOf<'ERROR'>['payload'] & { readonly correlationId?: string }> {
    const { payload, correlationId } = await this.next('ERROR')
    return { ...payload, ...(correlationId !== undefined && { correlationId }) }
  }

  /** Asks something harmless and waits for the answer: everything that was sent before has been dealt with. */
  async settle(): Promise<void> {
    this.send({ messageId: `settle-${Math.random()}`, type: 'CAPABILITY_DISCOVERY', from: this.agentId, to: 'router', timestamp: '2026-11-30T08:00:00Z', protocolVersion: '1.0.0', payload: {} })
    await this.next('CAPABILITY_RESPONSE')
  }

  /** Breaks off without a word. */
  async breakOff(): Promise<void> {
    this.#socket.terminate()
    await this.#closed
  }
}
