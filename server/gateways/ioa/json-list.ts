// Lists of any length: `[` + items joined by `,` + `]`, read page by page and written as fast as the peer reads.
import { Buffer } from 'node:buffer'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Result } from '../../../protocol/result.ts'
import { err, ok } from '../../../protocol/result.ts'
import type { SpaceMessage, SpaceRefusal, Window } from '../../service/open-spaces/types.ts'
import type { Refusal } from './refusal.ts'
import { refusalOf } from './refusal.ts'

/** JSON texts, page by page. */
export type Pages = AsyncIterable<readonly Uint8Array[]>

const comma = Buffer.from(',')
const [open, close] = [Buffer.from('['), Buffer.from(']')]

/** Rejects where a page cannot be read any more: the answer is then cut off, which the peer can tell from its end. */
export async function sendList(response: ServerResponse, pages: Pages): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
  let isFirst = true
  for await (const page of pages) {
    const parts = page.flatMap((item, index) => [index === 0 && isFirst ? open : comma, item])
    isFirst &&= page.length === 0
    if (!(await written(response, Buffer.concat(parts)))) return
  }
  response.end(isFirst ? '[]' : close)
}

/** False once the peer is gone. */
async function written(response: ServerResponse, bytes: Uint8Array): Promise<boolean> {
  if (response.destroyed) return false
  if (bytes.length === 0 || response.write(bytes)) return true
  const gone = new AbortController()
  const abort = () => gone.abort()
  response.once('close', abort)
  await once(response, 'drain', { signal: gone.signal }).catch(() => undefined)
  response.off('close', abort)
  return !gone.signal.aborted
}

type ReadPage = (window: Window) => Promise<Result<readonly SpaceMessage[], SpaceRefusal>>

/**
 * The Messages of a window, so many at a time. What is refused is known with the first page; a refusal of a later one is a fault.
 */
export async function messagePages(read: ReadPage, { after, limit }: Window, pageSize: number): Promise<Result<Pages, Refusal>> {
  // The newest ones can only be had at once.
  const isNewest = after === undefined && limit !== undefined
  const first = await read(isNewest ? { limit } : { after: after ?? null, limit: Math.min(limit ?? pageSize, pageSize) })
  if (!first.ok) return err(refusalOf(first.error))
  return ok(isNewest ? onePage(first.value) : following(read, first.value, { limit: limit ?? Infinity, pageSize }))
}

async function* onePage(page: readonly SpaceMessage[]) {
  yield page.map(({ bytes }) => bytes)
}

async function* following(read: ReadPage, first: readonly SpaceMessage[], { limit, pageSize }: { limit: number; pageSize: number }) {
  let [page, left] = [first, limit]
  for (;;) {
    yield page.map(({ bytes }) => bytes)
    left -= page.length
    const last = page.at(-1)
    if (last === undefined || page.length < pageSize || left <= 0) return
    const next = await read({ after: last.messageId, limit: Math.min(left, pageSize) })
    if (!next.ok) throw new Error(`a list could not be read to its end: ${next.error.reason}`)
    page = next.value
  }
}
