// One connection of a transcript: what it sent, what it received and nobody expected yet, and where its FlowState stands.
import { once } from 'node:events'
import { WebSocket } from 'ws'
import type { FlowContext, FlowState } from '../../protocol/iap/flow.ts'
import { createFlowContext, reportedFlowState, transitionFlow } from '../../protocol/iap/flow.ts'
import { isMessageType } from '../../protocol/iap/message-type.ts'
import { createDisconnectMessage } from './create-messages.ts'
import { match } from './transcript-matcher.ts'
import type { Matcher } from './transcript.ts'

/** How long a router may take to close after a DISCONNECT. */
const LEAVE_MS = 1000

type Wire = Readonly<Record<string, unknown>>

export class TranscriptAgent {
  readonly agentId: string
  readonly #token: string | undefined
  readonly #run: string
  readonly #texts = new Map<string, string>()
  readonly #tasks = new Map<string, FlowContext>()
  #socket: WebSocket | undefined
  #inbox: Wire[] = []
  #closed: number | undefined
  #session: FlowContext
  #wake: () => void = () => undefined

  /** Messages about tasks of other runs, which a router kept for the agent, are passed over: those of this one have `run` in their ids. */
  constructor(agentId: string, token: string | undefined, run: string) {
    this.agentId = agentId
    this.#token = token
    this.#run = run
    this.#session = createFlowContext(agentId)
  }

  /** Resolves once the connection is open, or is closed already. */
  async open(url: string): Promise<void> {
    const socket = new WebSocket(url, { headers: this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` }, perMessageDeflate: false })
    this.#socket = socket
    this.#closed = undefined
    socket.on('message', (data) => this.#receive(JSON.parse(String(data)) as Wire))
    socket.on('error', () => undefined)
    socket.on('close', (code) => {
      if (socket !== this.#socket) return
      this.#closed = code
      this.#wake()
    })
    await Promise.race([once(socket, 'open'), once(socket, 'close')]).catch(() => undefined)
  }

  send(message: Wire, name: string | undefined): void {
    const text = JSON.stringify(message)
    if (name !== undefined) this.#texts.set(name, text)
    this.#move(message)
    this.sendText(text)
  }

  sendText(text: string): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(text)
  }

  /** Whether something was sent under the name. */
  resend(name: string): boolean {
    const text = this.#texts.get(name)
    if (text !== undefined) this.sendText(text)
    return text !== undefined
  }

  cut(): void {
    this.#socket?.terminate()
  }

  /** Takes leave, so that the router lets go of whatever the agent still has, and ends the connection. */
  async leave(): Promise<void> {
    if (this.#socket?.readyState !== WebSocket.OPEN) return
    this.sendText(JSON.stringify(createDisconnectMessage(this.agentId)))
    await this.closeCode(LEAVE_MS)
    this.cut()
  }

  get flowState(): FlowState {
    return reportedFlowState(this.#session, [...this.#tasks.values()])
  }

  /** Takes the first message that matches, with what it captured; waits for it as long as given. A text tells why there is none. */
  async take(matcher: Matcher, withinMs: number): Promise<Wire | string> {
    const deadline = Date.now() + withinMs
    for (;;) {
      const captured = this.find(matcher)
      if (captured !== undefined) return captured
      if (this.#closed !== undefined) return `the connection closed with ${this.#closed}; waiting: ${this.#waiting()}`
      if (!(await this.#change(deadline - Date.now()))) return `nothing matched within ${withinMs} ms; waiting: ${this.#waiting()}`
    }
  }

  /** Takes a message that is there and matches. */
  find(matcher: Matcher): Wire | undefined {
    for (const [index, message] of this.#inbox.entries()) {
      const captured = match(matcher, message)
      if (captured === undefined) continue
      this.#inbox.splice(index, 1)
      return captured
    }
    return undefined
  }

  /** The close code, or `undefined` when it stays open as long as given. */
  async closeCode(withinMs: number): Promise<number | undefined> {
    const deadline = Date.now() + withinMs
    while (this.#closed === undefined && (await this.#change(deadline - Date.now())));
    return this.#closed
  }

  #waiting(): string {
    return this.#inbox.map((message) => JSON.stringify(message).slice(0, 300)).join(' | ') || 'nothing'
  }

  #receive(message: Wire): void {
    const { taskId, relatedTaskId = taskId } = (message.payload ?? {}) as Wire
    if (typeof relatedTaskId === 'string' && !relatedTaskId.includes(this.#run)) return
    this.#inbox.push(message)
    this.#move(message)
    this.#wake()
  }

  /** Whether something came before the time was over. */
  #change(withinMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), Math.max(0, withinMs))
      this.#wake = () => {
        clearTimeout(timer)
        resolve(true)
      }
    })
  }

  #move({ type, payload }: Wire): void {
    if (typeof type !== 'string' || !isMessageType(type)) return
    const taskId = (payload as { readonly taskId?: unknown } | undefined)?.taskId
    if (typeof taskId !== 'string') return void (this.#session = transitionFlow(this.#session, type))
    this.#tasks.set(taskId, transitionFlow(this.#tasks.get(taskId) ?? { ...createFlowContext(this.agentId), currentState: 'idle' }, type))
  }
}
