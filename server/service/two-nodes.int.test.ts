import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { silentLog } from '../log.ts'
import { openStore } from '../store/open-store.ts'
import type { Agent, Draft, Fixture, Person } from '../testing/authority-fixture.ts'
import { codeOf, fixtureOn, memoryArtifacts, newUrn } from '../testing/authority-fixture.ts'
import type { TestDatabase } from '../testing/test-database.ts'
import { createTestDatabase, skipReason } from '../testing/test-database.ts'
import { createAuthorityService } from './authority-service.ts'
import type { OrganizationKeys } from './organization-keys.ts'
import { foundOrganization, parseOrganizationKeys } from './organization-keys.ts'
import type { Clock, Store } from './ports.ts'

const migrationsFolder = join(import.meta.dirname, '../../drizzle/migrations')

describe.skipIf(skipReason)(`two nodes on one PostgreSQL${skipReason ? ` (${skipReason})` : ''}`, () => {
  let database: TestDatabase
  let nodes: Fixture<Clock>[]
  let owner: Person
  let coordinator: Agent

  async function node(organization?: OrganizationKeys): Promise<Fixture<Clock>> {
    const store: Store = await openStore({ url: database.url, migrationsFolder, maxConnections: 4 })
    const keys = organization ?? parseOrganizationKeys(foundOrganization('Test', store.clock.now()))
    const service = await createAuthorityService({ store, artifacts: memoryArtifacts(), organization: keys, origin: 'http://127.0.0.1:4310', diagnostics: silentLog() })
    return fixtureOn(service, { store, clock: store.clock, organization: keys })
  }

  beforeAll(async () => {
    database = await createTestDatabase()
    const first = await node()
    nodes = [first, await node(first.organization)]
    owner = await first.person('Olga', { isAdmin: true })
    coordinator = await first.agent('Coordinator')
  })
  afterAll(async () => {
    for (const { service, store } of nodes) {
      await service.stop()
      await store.close()
    }
    await database.drop()
  })

  const post = (groupId: string): Draft => ({ kind: 'message.post', groupId, membershipEpoch: 1, payload: { messageId: newUrn(), content: [{ type: 'text', text: 'Hello' }] } })

  it('know each other’s people, keys and Agents', async () => {
    const { identities } = nodes[1]!.service
    await expect.poll(() => identities.cardOf(coordinator.actor.id)?.displayName, { timeout: 10_000 }).toBe('Coordinator')
    await expect.poll(() => [identities.principal(owner.actor.id)?.name, identities.key(owner.conversation.keyId)?.label], { timeout: 10_000 }).toEqual(['Olga', 'conversation'])
  })

  it('decide by one policy, whichever of them it was changed on', async () => {
    const [first, second] = nodes.map(({ service }) => service.policy)
    const policy = { ...first!.current, version: 1, freshnessSeconds: 240 }
    const outcome = await nodes[0]!.submit(owner, { kind: 'ext.countersign.policy.change', groupId: first!.spaceId, membershipEpoch: 1, expectedRevision: 0, payload: { policy, reason: 'The pilot is over.' } })
    expect(codeOf(outcome)).toBe('accepted')
    await expect.poll(() => second!.current, { timeout: 10_000 }).toEqual(policy)
  })

  it('give one gapless log, whoever writes, and feeds on both of them follow it (A-4)', async () => {
    const { groupId } = await nodes[0]!.mission(owner, coordinator)
    const feeds = await Promise.all(nodes.map(({ service }) => service.feeds.open(owner.actor.id, groupId, 0)))
    const reading = Promise.all(
      feeds.map(async (feed) => {
        const sequences: number[] = []
        while (feed.ok && sequences.length < 61) {
          const entries = await feed.value.next(50)
          if (entries === 'ended') break
          sequences.push(...entries.map((entry) => entry.sequence))
        }
        return sequences
      }),
    )
    const outcomes = await Promise.all(Array.from({ length: 60 }, (_, index) => nodes[index % 2]!.submit(owner.conversation, post(groupId))))
    const all = Array.from({ length: 61 }, (_, index) => index + 1)
    expect(outcomes.map((outcome) => (outcome.ok ? outcome.sequence : codeOf(outcome))).sort((a, b) => Number(a) - Number(b))).toEqual(all.slice(1))
    expect(await reading).toEqual([all, all])
    const states = await Promise.all(nodes.map(({ service }) => service.reads.fingerprintOf(groupId)))
    expect(states[0]).toEqual(states[1])
    expect((await nodes[1]!.service.verifyLog()).flatMap(({ differences }) => differences)).toEqual([])
  })

  it('accept one Command once', async () => {
    const { groupId } = await nodes[0]!.mission(owner, coordinator)
    const bytes = await nodes[0]!.command(owner, post(groupId))
    const outcomes = await Promise.all(Array.from({ length: 8 }, (_, index) => nodes[index % 2]!.service.submitCommand(bytes, { door: 'http' })))
    expect(new Set(outcomes.map((outcome) => outcome.ok && outcome.sequence))).toEqual(new Set([2]))
  })

  it('end a session that was replaced at the other', async () => {
    const [first, second] = [nodes[0]!, nodes[1]!]
    const older = await first.handshake(coordinator)
    const replaced = new Promise((resolve) => first.service.sessions.onEnded((...news) => resolve(news)))
    const newer = await second.handshake(coordinator)
    expect(newer.sessionEpoch).toBe(older.sessionEpoch + 1)
    expect(await replaced).toEqual([older, 'replaced'])
    expect(first.service.sessions.byToken(older.token)).toBeUndefined()
  })
})
