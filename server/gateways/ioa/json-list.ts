// Lists of any length: `[` + items joined by `,` + `]`, read page by page and written as fast as the peer reads.
import { Buffer } from 'node:buffer'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Result } from '../../../protocol/result.ts'
import { err, ok } from '../../../protocol/result.ts'
import type { SpaceMessage, SpaceRefusal, Window } from '../../service/open-spaces/types.ts'
import type { Exchange } from './exchange.ts'
import type { IoaLimits } from './limits.ts'
import type { Refusal } from './refusal.ts'
import { refusal, refusalOf } from './refusal.ts'

/** JSON texts, page by page. */
export type Pages = AsyncIterable<readonly Uint8Array[]>

const comma = Buffer.from(',')
const [open, close] = [Buffer.from('['), Buffer.from(']')]

/** Bytes that are gathered before they are written at once. */
const writeBytes = 64 * 1024

type ListLimits = Pick<IoaLimits, 'maxListsPerNode' | 'stalledAfterMs'>
type PageLimits = Pick<IoaLimits, 'pageSize' | 'pageBytes'>

/** All lists that are being answered. */
export class Lists {
  readonly #limits: ListLimits
  readonly #perNode = new Map<string, number>()

  constructor(limits: ListLimits) {
    this.#limits = limits
  }

  /** 429 before anything is read where the Node has too many open. Resolves when the list is sent, its reader is gone, or what it showed has ended. */
  async answer({ response, caller: { nodeId }, ended }: Pick<Exchange, 'response' | 'caller' | 'ended'>, find: () => Promise<Result<Pages, Refusal>>): Promise<Refusal | void> {
    const open = this.#perNode.get(nodeId) ?? 0
    if (open >= this.#limits.maxListsPerNode) return refusal(429, 'too many lists at once', { 'retry-after': 1 })
    this.#perNode.set(nodeId, open + 1)
    try {
      const pages = await find()
      return pages.ok ? await sendList(response, pages.value, { stalledAfterMs: this.#limits.stalledAfterMs, ...(ended && { ended }) }) : pages.error
    } finally {
      this.#closed(nodeId)
    }
  }

  #closed(nodeId: string): void {
    const left = this.#perNode.get(nodeId)! - 1
    if (left > 0) this.#perNode.set(nodeId, left)
    else this.#perNode.delete(nodeId)
  }
}

/**
 * Rejects where a page cannot be read any more: the answer is then cut off, which the peer can tell from its end. So it is before the
 * next page once the credentials have ended: a reader that takes its time would be told for ever what is new.
 */
async function sendList(response: ServerResponse, pages: Pages, { stalledAfterMs, ended }: Pick<IoaLimits, 'stalledAfterMs'> & Pick<Exchange, 'ended'>): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
  let isFirst = true
  for await (const page of pages) {
    const parts = page.flatMap((item, index) => [index === 0 && isFirst ? open : comma, item])
    isFirst &&= page.length === 0
    for (const bytes of gathered(parts)) if (!(await written(response, bytes, stalledAfterMs))) return
    if ((await ended?.()) !== undefined) return void response.destroy()
  }
  response.end(isFirst ? '[]' : close)
}

function* gathered(parts: readonly Uint8Array[]): Generator<Uint8Array> {
  let [some, size]: [Uint8Array[], number] = [[], 0]
  for (const part of parts) {
    some.push(part)
    size += part.length
    if (size < writeBytes) continue
    yield Buffer.concat(some, size)
    ;[some, size] = [[], 0]
  }
  if (size > 0) yield Buffer.concat(some, size)
}

/** False once the peer is gone; one that does not take what was written in time is cut off. */
async function written(response: ServerResponse, bytes: Uint8Array, stalledAfterMs: number): Promise<boolean> {
  if (response.destroyed) return false
  if (response.write(bytes)) return true
  const gone = new AbortController()
  const abort = () => gone.abort()
  response.once('close', abort)
  const deadline = setTimeout(() => response.destroy(), stalledAfterMs)
  await once(response, 'drain', { signal: gone.signal }).catch(() => undefined)
  clearTimeout(deadline)
  response.off('close', abort)
  return !gone.signal.aborted
}

type ReadPage = (window: Window) => Promise<Result<readonly SpaceMessage[], SpaceRefusal>>

/**
 * The Messages of a window, so many rows and bytes at a time. What is refused is known with the first page; a refusal of a later
 * one is a fault.
 */
export async function messagePages(read: ReadPage, { after, limit }: Window, { pageSize, pageBytes }: PageLimits): Promise<Result<Pages, Refusal>> {
  // Which ones are the newest is asked once; what they are like is read from the first of them on.
  const isNewest = after === undefined && limit !== undefined
  const rows = isNewest ? limit : Math.min(limit ?? Infinity, pageSize)
  const first = await read({ ...(!isNewest && { after: after ?? null }), limit: rows, maximumBytes: pageBytes })
  return first.ok ? ok(following(read, { page: first.value, rows, limit: limit ?? Infinity }, { pageSize, pageBytes })) : err(refusalOf(first.error))
}

async function* following(read: ReadPage, first: { page: readonly SpaceMessage[]; rows: number; limit: number }, { pageSize, pageBytes }: PageLimits) {
  let { page, rows, limit: left } = first
  for (;;) {
    yield page.map(({ bytes }) => bytes)
    left -= page.length
    const last = page.at(-1)
    const isCut = page.length === rows || bytesOf(page) >= pageBytes
    if (last === undefined || !isCut || left <= 0) return
    rows = Math.min(left, pageSize)
    const next = await read({ after: last.messageId, limit: rows, maximumBytes: pageBytes })
    if (!next.ok) throw new Error(`a list could not be read to its end: ${next.error.reason}`)
    page = next.value
  }
}

const bytesOf = (page: readonly SpaceMessage[]): number => page.reduce((sum, { bytes }) => sum + bytes.length, 0)
