import { expect, it } from 'vitest'
import type { LogEntry } from './ports.ts'
import { SpaceTails } from './space-tails.ts'

it('a Space that could not be followed is not followed: nothing is kept of it', async () => {
  let isDown = true
  const asked: string[] = []
  const log = {
    head: async (spaceId: string) => {
      asked.push(spaceId)
      if (isDown) throw new Error('the database is gone')
      return 3
    },
    read: async () => [],
  }
  const tails = new SpaceTails(log)
  await expect(tails.follow('a')).rejects.toThrow('gone')
  isDown = false
  // Nobody follows the Space, so nobody asks for its head.
  await tails.refresh('a')
  expect(asked).toEqual(['a'])
  const tail = await tails.follow('a')
  expect([tail.head, tail.followers]).toEqual([3, 1])
})

it('a reader misses nothing that another node wrote between two Messages of this one (IOA: streams lose nothing)', async () => {
  const entryOf = (sequence: number): LogEntry => ({ spaceId: 'a', sequence, eventId: `e${sequence}`, kind: 'open.message', bytes: new Uint8Array(1) })
  const written = [1, 2, 3, 4].map(entryOf)
  const tails = new SpaceTails({ head: async () => 0, read: async (_spaceId, after, limit) => written.slice(after, after + limit) })
  const tail = await tails.follow('a')
  tails.committed('a', [written[0]!])
  // The other node's Messages are only heard of.
  tails.reached('a', 3)
  tails.committed('a', [written[3]!])
  expect((await tail.after(1, 10)).map(({ sequence }) => sequence)).toEqual([2, 3, 4])
})

it('a reader below the head is never given nothing from memory, which it would ask for again in the same turn and for ever', async () => {
  const entryOf = (sequence: number): LogEntry => ({ spaceId: 'a', sequence, eventId: `e${sequence}`, kind: 'open.message', bytes: new Uint8Array(1) })
  const written = [1, 2, 3, 4, 5].map(entryOf)
  const tails = new SpaceTails({ head: async () => 0, read: async (_spaceId, after, limit) => written.slice(after, after + limit) })
  const tail = await tails.follow('a')
  // One batch with a hole in it, as no writer makes one.
  tails.committed('a', [written[0]!, written[3]!, written[4]!])
  for (const position of [0, 1, 2, 3, 4]) expect((await tail.after(position, 1)).length).toBe(1)
})
