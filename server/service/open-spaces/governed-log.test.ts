import { expect, it } from 'vitest'
import { codeOf, newUrn, startAuthority } from '../../testing/authority-fixture.ts'
import { OpenWorld } from '../../testing/open-world.ts'

it('an open Space is no Group, before its first Message and after it (A-239)', async () => {
  const { service, person, submit } = await startAuthority()
  const owner = await person('Olga')
  const world = new OpenWorld(service.openSpaces)
  const ada = await world.node('ada')
  const { spaceId } = await world.space('open', ada)
  const post = () => submit(owner.conversation, { kind: 'message.post', groupId: spaceId, membershipEpoch: 1, payload: { messageId: newUrn(), content: [{ type: 'text', text: 'Hello' }] } })
  for (const messages of [0, 1, 2]) {
    const feed = await service.feeds.open(owner.actor.id, spaceId, 0)
    expect([codeOf(await post()), feed.ok || feed.error.code, await service.reads.groupFor(owner.actor.id, spaceId)]).toEqual(['GROUP_NOT_FOUND', 'GROUP_NOT_FOUND', undefined])
    expect((await service.openSpaces.find(spaceId))!.messageCount).toBe(messages)
    await world.say(ada, { spaceId }, 'hello')
  }
})
