import { expect, test } from 'vitest'
import { cora, wim } from '../server/testing/cast.ts'
import { GroupFixture } from '../server/testing/group-fixture.ts'
import { reach, workId } from '../server/testing/work-scenario.ts'
import { openAgentStore } from './agent-store.ts'
import { WorkedGroup } from './worked-group.ts'

const text = (index: number) => ({ messageId: `urn:test:message:${index}`, content: [{ type: 'text' as const, text: 'Hello.' }], authority: false as const })

/** A Group with queued work for Wim, and its log with more talk than the inbox keeps. */
function talkative() {
  const group = new GroupFixture().found()
  reach(group, 'a', 'queued')
  group.accept(cora, 'message.post', text(0))
  const said = group.log.at(-1)!
  const more = Array.from({ length: 600 }, (_, index) => ({ ...said, sequence: said.sequence! + 1 + index, eventId: `${said.eventId} ${index}` }))
  return { state: group.state, log: [...group.log, ...more] }
}

const entryOf = ({ state }: Pick<GroupFixture, 'state'>) => ({ groupId: state.groupId, missionId: '', role: 'worker', state: 'active', membershipEpoch: 1, visibilityStartSequence: 0, head: state.sequence })

test('A-6, A-173: the inbox does not grow with the log, and a restart comes to the same', async () => {
  const group = talkative()
  const store = await openAgentStore(':memory:')
  const before = new WorkedGroup(wim.id, store, entryOf(group))
  for (const event of group.log) before.take(event)
  expect([...store.replay(group.state.groupId)].length).toBeLessThan(200)
  expect(store.received(group.state.groupId)).toBe(group.log.length)
  const after = new WorkedGroup(wim.id, store, entryOf(group))
  expect(after.mirror).toEqual(before.mirror)
  expect(after.queue()).toMatchObject([{ workItemId: workId('a') }])
  store.close()
})

test('A-6: a mirror in a form that is no longer known is made anew from the log', async () => {
  const group = talkative()
  const store = await openAgentStore(':memory:')
  store.openGroup(group.state.groupId, 0)
  for (const event of group.log) store.receive(event)
  store.saveMirror(group.state.groupId, 500, '{"form":0}')
  const again = new WorkedGroup(wim.id, store, entryOf(group))
  expect([store.received(group.state.groupId), again.mirror.sequence]).toEqual([0, 0])
  for (const event of group.log) again.take(event)
  expect(again.queue()).toMatchObject([{ workItemId: workId('a') }])
  store.close()
})

test('A-171: a latecomer tries work whose dependencies it was never shown; the authority knows of them', async () => {
  const group = new GroupFixture().found()
  reach(group, 'before', 'verified')
  const from = group.log.length
  reach(group, 'a', 'queued', { contract: { dependencyWorkItemIds: [workId('before')] } })
  reach(group, 'open', 'open')
  reach(group, 'b', 'queued', { contract: { dependencyWorkItemIds: [workId('open')] } })
  const store = await openAgentStore(':memory:')
  const late = new WorkedGroup(wim.id, store, { ...entryOf(group), visibilityStartSequence: from + 1 })
  for (const event of group.log.slice(from)) late.take(event)
  expect(late.queue().map(({ workItemId }) => workItemId)).toEqual([workId('a')])
  store.close()
})
