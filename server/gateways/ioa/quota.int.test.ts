import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer } from '../../start.ts'
import type { IoaClient } from '../../testing/ioa-client.ts'
import type { IoaNode, IoaWorld } from '../../testing/ioa-world.ts'
import { startIoaWorld } from '../../testing/ioa-world.ts'
import { McpCaller, mcpToken } from '../../testing/mcp-client.ts'
import { skipReason } from '../../testing/test-database.ts'
import type { IoaLimits } from './limits.ts'

const openQuota = { messages: 8, bytes: 40_000 }

describe.skipIf(skipReason)(`what one participant may write to open Spaces${skipReason ? ` (${skipReason})` : ''}`, () => {
  let world: IoaWorld
  beforeAll(async () => {
    world = await startIoaWorld<Partial<IoaLimits>>((options) => startServer({ ...options, openQuota }))
  })
  afterAll(() => world.stop())

  const send = (client: IoaClient, spaceId: string, text = '') => client.post(`/spaces/${spaceId}/messages`, { content: { text } })
  async function newcomer(): Promise<{ node: IoaNode; spaceId: string }> {
    const node = await world.node(randomUUID())
    return { node, spaceId: await world.space(node) }
  }

  it('IOA 5 Limits: so many Messages and no more, however many come at once; others write on', async () => {
    const { node, spaceId } = await newcomer()
    const statuses = (await Promise.all(Array.from({ length: 20 }, () => send(node.client, spaceId)))).map(({ status }) => status)
    expect(statuses.filter((status) => status === 201)).toHaveLength(openQuota.messages)
    expect(statuses.filter((status) => status === 507)).toHaveLength(20 - openQuota.messages)
    expect((await send(node.client, spaceId)).body.detail).toContain('8 Messages')
    expect((await node.client.get(`/spaces/${spaceId}/messages?all=1`)).body).toHaveLength(openQuota.messages)
    expect((await send((await newcomer()).node.client, spaceId)).status).toBe(201)
  })

  it('IOA 5 Limits: so many bytes of all its Spaces together; what is shorter may still fit', async () => {
    const { node, spaceId } = await newcomer()
    const elsewhere = await world.space(node)
    expect((await send(node.client, spaceId, 'x'.repeat(30_000))).status).toBe(201)
    expect(await send(node.client, elsewhere, 'x'.repeat(10_000))).toMatchObject({ status: 507, body: { detail: expect.stringContaining('40000 bytes') } })
    expect((await send(node.client, elsewhere, 'x'.repeat(5_000))).status).toBe(201)
  })

  it('IOA 5 Limits: what is refused for another reason costs nothing', async () => {
    const { node, spaceId } = await newcomer()
    for (let count = 0; count < openQuota.messages; count++) expect((await node.client.post(`/spaces/${spaceId}/messages`, { content: {}, refs: { messages: ['nothing'] } })).status).toBe(422)
    expect((await send(node.client, spaceId)).status).toBe(201)
  })

  it('IOA 5 Limits: the same by MCP, and on another server that starts later', async () => {
    const { node, spaceId } = await newcomer()
    for (let count = 1; count < openQuota.messages; count++) await send(node.client, spaceId)
    const { principalId } = (await world.server.service.openSpaces.nodes.byId(node.id))!
    const caller = await McpCaller.connect(world.server.origin, (await mcpToken(world.server.service, principalId)).token)
    await caller.call('ioa_send', { space_id: spaceId, content: {} })
    expect(await caller.refusal('ioa_send', { space_id: spaceId, content: {} })).toContain('8 Messages')
    await caller.close()
    const { stranger } = await world.another()
    expect((await send(stranger.with({ token: node.token }), spaceId)).status).toBe(507)
  })
})
