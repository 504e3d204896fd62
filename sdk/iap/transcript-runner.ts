// Plays a transcript against a router at any address.
import { randomUUID } from 'node:crypto'
import { MessageType } from '../../protocol/iap/message-type.ts'
import { ROUTER } from '../../protocol/iap/types.ts'
import { IAP_BASE_VERSION } from '../../protocol/iap/version.ts'
import { TranscriptAgent } from './transcript-agent.ts'
import { substitute } from './transcript-matcher.ts'
import type { Transcript, TranscriptOutcome, TranscriptStep } from './transcript.ts'

export interface TranscriptOptions {
  readonly url: string
  /** The bearer token of each agent of the transcript, by its name there. */
  readonly tokenOf?: (name: string) => string | undefined
  /** The id of each agent, where the router knows it by its token; else one that is unique to the run. */
  readonly agentIdOf?: (name: string) => string
  /** How long a step waits that says nothing of its own. */
  readonly timeoutMs?: number
}

const DEFAULT_TIMEOUT_MS = 15_000

/** Plays all steps in order; stops at the first that fails. In the end every agent takes its leave, so that the next run finds nothing half done. */
export async function runTranscript(transcript: Transcript, options: TranscriptOptions): Promise<TranscriptOutcome> {
  const run = new TranscriptRun(transcript, options)
  try {
    for (const [index, step] of transcript.steps.entries()) {
      const reason = await run.play(step).catch((fault: Error) => fault.message)
      if (reason !== undefined) return { title: transcript.title, passed: false, failure: { step: index, reason }, measures: run.measures }
    }
    return { title: transcript.title, passed: true, measures: run.measures }
  } finally {
    await run.end()
  }
}

class TranscriptRun {
  readonly measures: { name: string; ms: number }[] = []
  readonly #options: TranscriptOptions
  readonly #run = randomUUID().slice(0, 8)
  readonly #agents: ReadonlyMap<string, TranscriptAgent>
  readonly #captured = new Map<string, unknown>()
  #sentAt = performance.now()
  #count = 0

  constructor({ agents }: Transcript, options: TranscriptOptions) {
    this.#options = options
    const idOf = options.agentIdOf ?? ((name: string) => `${name}-${this.#run}`)
    this.#agents = new Map(Object.entries(agents).map(([name, { as = name }]) => [name, new TranscriptAgent(idOf(as), options.tokenOf?.(as), this.#run)]))
  }

  async end(): Promise<void> {
    for (const agent of this.#agents.values()) await agent.leave()
  }

  /** Why the step failed, or `undefined`. */
  async play(step: TranscriptStep): Promise<string | undefined> {
    const agent = this.#agents.get(step.agent)
    if (agent === undefined) return `there is no agent ${step.agent}`
    const timeoutMs = this.#options.timeoutMs ?? DEFAULT_TIMEOUT_MS
    if ('open' in step) return this.#done(await agent.open(this.#options.url))
    if ('join' in step) return this.#join(agent, this.#fill(step.join))
    if ('send' in step) return this.#send(agent, step)
    if ('sendText' in step) return this.#done(agent.sendText(String(this.#fill(step.sendText))))
    if ('resend' in step) return agent.resend(step.resend) ? undefined : `nothing was sent as ${step.resend}`
    if ('expect' in step) return this.#expect(agent, step, step.withinMs ?? timeoutMs)
    if ('expectNone' in step) return agent.find(this.#fill(step.expectNone)) === undefined ? undefined : 'a message came that must not come'
    if ('sync' in step) return this.#sync(agent, timeoutMs)
    if ('expectFlow' in step) return agent.flowState === step.expectFlow ? undefined : `the state is ${agent.flowState}`
    if ('cut' in step) return this.#done(agent.cut())
    const code = await agent.closeCode(timeoutMs)
    return code !== undefined && [true, code].includes(step.expectClose) ? undefined : `the connection ${code === undefined ? 'stayed open' : `closed with ${code}`}`
  }

  #done(_nothing: void): undefined {
    return undefined
  }

  #fill<T>(template: T): T {
    return substitute(template, (name) => this.#agents.get(name)?.agentId ?? this.#captured.get(name) ?? this.#made(name)) as T
  }

  #made(name: string): string | undefined {
    if (name === 'run') return this.#run
    return name.startsWith('task.') ? `task-${this.#run}-${name.slice('task.'.length)}` : undefined
  }

  #send(agent: TranscriptAgent, { send, omit = [], name }: Extract<TranscriptStep, { send: unknown }>): undefined {
    const envelope = { messageId: `msg-${this.#run}-${this.#count++}`, from: agent.agentId, to: ROUTER, timestamp: new Date().toISOString(), protocolVersion: IAP_BASE_VERSION, payload: {} }
    const message = { ...envelope, ...this.#fill(send) }
    this.#sentAt = performance.now()
    agent.send(Object.fromEntries(Object.entries(message).filter(([member]) => !omit.includes(member))), name)
  }

  async #expect(agent: TranscriptAgent, { expect, measure }: Extract<TranscriptStep, { expect: unknown }>, withinMs: number): Promise<string | undefined> {
    const taken = await agent.take(this.#fill(expect), withinMs)
    if (typeof taken === 'string') return taken
    if (measure !== undefined) this.measures.push({ name: measure, ms: performance.now() - this.#sentAt })
    for (const [name, value] of Object.entries(taken)) this.#captured.set(name, value)
    return undefined
  }

  async #join(agent: TranscriptAgent, members: Readonly<Record<string, unknown>>): Promise<string | undefined> {
    await agent.open(this.#options.url)
    const payload = { agentId: agent.agentId, name: agent.agentId, version: '1.0.0', protocolVersion: IAP_BASE_VERSION, capabilities: [], ...members }
    this.#send(agent, { agent: '', send: { type: MessageType.HANDSHAKE, protocolVersion: payload.protocolVersion, payload } })
    return this.#expect(agent, { agent: '', expect: { type: MessageType.HANDSHAKE_ACK } }, this.#options.timeoutMs ?? DEFAULT_TIMEOUT_MS)
  }

  async #sync(agent: TranscriptAgent, timeoutMs: number): Promise<string | undefined> {
    const messageId = `sync-${this.#run}-${this.#count++}`
    this.#send(agent, { agent: '', send: { type: MessageType.CAPABILITY_DISCOVERY, messageId } })
    return this.#expect(agent, { agent: '', expect: { type: MessageType.CAPABILITY_RESPONSE, correlationId: messageId } }, timeoutMs)
  }
}
