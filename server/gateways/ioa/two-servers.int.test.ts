import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer } from '../../start.ts'
import type { IoaClient } from '../../testing/ioa-client.ts'
import type { IoaNode, IoaWorld } from '../../testing/ioa-world.ts'
import { startIoaWorld } from '../../testing/ioa-world.ts'
import { skipReason } from '../../testing/test-database.ts'

describe.skipIf(skipReason)(`the IOA door on two servers${skipReason ? ` (${skipReason})` : ''}`, () => {
  let world: IoaWorld
  let ada: IoaNode
  /** Ada at the other server. */
  let there: IoaClient
  let stranger: IoaClient
  beforeAll(async () => {
    world = await startIoaWorld(startServer)
    ada = await world.node('Ada')
    ;({ stranger } = await world.another())
    there = stranger.with(ada.client.credentials)
  })
  afterAll(() => world.stop())

  it('IOA repair: both take every Message, and streams at both tell all of them in one order', async () => {
    const spaceId = await world.space(ada)
    const path = `/spaces/${spaceId}`
    const readers = [await ada.client.follow(`${path}/sse`), await there.follow(`${path}/sse`)]
    const sent = await Promise.all(Array.from({ length: 150 }, (_, index) => [ada.client, there][index % 2]!.post(`${path}/messages`, { content: { index } })))
    expect(new Set(sent.map(({ status }) => status))).toEqual(new Set([201]))
    const [here, elsewhere] = await Promise.all(readers.map(async (reader) => (await reader.take(150)).map(({ message }) => message.id)))
    expect([new Set(here), elsewhere]).toEqual([new Set(sent.map(({ body }) => body.id)), here])
    for (const reader of readers) reader.close()
  })

  it('IOA repair: a stream resumes at the other server', async () => {
    const spaceId = await world.space(ada)
    const reader = await ada.client.follow(`/spaces/${spaceId}/sse`)
    const send = async () => (await ada.client.post(`/spaces/${spaceId}/messages`, { content: {} })).body.id
    await send()
    const [first] = await reader.take(1)
    reader.close()
    const missed = await send()
    const resumed = await there.follow(`/spaces/${spaceId}/sse`, { 'last-event-id': first!.id! })
    const live = await send()
    expect((await resumed.take(2)).map(({ message }) => message.id)).toEqual([missed, live])
    resumed.close()
  })

  it('IOA repair: one name registered at both at once is one Node', async () => {
    const answers = await Promise.all(Array.from({ length: 24 }, (_, index) => [world.stranger, stranger][index % 2]!.post('/auth/register', { name: 'Rush', access_key: world.accessKey })))
    expect([new Set(answers.map(({ status }) => status)), new Set(answers.map(({ body }) => body.id)).size]).toEqual([new Set([201]), 1])
  })

  it('a token that is revoked at one ends its streams at the other', async () => {
    const node = await world.node('Revoked')
    const reader = await stranger.with({ token: node.token }).follow(`/spaces/${await world.space(ada)}/sse`)
    const { tokens } = world.server.service.doors
    await tokens.revoke((await tokens.find(node.token, 'ioa'))!.tokenId)
    expect(await reader.next()).toBeUndefined()
  })
})
