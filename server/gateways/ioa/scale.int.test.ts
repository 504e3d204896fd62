import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer } from '../../start.ts'
import type { IoaNode, IoaWorld } from '../../testing/ioa-world.ts'
import { startIoaWorld } from '../../testing/ioa-world.ts'
import { skipReason } from '../../testing/test-database.ts'

const stored = 400

describe.skipIf(skipReason)(`the IOA door and large Spaces${skipReason ? ` (${skipReason})` : ''}`, () => {
  let world: IoaWorld
  let ada: IoaNode
  let ben: IoaNode
  let spaceId: string
  /** A chain. */
  const ids: string[] = []

  beforeAll(async () => {
    world = await startIoaWorld(startServer)
    ;[ada, ben] = [await world.node('Ada'), await world.node('Ben')]
    spaceId = await world.space(ada)
    await world.space(ben)
    while (ids.length < stored) ids.push(await send(ids.slice(-1)))
  })
  afterAll(() => world.stop())

  async function send(messages: readonly string[] = [], nodes: readonly string[] = []): Promise<string> {
    return (await ben.client.post(`/spaces/${spaceId}/messages`, { content: {}, refs: { messages, nodes } })).body.id
  }
  /** What an action asks of the store. */
  async function taking(action: () => Promise<unknown>) {
    const before = world.taken()
    await action()
    const after = world.taken()
    return { calls: after.calls - before.calls, rows: after.rows - before.rows }
  }

  it.each([
    ['the newest', () => `/spaces/${spaceId}/messages?all=1&limit=5`, 5],
    ['the next ones after a cursor', () => `/spaces/${spaceId}/messages?all=1&limit=5&after=${ids[200]}`, 5],
    ['the one that is new', () => `/spaces/${spaceId}/messages?all=1&after=${ids[stored - 2]}`, 1],
    ['what concerns the caller', () => `/spaces/${spaceId}/messages?limit=5`, 1],
    ['the newest across Spaces', () => '/messages?limit=5', 5],
    ['an inbox', () => `/nodes/${ada.id}/inbox?limit=5`, 1],
    ['a Space', () => `/spaces/${spaceId}`, undefined],
    ['health', () => '/health', undefined],
  ])('IOA repair: reading %s takes from the store what is answered, and no more', async (_, path, count) => {
    let answered: unknown
    const { rows } = await taking(async () => (answered = (await ada.client.get(path())).body))
    if (count !== undefined) expect(answered).toHaveLength(count)
    expect(rows).toBeLessThan(20)
  })

  it('IOA repair: who polls a large Space holds up no one who sends to another', async () => {
    const other = await world.space(ada)
    const sends = async () => {
      const times: number[] = []
      for (let count = 0; count < 40; count++) {
        const begin = performance.now()
        await ada.client.post(`/spaces/${other}/messages`, { content: { count } })
        times.push(performance.now() - begin)
      }
      return times.sort((a, b) => a - b)[20]!
    }
    let isOver = false
    const poll = async () => {
      while (!isOver) await ben.client.get(`/spaces/${spaceId}/messages?all=true&limit=50`)
    }
    const quiet = await sends()
    const pollers = [poll(), poll(), poll(), poll()]
    const crowded = await sends()
    isOver = true
    await Promise.all(pollers)
    // The reference took over a hundred times as long; five requests share what one had here.
    expect(crowded).toBeLessThan(25 * Math.max(quiet, 2))
  })

  it('IOA repair: ancestors come page by page', async () => {
    const path = `/spaces/${spaceId}/messages?message_id=${ids.at(-1)}&direction=upstream`
    const first = await ada.client.get(`${path}&limit=5`)
    expect(first.body.map(({ id }: { id: string }) => id)).toEqual(ids.slice(-5))
    const next = await ada.client.get(`${path}&limit=5&after=${ids[9]}`)
    expect(next.body.map(({ id }: { id: string }) => id)).toEqual(ids.slice(10, 15))
    expect((await ada.client.get(path)).body).toHaveLength(stored)
  })

  it('IOA repair: a list of Spaces takes as many queries for many as for few', async () => {
    const few = await taking(() => ada.client.get('/spaces'))
    for (let index = 0; index < 40; index++) await world.space(ada)
    const many = await taking(() => ada.client.get('/spaces'))
    expect(many.calls).toBe(few.calls)
  })

  it('IOA repair: a stream about a Message reads the Space for none of the Messages that pass', async () => {
    const reader = await ada.client.follow(`/spaces/${spaceId}/messages/${ids[0]}/sse`)
    const { rows } = await taking(async () => {
      for (let index = 0; index < 10; index++) await send([index % 2 === 0 ? ids[0]! : ids.at(-1)!])
      expect(await reader.take(10)).toHaveLength(10)
    })
    reader.close()
    // Ten sends and what they need.
    expect(rows).toBeLessThan(100)
  })

  it('IOA repair: a branch of any fork_depth asks for no more than a hundred steps', async () => {
    const head = await send(ids.slice(-1))
    const reader = await ada.client.follow(`/spaces/${spaceId}/sse?head=${head}&fork_depth=1000000000`)
    await send([ids[stored - 101]!])
    const fork = await send([ids[stored - 100]!])
    expect((await reader.take(1)).map(({ event, message }) => [event, message.id])).toEqual([['fork', fork]])
    reader.close()
  })
})
