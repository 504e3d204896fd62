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

const limits = { pageSize: 3, pageBytes: 30 }

/** A log of Messages that are so long, and the windows that were asked of it. */
function logOf(sizes: readonly number[]) {
  const asked: Window[] = []
  const read = async (window: Window) => {
    asked.push(window)
    const { after, limit = Infinity, maximumBytes = Infinity } = window
    const from = typeof after === 'string' ? Number(after) + 1 : after === null ? 0 : Math.max(0, sizes.length - limit)
    let before = 0
    const found = sizes.slice(from, from + limit).filter((size) => (before += size) - size < maximumBytes)
    return ok(found.map((size, index) => ({ messageId: String(from + index), bytes: Buffer.alloc(size, String(from + index)) }) as unknown as SpaceMessage))
  }
  return { asked, read }
}
const short = (count: number) => Array<number>(count).fill(1)
async function listed(sizes: readonly number[], window: Window) {
  const { asked, read } = logOf(sizes)
  const pages = await messagePages(read, window, limits)
  const texts: string[] = []
  if (pages.ok) for await (const page of pages.value) texts.push(page.map((item) => item.toString().slice(0, 1)).join(''))
  return { asked: asked.map(({ after, limit }) => [after, limit]), texts }
}

describe('IOA repair: a list is read page by page', () => {
  it('from the first Message to the last without a window', async () => {
    expect(await listed(short(7), {})).toEqual({ texts: ['012', '345', '6'], asked: [[null, 3], ['2', 3], ['5', 3]] })
  })
  it('up to its limit after a cursor', async () => {
    expect(await listed(short(9), { after: '1', limit: 4 })).toEqual({ texts: ['234', '5'], asked: [['1', 3], ['4', 1]] })
  })
  it('at once where the newest are asked for', async () => {
    expect(await listed(short(9), { limit: 4 })).toEqual({ texts: ['5678'], asked: [[undefined, 4]] })
  })
  it('and is empty where nothing is there', async () => {
    expect(await listed([], {})).toEqual({ texts: [''], asked: [[null, 3]] })
  })
  it('by fewer Messages where they are long, and to its end all the same', async () => {
    expect(await listed([1, 40, 20, 20, 40, 1], {})).toEqual({ texts: ['01', '23', '4', '5'], asked: [[null, 3], ['1', 3], ['3', 3], ['4', 3]] })
  })
  it('of the newest too: from the first of them on', async () => {
    expect(await listed([40, 40, 20, 20, 1], { limit: 4 })).toEqual({ texts: ['1', '23', '4'], asked: [[undefined, 4], ['1', 3], ['3', 1]] })
  })

  it('is refused with its first page, and breaks off where a later one fails', async () => {
    expect(await messagePages(async () => err({ category: 'not_found', reason: 'gone' }), {}, limits)).toEqual({ ok: false, error: { status: 404, detail: 'gone' } })
    const { read } = logOf(short(9))
    const pages = await messagePages(async (window) => (window.after === null ? read(window) : err({ category: 'busy', reason: 'later' })), {}, limits)
    await expect(async () => {
      if (pages.ok) for await (const page of pages.value) expect(page).toHaveLength(3)
    }).rejects.toThrow('later')
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

  it('break off before the next page once the credentials of their reader have ended', async () => {
    const response = await unread()
    let pagesRead = 0
    async function* counted() {
      for (;;) yield [Buffer.from(String(++pagesRead))]
    }
    const ended = async () => (pagesRead === 2 ? { status: 401, detail: 'ended' } : undefined)
    await new Lists({ maxListsPerNode: 1, stalledAfterMs: 60_000 }).answer({ response, caller, ended }, async () => ok<Pages>(counted()))
    expect([pagesRead, response.destroyed, response.writableEnded]).toEqual([2, true, false])
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
