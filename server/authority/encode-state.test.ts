import { expect, it } from 'vitest'
import { ada, urnOf, wanda, wim } from '../testing/cast.ts'
import { GroupFixture, replay } from '../testing/group-fixture.ts'
import { reach } from '../testing/work-scenario.ts'
import { encodeState } from './encode-state.ts'

const text = new TextDecoder()

it('gives the same bytes whatever order the indexes were filled in', () => {
  const group = new GroupFixture().found()
  reach(group, 'a', 'active')
  reach(group, 'b', 'active', { worker: wanda })
  const shuffled = replay(group.log)
  for (const index of [shuffled.memberships, shuffled.workItems, shuffled.sequenceOf] as Map<string, unknown>[]) {
    const entries = [...index].reverse()
    index.clear()
    for (const [key, value] of entries) index.set(key, value)
  }
  shuffled.executing.clear()
  for (const { item } of [...shuffled.workItems.values()]) shuffled.executing.add(item.workItemId)
  expect(encodeState(shuffled)).toEqual(encodeState(group.state))
})

it('shows every difference', () => {
  const group = new GroupFixture().found()
  const seen = new Set([text.decode(encodeState(group.state))])
  group.accept(wim, 'message.post', { messageId: urnOf('m'), content: [{ type: 'text', text: 'x' }] })
  seen.add(text.decode(encodeState(group.state)))
  group.accept(ada, 'membership.change', { member: wim, role: 'reviewer' })
  seen.add(text.decode(encodeState(group.state)))
  reach(group, 'a', 'queued', { worker: wanda })
  seen.add(text.decode(encodeState(group.state)))
  group.state.ownedBy.get(wanda.id)?.clear()
  seen.add(text.decode(encodeState(group.state)))
  expect(seen.size).toBe(5)
})
