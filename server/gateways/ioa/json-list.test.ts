import { describe, expect, it } from 'vitest'
import { err, ok } from '../../../protocol/result.ts'
import type { SpaceMessage, Window } from '../../service/open-spaces/types.ts'
import { messagePages } from './json-list.ts'

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
  const pages = await messagePages(read, window, 3)
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
    expect(await messagePages(async () => err({ category: 'not_found', reason: 'gone' }), {}, 3)).toEqual({ ok: false, error: { status: 404, detail: 'gone' } })
    const { read } = logOf(9)
    const pages = await messagePages(async (window) => (window.after === null ? read(window) : err({ category: 'busy', reason: 'later' })), {}, 3)
    await expect(async () => {
      if (pages.ok) for await (const page of pages.value) expect(page).toHaveLength(3)
    }).rejects.toThrow('later')
  })
})
