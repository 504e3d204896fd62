import { randomUUID } from 'node:crypto'
import type { Log } from '../log.ts'
import type { WakeUps } from '../service/ports.ts'
import type { Sql } from './connect.ts'

const CHANNEL = 'countersign_spaces'
/** PostgreSQL refuses a payload of 8,000 bytes or more. */
const MAX_PAYLOAD_BYTES = 7_999
/** Every notifying commit takes a lock on the whole database, so growth is gathered before it is told. */
const GATHER_MS = 50
/** After a NOTIFY that failed; what it told is told again. */
const RETRY_MS = 1_000

/** Wake-ups within this process. */
export class LocalWakeUps implements WakeUps {
  readonly #listeners = new Set<(spaceId: string) => void>()

  publish(spaceId: string): void {
    this.deliver(spaceId)
  }

  /** Within one process nothing is ever missed. */
  subscribe(listener: (spaceId: string) => void, _onGap?: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  protected deliver(spaceId: string): void {
    for (const listener of this.#listeners) listener(spaceId)
  }

  async stop(): Promise<void> {}
}

/**
 * Wake-ups between nodes: here at once, elsewhere through one notifier that has at most one NOTIFY under way. The driver
 * listens on a connection of its own and opens it again when it breaks; what was told meanwhile is a gap.
 */
export class NotifyingWakeUps extends LocalWakeUps {
  readonly #sql: Sql
  readonly #log: Log | undefined
  readonly #nodeId = randomUUID()
  readonly #pending = new Set<string>()
  readonly #gapListeners = new Set<() => void>()
  #sending: Promise<void> | undefined
  #isStopping = false

  private constructor(sql: Sql, log: Log | undefined) {
    super()
    this.#sql = sql
    this.#log = log
  }

  static async start(sql: Sql, log?: Log): Promise<NotifyingWakeUps> {
    const wakeUps = new NotifyingWakeUps(sql, log)
    await sql.listen(
      CHANNEL,
      (payload) => wakeUps.#receive(payload),
      () => wakeUps.#gapListeners.forEach((onGap) => onGap()),
    )
    return wakeUps
  }

  override subscribe(listener: (spaceId: string) => void, onGap?: () => void): () => void {
    const unsubscribe = super.subscribe(listener)
    if (onGap) this.#gapListeners.add(onGap)
    return () => {
      unsubscribe()
      if (onGap) this.#gapListeners.delete(onGap)
    }
  }

  override publish(spaceId: string): void {
    super.publish(spaceId)
    this.#pending.add(spaceId)
    this.#sending ??= this.#send()
  }

  /** Tells what is still pending, once more at most. The listening connection ends with the pool. */
  override async stop(): Promise<void> {
    this.#isStopping = true
    await this.#sending
  }

  async #send(): Promise<void> {
    while (this.#pending.size > 0) {
      await new Promise((gathered) => setTimeout(gathered, GATHER_MS))
      const spaceIds = [...this.#pending]
      this.#pending.clear()
      try {
        await this.#sql`SELECT pg_notify(${CHANNEL}, payload) FROM unnest(${packPayloads(this.#nodeId, spaceIds)}::text[]) AS payload`
      } catch (cause) {
        if (this.#isStopping) return
        for (const spaceId of spaceIds) this.#pending.add(spaceId)
        this.#log?.warn({ err: cause }, 'other nodes could not be woken yet')
        await new Promise((waited) => setTimeout(waited, RETRY_MS))
      }
    }
    // In the same turn as the last look at what is pending: whoever publishes next finds that nobody sends.
    this.#sending = undefined
  }

  #receive(payload: string): void {
    const [nodeId, ...spaceIds] = payload.split('\n')
    if (nodeId !== this.#nodeId) for (const spaceId of spaceIds) this.deliver(spaceId)
  }
}

/** Space ids under the sender's id, one a line, in as few payloads as their size allows. An id too long to send is left out. */
export function packPayloads(nodeId: string, spaceIds: Iterable<string>): string[] {
  const payloads: string[] = []
  let payload = nodeId
  for (const spaceId of spaceIds) {
    const line = `\n${spaceId}`
    if (Buffer.byteLength(payload + line) > MAX_PAYLOAD_BYTES && payload !== nodeId) {
      payloads.push(payload)
      payload = nodeId
    }
    if (Buffer.byteLength(payload + line) <= MAX_PAYLOAD_BYTES) payload += line
  }
  return payload === nodeId ? payloads : [...payloads, payload]
}
