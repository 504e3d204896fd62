import { expect, it } from 'vitest'
import { ok } from '../../../protocol/result.ts'
import type { SpaceMessage } from '../../service/open-spaces/types.ts'
import { DescendantsByMessage } from './descendants.ts'
import type { Space } from './space.ts'

it('many streams that begin at the same time remember no more together than one after another (hazard: memory)', async () => {
  const maximum = 10_000
  const shared = new DescendantsByMessage()
  let next = 0
  /** A Space in which endlessly much descends from every Message. */
  const space: Pick<Space, 'read'> = {
    read: async (_query, { limit = 0 }) => {
      await new Promise((resolve) => setImmediate(resolve))
      return ok(Array.from({ length: limit }, () => ({ messageId: `m${++next}` }) as SpaceMessage))
    },
  }
  const outcomes = await Promise.all(
    ['a', 'b', 'c', 'd'].map((messageId) => shared.acquire('s', messageId).descendants.catchUp(space as Space, messageId, () => shared.size < maximum)),
  )
  expect(outcomes).toEqual(Array.from({ length: 4 }, () => ({ ok: false, error: expect.objectContaining({ status: 503 }) })))
  expect(shared.size).toBeLessThan(maximum + 4 * 1_000)
})
