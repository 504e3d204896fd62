import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { err, ok } from '../../../protocol/result.ts'
import type { SpaceMessage, Window } from '../../service/open-spaces/types.ts'
import type { Pages } from './json-list.ts'
import { Lists, messagePages } from './json-list.ts'

const limits = { pageSize: 3, pageBytes: 30, maxBodyBytes: 10 }

/** A log of so many Messages, and the windows that were asked of it. */
function logOf(count: number) {
  const asked: Window[] = []
  const ids = Array.from({ length: count }, (_, index) => `m${index}`)
  const read = async (window: Window) => {
    asked.push(window)
    const { after, limit = Infinity } = window
    const from = typeof after === 'string' ? ids.indexOf(after) + 1 : after === null ? 0 : Math.max(0, count - limit)
    return ok(ids.slice(from, from + limit).map((messageId) => ({ messageId, bytes: Buffer.from(messageId) }) as unknown as SpaceMessage))
  }
  return { asked, read }
}
async function listed(count: number, window: Window) {
  const { asked, read } = logOf(count)
  const pages = await messagePages(read, window, limits)
  const texts: string[] = []
  if (pages.ok) for await (const page of pages.value) texts.push(...page.map((item) => Buffer.from(item).toString()))
  return { asked, texts: texts.join(' ') }
}

describe('IOA repair: a list is read page by page', () => {
  it('from the first Message to the last without a window', async () => {
    expect(await listed(7, {})).toEqual({ texts: 'm0 m1 m2 m3 m4 m5 m6', asked: [{ after: null, limit: 3 }, { after: 'm2', limit: 3 }, { after: 'm5', limit: 3 }] })
  })
  it('up to its limit after a cursor', async () => {
    expect(await listed(9, { after: 'm1', limit: 4 })).toEqual({ texts: 'm2 m3 m4 m5', asked: [{ after: 'm1', limit: 3 }, { after: 'm4', limit: 1 }] })
  })
  it('at once where the newest are asked for', async () => {
    expect(await listed(9, { limit: 4 })).toEqual({ texts: 'm5 m6 m7 m8', asked: [{ limit: 4 }] })
  })
  it('and is empty where nothing is there', async () => {
    expect(await listed(0, {})).toEqual({ texts: '', asked: [{ after: null, limit: 3 }] })
  })

  it('is refused with its first page, and breaks off where a later one fails', async () => {
    expect(await messagePages(async () => err({ category: 'not_found', reason: 'gone' }), {}, limits)).toEqual({ ok: false, error: { status: 404, detail: 'gone' } })
    const { read } = logOf(9)
    const pages = await messagePages(async (window) => (window.after === null ? read(window) : err({ category: 'busy', reason: 'later' })), {}, limits)
    await expect(async () => {
      if (pages.ok) for await (const page of pages.value) expect(page).toHaveLength(3)
    }).rejects.toThrow('later')
  })

  it('by fewer Messages where they are long: a page stays near its bytes, and grows by twice at most', async () => {
    const sizes = [...Array<number>(7).fill(1), ...Array<number>(9).fill(10)]
    const asked: number[] = []
    const read = async ({ after, limit = 0 }: Window) => {
      asked.push(limit)
      const from = typeof after === 'string' ? Number(after) + 1 : 0
      return ok(sizes.slice(from, from + limit).map((size, index) => ({ messageId: String(from + index), bytes: Buffer.alloc(size) }) as unknown as SpaceMessage))
    }
    const pages = await messagePages(read, {}, { pageSize: 4, pageBytes: 20, maxBodyBytes: 20 })
    const lengths: number[] = []
    if (pages.ok) for await (const page of pages.value) lengths.push(page.length)
    expect(asked.slice(0, 6)).toEqual([1, 2, 4, 4, 2, 2])
    expect(lengths.reduce((all, length) => all + length, 0)).toBe(sizes.length)
  })
})

describe('IOA repair: lists that are being answered', () => {
  const server = createServer()
  afterEach(async () => {
    server.removeAllListeners('request')
    server.closeAllConnections()
    await once(server.close(), 'close')
  })
  const caller = { nodeId: 'n', principalId: 'p' }
  async function* endless() {
    for (;;) yield [Buffer.alloc(64 * 1024, ' ')]
  }
  /** A response whose reader takes nothing. */
  async function unread(): Promise<ServerResponse> {
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').pause()
    socket.on('error', () => undefined)
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    const [, response] = (await once(server, 'request')) as [unknown, ServerResponse]
    return response
  }

  it('end when their reader takes nothing for too long', async () => {
    const response = await unread()
    await new Lists({ maxListsPerNode: 1, stalledAfterMs: 20 }).answer({ response, caller }, async () => ok<Pages>(endless()))
    expect(response.destroyed).toBe(true)
  })

  it('are so many for each Node, and refused beyond before anything is read', async () => {
    const lists = new Lists({ maxListsPerNode: 1, stalledAfterMs: 60_000 })
    const response = await unread()
    const first = lists.answer({ response, caller }, async () => ok<Pages>(endless()))
    const refused = { status: 404, detail: 'asked' }
    const further = (nodeId: string) => lists.answer({ response, caller: { ...caller, nodeId } }, async () => err(refused))
    expect([(await further('n'))?.status, (await further('m'))?.status]).toEqual([429, 404])
    response.destroy()
    await first
    expect((await further('n'))?.status).toBe(404)
  })
})
