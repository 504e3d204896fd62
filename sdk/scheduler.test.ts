import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { reject } from '../protocol/error-codes.ts'
import { ada, cora, nora, START, wim } from '../server/testing/cast.ts'
import { workContract } from '../server/testing/documents.ts'
import { GroupFixture } from '../server/testing/group-fixture.ts'
import { invitation, offerTo, reach, workId } from '../server/testing/work-scenario.ts'
import type { AgentStore } from './agent-store.ts'
import { openAgentStore } from './agent-store.ts'
import type { GroupEntry } from './authority-http.ts'
import type { Receipt, Refusal } from './refusal.ts'
import { SubscriptionRefused } from './refusal.ts'
import type { SchedulerOptions } from './scheduler.ts'
import { runScheduler, whyDeclined } from './scheduler.ts'
import { FakeClient } from './testing/fake-client.ts'

const contract = { ...workContract(), deadline: '2026-01-01T12:00:00.000Z' }
const noon = Date.parse(contract.deadline)

test.each([
  ['work that the Worker takes is not declined', true, noon - 1, undefined],
  ['work that it does not take is declined for its kind', false, noon - 1, 'capability'],
  ['a reason that the Worker gives is passed on', 'budget', noon - 1, 'budget'],
  ['a deadline that has passed cannot be committed to', true, noon, 'deadline'],
  ['the Worker\'s own reason comes before the deadline', 'capacity', noon, 'capacity'],
] as const)('A-169: %s', (_why, answer, nowMs, reason) => {
  expect(whyDeclined(contract, answer, nowMs)).toBe(reason)
})

const backoff = { firstMs: 1, maxMs: 4 }
let store: AgentStore
let client: FakeClient
let running: Promise<void>
const reports: string[] = []

beforeEach(async () => {
  reports.length = 0
  store = await openAgentStore(':memory:')
  client = new FakeClient()
})
afterEach(async () => {
  client.close()
  await running
  store.close()
})

function run(options: Partial<SchedulerOptions> = {}): void {
  running = runScheduler(client.asClient(wim.id), { store, slots: 1, accepts: () => true, execute: () => new Promise(() => undefined), report: (line) => reports.push(line), retry: backoff, ...options })
}

/** A Group in which Wim has an offer. */
function offered(): GroupFixture {
  const group = new GroupFixture().found()
  reach(group, 'a', 'offered')
  client.deliver = (_groupId, after) => group.log.slice(after)
  return group
}

const entryOf = ({ state }: GroupFixture, changes: Partial<GroupEntry> = {}): GroupEntry => ({
  groupId: state.groupId, missionId: state.mission.missionId, role: 'worker', state: 'active', membershipEpoch: 1, visibilityStartSequence: 0, head: state.sequence, ...changes,
})
const refused = (code: Refusal['code']): Receipt => ({ ok: false, error: { ...reject(code, 'no'), retryable: false, occurredAt: START } as Refusal })
const answers = () => client.submitted.map(({ kind }) => kind)

describe('the Groups of a Scheduler', () => {
  test('A-173: a Group is followed once, also while a failed attempt is waited for', async () => {
    const group = offered()
    let attempts = 0
    const others: GroupEntry[] = [1, 2, 3].map((n) => entryOf(group, { groupId: `urn:test:group:${n}` }))
    client.deliver = (groupId) => {
      if (groupId !== group.state.groupId || attempts++ > 0) return []
      // Looked up again while the attempt is being repeated.
      for (let n = 1; n <= others.length; n++) client.list(entryOf(group), ...others.slice(0, n))
      throw new Error('the connection broke')
    }
    run()
    client.list(entryOf(group))
    await expect.poll(() => client.subscribed.length).toBe(5)
    expect(client.subscribed.filter((id) => id === group.state.groupId)).toHaveLength(2)
    expect(reports).toEqual(['the connection broke'])
  })

  test('A-239: a Group that is refused for good is asked for again when the Membership has changed, and not before', async () => {
    const group = offered()
    const { groupId } = group.state
    const other = entryOf(group, { groupId: 'urn:test:other' })
    client.deliver = (id) => {
      if (id === groupId) throw new SubscriptionRefused(groupId, { ...reject('GROUP_NOT_FOUND', 'no'), retryable: false, occurredAt: START } as Refusal)
      return []
    }
    run()
    client.list(entryOf(group))
    await expect.poll(() => client.subscribed.length).toBe(1)
    client.list(entryOf(group), other)
    await expect.poll(() => client.subscribed).toEqual([groupId, other.groupId])
    client.list(entryOf(group, { membershipEpoch: 2 }), other)
    await expect.poll(() => client.subscribed).toEqual([groupId, other.groupId, groupId])
  })

  test('A-130: a candidate answers its offer, although it is shown no more of the Group', async () => {
    const group = new GroupFixture().found()
    reach(group, 'a', 'open')
    group.accept(cora, 'work.offer', invitation(group, 'a', [nora]))
    const [from, offerId] = [group.log.findIndex(({ kind }) => kind === 'work.offer.created'), offerTo(group, 'a', nora)]
    client.deliver = (_groupId, after) => group.log.slice(Math.max(after, from))
    running = runScheduler(client.asClient(nora.id), { store, slots: 1, accepts: () => true, execute: () => new Promise(() => undefined), report: (line) => reports.push(line), retry: backoff })
    client.list(entryOf(group, { state: 'provisional', visibilityStartSequence: from + 1, head: 1000 }))
    await expect.poll(() => client.submitted).toMatchObject([{ kind: 'work.accept_offer', payload: { workItemId: workId('a'), offerId } }])
  })
})

describe('the answer to an offer', () => {
  test.each(['BACKPRESSURE', 'RATE_LIMITED', 'INTERNAL_ERROR'] as const)('A-271, A-272: is given again after it was refused in passing (%s)', async (code) => {
    const group = offered()
    client.answer = () => (client.submitted.length < 3 ? refused(code) : new Promise<Receipt>(() => undefined))
    run()
    client.list(entryOf(group))
    await expect.poll(answers).toEqual(['work.accept_offer', 'work.accept_offer', 'work.accept_offer'])
  })

  test('A-254: is not given again after it was refused for good', async () => {
    const group = offered()
    const more = entryOf(group, { groupId: 'urn:test:other' })
    client.answer = () => refused('AUTH_FORBIDDEN')
    run()
    client.list(entryOf(group))
    await expect.poll(() => reports.length).toBe(1)
    client.deliver = () => []
    client.list(entryOf(group), more)
    await expect.poll(() => client.subscribed.length).toBe(2)
    expect(answers()).toEqual(['work.accept_offer'])
  })
})

test('A-173: a Group that the Agent has left leaves nothing in the store, and no older list brings it back', async () => {
  const group = offered()
  const before = entryOf(group)
  group.accept(ada, 'membership.end', { member: wim, reason: 'Enough.' })
  const { groupId } = group.state
  client.deliver = (id) => (id === groupId ? group.log : [])
  client.endsAt = group.log.length
  run()
  client.list(before)
  await expect.poll(() => client.subscribed).toEqual([groupId])
  client.list(before, entryOf(group, { groupId: 'urn:test:other' }))
  await expect.poll(() => client.subscribed.length).toBe(2)
  expect([client.subscribed, store.received(groupId), [...store.replay(groupId)]]).toEqual([[groupId, 'urn:test:other'], 0, []])
})
