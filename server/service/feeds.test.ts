import { beforeEach, describe, expect, it } from 'vitest'
import type { GroupFeed } from './service.ts'
import type { Agent, Draft, Fixture, Person } from '../testing/authority-fixture.ts'
import { eventOf, newUrn, startAuthority } from '../testing/authority-fixture.ts'

let fixture: Fixture
let owner: Person
let coordinator: Agent
let groupId: string

beforeEach(async () => {
  fixture = await startAuthority()
  owner = await fixture.person('Olga')
  coordinator = await fixture.agent('Coordinator')
  groupId = (await fixture.mission(owner, coordinator)).groupId
})

const patient = new AbortController().signal

const post = (): Draft => ({ kind: 'message.post', groupId, membershipEpoch: 1, payload: { messageId: newUrn(), content: [{ type: 'text', text: 'Hello' }] } })
const say = async (times = 1) => Promise.all(Array.from({ length: times }, async () => eventOf(await fixture.submit(owner, post()))))

async function open(after = 0, principalId = owner.actor.id, service = fixture.service): Promise<GroupFeed> {
  const feed = await service.feeds.open(principalId, groupId, after)
  if (!feed.ok) throw new Error(feed.error.code)
  return feed.value
}

/** Sequences that the feed delivers until it has reached `last`. */
async function readTo(feed: GroupFeed, last: number, limit = 7): Promise<number[]> {
  const sequences: number[] = []
  while (sequences.at(-1) !== last) {
    const entries = await feed.next(limit)
    if (entries === 'ended') break
    sequences.push(...entries.map((entry) => entry.sequence))
  }
  return sequences
}

const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

describe('a feed', () => {
  it('replays and then goes on live, without a gap, while others write', async () => {
    await say(20)
    const writing = Array.from({ length: 5 }, () => say(20))
    const feeds = await Promise.all([open(), open(), open(11)])
    const read = await Promise.all(feeds.map((feed) => readTo(feed, 121)))
    await Promise.all(writing)
    expect(read).toEqual([upTo(121), upTo(121), upTo(121, 12)])
  })

  it('crosses nodes', async () => {
    const other = await startAuthority({ clock: fixture.clock, store: fixture.store, organization: fixture.organization })
    const feed = await open(0, owner.actor.id, other.service)
    expect(await readTo(feed, 1)).toEqual([1])
    const live = readTo(feed, 11)
    await say(10)
    expect(await live).toEqual(upTo(11, 2))
  })

  it('serves live readers from memory', async () => {
    const feed = await open(1)
    const { log } = fixture.store
    const read = log.read
    await say(10)
    log.read = async () => Promise.reject(new Error('the database was asked'))
    expect(await readTo(feed, 11)).toEqual(upTo(11, 2))
    log.read = read
  })

  it('waits for growth, and ends when it is closed', async () => {
    const feed = await open(1)
    const waiting = feed.next(10)
    feed.close()
    expect(await waiting).toBe('ended')
    expect(await feed.next(10)).toBe('ended')
  })

  it('is not there for strangers, just like an unknown Group (A-23, A-239)', async () => {
    const stranger = await fixture.person('Sven')
    const [hidden, unknown] = await Promise.all([fixture.service.feeds.open(stranger.actor.id, groupId, 0), fixture.service.feeds.open(owner.actor.id, newUrn(), 0)])
    expect(hidden).toEqual(unknown)
    expect(hidden).toMatchObject({ ok: false, error: { code: 'GROUP_NOT_FOUND' } })
  })
})

describe('a member', () => {
  const change = (kind: 'membership.change' | 'membership.end', payload: Record<string, unknown>) => fixture.submit(owner, { kind, groupId, membershipEpoch: 1, payload })

  it('who joins late sees from its visibility start on (A-128)', async () => {
    await say(4)
    const worker = await fixture.agent('Worker')
    eventOf(await change('membership.change', { member: worker.actor, role: 'worker', visibilityStartSequence: 6 }))
    await say(1)
    expect(await readTo(await open(0, worker.actor.id), 7)).toEqual([6, 7])
  })

  it('gets the Event that ends its Membership last, and can come back', async () => {
    const worker = await fixture.agent('Worker')
    eventOf(await change('membership.change', { member: worker.actor, role: 'worker', visibilityStartSequence: 0 }))
    const feed = await open(0, worker.actor.id)
    eventOf(await change('membership.end', { member: worker.actor, reason: 'Done.' }))
    await say(2)
    expect(await readTo(feed, 5)).toEqual([1, 2, 3])
    expect(await fixture.service.feeds.open(worker.actor.id, groupId, 0)).toMatchObject({ ok: false })
    eventOf(await change('membership.change', { member: worker.actor, role: 'worker', visibilityStartSequence: 0 }))
    expect(await readTo(await open(0, worker.actor.id), 6)).toEqual(upTo(6))
  })

  it('learns of a change by waiting for it', async () => {
    const worker = await fixture.agent('Worker')
    const { reads } = fixture.service
    const before = await reads.memberships(worker.actor.id)
    const waiting = reads.membershipsAfter(worker.actor.id, before.revision, 20_000, patient)
    eventOf(await change('membership.change', { member: worker.actor, role: 'worker', visibilityStartSequence: 0 }))
    const after = await waiting
    expect(after.revision).not.toBe(before.revision)
    expect(after.groups).toMatchObject([{ spaceId: groupId, role: 'worker', state: 'active', membershipEpoch: 1, head: 2 }])
    expect(await reads.membershipsAfter(worker.actor.id, before.revision, 20_000, patient)).toEqual(after)
    expect(await reads.membershipsAfter(worker.actor.id, after.revision, 1, patient)).toEqual(after)
  })
})

describe('an acknowledged position', () => {
  it('is kept, up to the head of the Group (A-234)', async () => {
    const { cursors } = fixture.service
    expect(await cursors.acknowledge(coordinator.actor.id, groupId, 1)).toMatchObject({ ok: true })
    expect(await cursors.acknowledge(coordinator.actor.id, groupId, 2)).toMatchObject({ ok: false, error: { code: 'INVALID_COMMAND' } })
    expect(await cursors.acknowledge(newUrn(), groupId, 1)).toMatchObject({ ok: false, error: { code: 'GROUP_NOT_FOUND' } })
    expect(await fixture.store.directory.loadCursors(coordinator.actor.id)).toEqual(new Map([[groupId, 1]]))
  })
})
