import { join } from 'node:path'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { silentLog } from '../../log.ts'
import { openStore } from '../../store/open-store.ts'
import { memoryArtifacts } from '../../testing/authority-fixture.ts'
import { describeOpenSpaces } from '../../testing/open-spaces-contract.ts'
import { granted, OpenWorld, textOf } from '../../testing/open-world.ts'
import type { TestDatabase } from '../../testing/test-database.ts'
import { createTestDatabase, skipReason } from '../../testing/test-database.ts'
import { createAuthorityService } from '../authority-service.ts'
import { foundOrganization, parseOrganizationKeys } from '../organization-keys.ts'
import type { OrganizationKeys } from '../organization-keys.ts'
import type { Store } from '../ports.ts'
import type { AuthorityService } from '../service.ts'

const migrationsFolder = join(import.meta.dirname, '../../../drizzle/migrations')

describe.skipIf(skipReason)(`open Spaces on two nodes of one PostgreSQL${skipReason ? ` (${skipReason})` : ''}`, () => {
  let database: TestDatabase
  let organization: OrganizationKeys | undefined
  const started: { readonly service: AuthorityService; readonly store: Store }[] = []
  let first: OpenWorld
  let second: OpenWorld

  async function start(): Promise<OpenWorld> {
    const store = await openStore({ url: database.url, migrationsFolder, maxConnections: 4 })
    organization ??= parseOrganizationKeys(foundOrganization('Test', store.clock.now()))
    const service = await createAuthorityService({ store, artifacts: memoryArtifacts(), organization, origin: 'http://127.0.0.1:4310', diagnostics: silentLog() })
    started.push({ service, store })
    return new OpenWorld(service.openSpaces)
  }

  beforeAll(async () => {
    database = await createTestDatabase()
    first = await start()
    second = await start()
  })
  afterAll(async () => {
    for (const { service, store } of started) {
      await service.stop()
      await store.close()
    }
    await database.drop()
  })

  it('give one gapless Space whoever writes, and feeds on both of them follow it', async () => {
    const [ada, bob] = [await first.node('ada'), await second.node('bob')]
    const space = await first.space('both', ada, bob)
    const feeds = await Promise.all([first, second].map(async ({ open }) => granted(await open.follow(space.spaceId, 0))))
    const reading = Promise.all(
      feeds.map(async (feed) => {
        const heard: number[] = []
        while (heard.length < 200) {
          const messages = await feed.next(50)
          if (messages === 'ended') break
          heard.push(...messages.map((message) => message.sequence))
        }
        return heard
      }),
    )
    await Promise.all(Array.from({ length: 200 }, (_, index) => (index % 2 ? first.say(ada, space, `${index}`) : second.say(bob, space, `${index}`))))
    const all = Array.from({ length: 200 }, (_, index) => index + 1)
    expect(await reading).toEqual([all, all])
    const stored = granted(await second.open.read(space.spaceId, { mode: 'all' }, {}))
    expect(stored.map(textOf).sort((a, b) => Number(a) - Number(b))).toEqual(all.map((each) => `${each - 1}`))
  })

  it('know at once whom the other has registered, and register nobody twice', async () => {
    const worlds = [first, second]
    const all = await Promise.all(Array.from({ length: 64 }, (_, index) => worlds[index % 2]!.node('the same')))
    expect(new Set(all.map((node) => node.nodeId)).size).toBe(1)
    await expect.poll(() => started.map(({ service }) => service.identities.principal(all[0]!.principalId)?.name)).toEqual(['the same', 'the same'])
  })

  it('are verified from their bytes, and a changed row is found', async () => {
    const ada = await first.node('ada')
    const space = await first.space('verified', ada)
    const root = await first.say(ada, space, 'root', { nodes: [ada.nodeId] })
    await first.say(ada, space, 'reply', { messages: [root.messageId], contentType: 'note' })
    const { service, store } = started[0]!
    const reportOf = async () => (await service.verifyLog()).find(({ spaceId }) => spaceId === space.spaceId)
    expect(await reportOf()).toEqual({ spaceId: space.spaceId, events: 0, commands: 0, messages: 2, differences: [] })
    const sql = postgres(database.url, { max: 1 })
    try {
      for (const [change, undo, difference] of [
        ["UPDATE open_messages SET content_type = 'other' WHERE space_id = $1 AND sequence = 2", "UPDATE open_messages SET content_type = 'note' WHERE space_id = $1 AND sequence = 2", 'the index of Message 2 differs from its bytes'],
        ['DELETE FROM graph_edges WHERE space_id = $1', "INSERT INTO graph_edges (space_id, child, parent, provenance) VALUES ($1, 2, 1, 'reply')", 'the graph differs from what the Messages refer to'],
        ['DELETE FROM log WHERE space_id = $1 AND sequence = 1', undefined, 'Message 2 is not in its place'],
      ] as const) {
        await sql.unsafe(change, [space.spaceId])
        expect((await reportOf())!.differences).toEqual([difference])
        if (undo !== undefined) await sql.unsafe(undo, [space.spaceId])
      }
    } finally {
      await sql.end()
    }
    expect(await store.log.head(space.spaceId)).toBe(2)
  })

  it('admit a Node to so many Spaces, and to those again that it has entered (IOA 5 Limits)', async () => {
    const { nodeId } = await first.node('everywhere')
    const { openSpaces } = started[0]!.store
    const enter = (name: string) => openSpaces.enter({ spaceId: `urn:x:${name}`, name, tags: [], maximumTags: 1, maximumSpaces: 2, nodeId, description: 'x', at: 'now' })
    expect([await enter('one'), await enter('two'), await enter('three'), await enter('two')]).toEqual([{ spaceId: 'urn:x:one' }, { spaceId: 'urn:x:two' }, 'too-many-spaces', { spaceId: 'urn:x:two' }])
    expect(await openSpaces.findSpace({ name: 'three' })).toBeUndefined()
  })

  it('wake the feeds of a Node wherever it listens', async () => {
    const [ada, bob] = [await first.node('ada'), await second.node('bob')]
    const space = await first.space('woken', ada, bob)
    const feed = granted(await second.open.followNode(bob.nodeId))
    const next = feed.next(10)
    await first.say(ada, space, 'over there')
    const heard = await next
    expect(heard === 'ended' ? heard : heard.map(({ message }) => textOf(message))).toEqual(['over there'])
    feed.close()
  })

  it('have kept everything when a third one starts', async () => {
    const ada = await first.node('ada')
    const space = await first.space('kept', ada)
    const said = await first.say(ada, space, 'kept')
    const third = await start()
    expect(await third.open.find(space.spaceId)).toEqual(await first.open.find(space.spaceId))
    const reply = await third.say(await third.node('ada'), space, 'later', { messages: [said.messageId] })
    expect([reply.sequence, reply.senderId]).toEqual([said.sequence + 1, ada.nodeId])
  })

  describe('as every door finds them', () => describeOpenSpaces(async () => (await start()).open))
})
