// All open event streams: pulled from their feeds as fast as their peers read, ended with the token that opened them.
import { Buffer } from 'node:buffer'
import type { ServerResponse } from 'node:http'
import type { Log } from '../../log.ts'
import { RecentMap } from '../../recent-map.ts'
import type { DoorTokens } from '../../service/doors/types.ts'
import { encodeCursor } from './cursor.ts'
import { EventStream } from './event-stream.ts'
import type { Caller } from './exchange.ts'
import type { IoaLimits } from './limits.ts'
import type { Listening, PassingMessage } from './listening.ts'
import type { Refusal } from './refusal.ts'
import { refusal } from './refusal.ts'
import { dataOf, openingOf } from './sse-frame.ts'

/** Ended tokens that are remembered: a request may have shown one just before. */
const rememberedEnds = 1_000

/** Bytes that are gathered before they are written at once. */
const writeBytes = 64 * 1024

export interface Source {
  readonly startsAfter: number
  next(limit: number): Promise<readonly PassingMessage[] | 'ended'>
  close(): void
}

interface OpenStream {
  readonly stream: EventStream
  readonly caller: Caller
  readonly source: Source
  readonly listening: Listening
  /** The position that the peer was told last. */
  told: number
  /** Where the stream stands, once that is further than the peer was told. */
  progress?: string | undefined
}

export class Streams {
  readonly #limits: IoaLimits
  readonly #log: Log
  readonly #nowMs: () => number
  readonly #open = new Set<OpenStream>()
  readonly #perNode = new Map<string, number>()
  readonly #endedTokens = new RecentMap<string, true>(rememberedEnds)
  readonly #heartbeat: NodeJS.Timeout
  readonly #unsubscribe: () => void
  #isClosed = false

  constructor({ limits, tokens, log, nowMs }: { limits: IoaLimits; tokens: Pick<DoorTokens, 'onEnded'>; log: Log; nowMs: () => number }) {
    this.#limits = limits
    this.#log = log
    this.#nowMs = nowMs
    this.#heartbeat = setInterval(() => this.#beat(), limits.heartbeatMs)
    this.#heartbeat.unref()
    this.#unsubscribe = tokens.onEnded((tokenId) => this.#tokenEnded(tokenId))
  }

  /** Why no stream can be opened by this caller. To be asked right before `run`. */
  refusalFor({ nodeId, tokenId }: Caller): Refusal | undefined {
    if (tokenId !== undefined && this.#endedTokens.get(tokenId)) return refusal(401, 'the token is not in force')
    if (this.#isClosed) return refusal(503, 'the server is stopping', { 'retry-after': 1 })
    const isFull = this.#open.size >= this.#limits.maxStreams || (this.#perNode.get(nodeId) ?? 0) >= this.#limits.maxStreamsPerNode
    return isFull ? refusal(429, 'too many open streams', { 'retry-after': 5 }) : undefined
  }

  /** Answers with the stream; resolves when it has ended. The source is closed then. */
  async run(response: ServerResponse, caller: Caller, source: Source, listening: Listening): Promise<void> {
    const stream = new EventStream(response)
    const open: OpenStream = { stream, caller, source, listening, told: source.startsAfter }
    this.#add(open)
    stream.gone.addEventListener('abort', () => source.close(), { once: true })
    try {
      stream.open(encodeCursor(listening.cursorAt(source.startsAfter)))
      await this.#deliver(open)
    } catch (fault) {
      this.#log.error({ err: fault }, 'an IOA stream failed')
    } finally {
      this.#remove(open)
      source.close()
      stream.end()
    }
  }

  /** Ends all of them; a peer resumes at its last event. */
  close(): void {
    this.#isClosed = true
    clearInterval(this.#heartbeat)
    this.#unsubscribe()
    this.#endWhere(() => true)
  }

  async #deliver(open: OpenStream): Promise<void> {
    while (!open.stream.gone.aborted) {
      const passing = await open.source.next(this.#limits.feedBatch)
      if (passing === 'ended') return
      await this.#tell(open, passing)
    }
  }

  async #tell(open: OpenStream, passing: readonly PassingMessage[]): Promise<void> {
    let frames: Buffer[] = []
    let size = 0
    const flush = async () => {
      if (size > 0) await open.stream.write(Buffer.concat(frames, size), this.#nowMs())
      ;[frames, size] = [[], 0]
    }
    for (const item of passing) {
      const event = await open.listening.choose(item)
      if (event !== undefined) {
        const [opening, data] = [openingOf(event, encodeCursor(open.listening.cursorAt(item.position))), dataOf(item.message.bytes)]
        frames.push(opening, data)
        size += opening.length + data.length
        open.told = item.position
      }
      if (size >= writeBytes) await flush()
      if (open.stream.gone.aborted) return
    }
    await flush()
    const seen = passing.at(-1)!.position
    open.progress = seen > open.told ? encodeCursor(open.listening.cursorAt(seen)) : undefined
  }

  #beat(): void {
    const nowMs = this.#nowMs()
    for (const open of this.#open) {
      if (open.stream.blockedForMs(nowMs) >= this.#limits.stalledAfterMs) this.#end(open)
      else open.stream.beat(open.progress)
      open.progress = undefined
    }
  }

  #tokenEnded(tokenId: string): void {
    this.#endedTokens.set(tokenId, true)
    this.#endWhere(({ caller }) => caller.tokenId === tokenId)
  }

  #endWhere(isMeant: (open: OpenStream) => boolean): void {
    for (const open of this.#open) if (isMeant(open)) this.#end(open)
  }

  /** The feed ends, and with it the answer; a peer that does not read is cut off. */
  #end({ source, stream }: OpenStream): void {
    source.close()
    stream.end()
  }

  #add(open: OpenStream): void {
    this.#open.add(open)
    this.#perNode.set(open.caller.nodeId, (this.#perNode.get(open.caller.nodeId) ?? 0) + 1)
  }

  #remove(open: OpenStream): void {
    this.#open.delete(open)
    const left = this.#perNode.get(open.caller.nodeId)! - 1
    if (left > 0) this.#perNode.set(open.caller.nodeId, left)
    else this.#perNode.delete(open.caller.nodeId)
  }
}
