// Two nodes on one store. What they tell each other may be lost.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Agent, Draft, Fixture, Person } from '../testing/authority-fixture.ts'
import { StillClock, codeOf, newUrn, startAuthority } from '../testing/authority-fixture.ts'
import { createMemoryStore } from '../testing/memory-store.ts'
import { granted, OpenWorld } from '../testing/open-world.ts'
import type { Directory, SpaceLog, Store } from './ports.ts'

const roundMs = 30_000
const soonMs = 5_000

let first: Fixture
let second: Fixture
let owner: Person
let coordinator: Agent
let groupId: string
/** Whether wake-ups of the first node arrive. */
let isTold: boolean
/** How often the second node has read all keys. */
let loads = 0
/** How many heads the second node has asked for. */
let looks = 0
/** Reads of the second node that fail from now on. */
let failing: Set<keyof Directory | keyof SpaceLog>

/** Fails where `failing` says so. */
function unsteady<Port extends object>(port: Port): Port {
  return new Proxy(port, {
    get: (target, name) => {
      const act = Reflect.get(target, name) as (...args: unknown[]) => Promise<unknown>
      return async (...args: unknown[]) => {
        if (name === 'loadKeys') loads++
        if (name === 'head') looks++
        if (failing.has(name as keyof Directory)) throw new Error('the connection was lost')
        return act(...args)
      }
    },
  })
}

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  isTold = true
  loads = 0
  looks = 0
  failing = new Set()
  const clock = new StillClock()
  const store = createMemoryStore({ clock })
  const telling: Store = { ...store, wakeUps: { ...store.wakeUps, publish: (spaceId) => isTold && store.wakeUps.publish(spaceId) } }
  first = await startAuthority({ clock, store: telling })
  second = await startAuthority({ clock, organization: first.organization, store: { ...store, directory: unsteady(store.directory), log: unsteady(store.log) } })
  owner = await first.person('Olga')
  coordinator = await first.agent('Coordinator')
  groupId = (await first.mission(owner, coordinator)).groupId
  await expect.poll(async () => codeOf(await say(second))).toBe('accepted')
})
afterEach(async () => {
  failing.clear()
  for (const { service } of [first, second]) await service.stop()
  vi.useRealTimers()
})

const say = (node: Fixture) => node.submit(owner, { kind: 'message.post', groupId, membershipEpoch: 1, payload: { messageId: newUrn(), content: [{ type: 'text', text: 'Hello' }] } } satisfies Draft)
const revoke = async () => {
  await first.service.identities.revokeKey(owner.keyId)
  first.clock.advance(1)
}
const answerOf = async (node: Fixture) => codeOf(await say(node))
const pass = (ms: number) => void vi.advanceTimersByTime(ms)

describe('a revocation on another node', () => {
  it('counts here although the wake-up was lost with the node that owed it (A-68)', async () => {
    isTold = false
    await revoke()
    expect(await answerOf(second)).toBe('accepted')
    pass(roundMs)
    await expect.poll(() => answerOf(second)).toBe('AUTH_INVALID_SIGNATURE')
  })

  it('counts here although the keys could not be read when it was told (A-68)', async () => {
    failing.add('loadKeys')
    await revoke()
    await expect.poll(() => loads).toBeGreaterThan(1)
    expect(await answerOf(second)).toBe('accepted')
    failing.clear()
    pass(soonMs)
    await expect.poll(() => answerOf(second)).toBe('AUTH_INVALID_SIGNATURE')
  })

  it('counts here after a round that failed (A-68)', async () => {
    isTold = false
    await revoke()
    failing.add('keyRevision')
    pass(roundMs)
    expect(await answerOf(second)).toBe('accepted')
    failing.clear()
    pass(roundMs)
    await expect.poll(() => answerOf(second)).toBe('AUTH_INVALID_SIGNATURE')
  })
})

describe('what another node wrote', () => {
  it('reaches who follows the Space here although nobody told of it (A-4)', async () => {
    const feed = await second.service.feeds.open(owner.actor.id, groupId, 2)
    expect(feed.ok).toBe(true)
    const next = feed.ok ? feed.value.next(10) : undefined
    isTold = false
    await say(first)
    pass(roundMs)
    expect(await next).toMatchObject([{ sequence: 3, kind: 'message.posted' }])
  })

  it.each(['an open Space', 'a Node'])('reaches who follows %s here although nobody told of it', async (followed) => {
    const world = new OpenWorld(first.service.openSpaces)
    const [node, other] = [await world.node('one'), await world.node('other')]
    const space = await world.space('lobby', node, other)
    // What was told so far has been read here, so that it wakes nobody later.
    await second.handshake(coordinator)
    const { openSpaces } = second.service
    const next = followed === 'a Node' ? granted(await openSpaces.followNode(other.nodeId)).next(10) : granted(await openSpaces.follow(space.spaceId)).next(10)
    isTold = false
    const { messageId } = await world.say(node, space, 'Hello', { nodes: [other.nodeId] })
    pass(roundMs)
    expect(await next).toMatchObject([followed === 'a Node' ? { message: { messageId } } : { messageId }])
  })

  it('is read here although nobody told of it', async () => {
    const heard: string[] = []
    second.service.feeds.onGrowth((spaceId) => heard.push(spaceId))
    const read = async () => (await second.service.reads.groupFor(owner.actor.id, groupId))?.state.sequence
    isTold = false
    await say(first)
    expect(await read()).toBe(2)
    pass(roundMs)
    await expect.poll(read).toBe(3)
    expect(heard).toEqual([groupId])
  })

  it('is told again where its head could not be read', async () => {
    const feed = await second.service.feeds.open(owner.actor.id, groupId, 2)
    const next = feed.ok ? feed.value.next(10) : undefined
    failing.add('head')
    await say(first)
    failing.clear()
    pass(soonMs)
    expect(await next).toMatchObject([{ sequence: 3 }])
  })

  it('is in force here, be it policy or the session of an Agent, although nobody told of it', async () => {
    const { policy, sessions } = second.service
    isTold = false
    const changed = { ...policy.current, version: 1, freshnessSeconds: 240 }
    const admin = await first.person('Ada', { isAdmin: true })
    expect(codeOf(await first.submit(admin, { kind: 'ext.countersign.policy.change', groupId: policy.spaceId, membershipEpoch: 1, expectedRevision: 0, payload: { policy: changed, reason: 'The pilot is over.' } }))).toBe('accepted')
    const session = await second.handshake(coordinator)
    await first.handshake(coordinator)
    expect([policy.current.version, sessions.isCurrent(session)]).toEqual([0, true])
    pass(roundMs)
    await expect.poll(() => [policy.current, sessions.isCurrent(session)]).toEqual([changed, false])
  })

  it('is not read anew, keys and Events, where nothing was missed', async () => {
    // The Organization's Space, that of its policy, and the Group.
    const round = async () => {
      looks = 0
      pass(roundMs)
      await expect.poll(() => looks).toBe(3)
    }
    await round()
    const [before, reads] = [loads, vi.spyOn(second.store.log, 'read')]
    await round()
    expect([loads - before, reads.mock.calls]).toEqual([0, []])
  })
})
