import { expect, it } from 'vitest'
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
