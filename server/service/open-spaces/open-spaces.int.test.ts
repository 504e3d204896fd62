import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { silentLog } from '../../log.ts'
import { openStore } from '../../store/open-store.ts'
import { memoryArtifacts } from '../../testing/authority-fixture.ts'
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
          if (messages !== 'ended') heard.push(...messages.map((message) => message.sequence))
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
})
