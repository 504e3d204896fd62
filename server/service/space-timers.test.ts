// Timers of Spaces where the store fails.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { WORK_EXECUTION_LEASE_EXPIRED } from '../../protocol/kinds.ts'
import { ok } from '../../protocol/result.ts'
import { DEFAULT_POLICY } from '../authority/policy.ts'
import { silentLog } from '../log.ts'
import type { Agent, Fixture, Person } from '../testing/authority-fixture.ts'
import { StillClock, eventOf, newUrn, startAuthority } from '../testing/authority-fixture.ts'
import { createMemoryStore } from '../testing/memory-store.ts'
import { ReleaseFlow } from '../testing/release-flow.ts'
import { AcceptedActions } from './accepted-actions.ts'
import type { Store } from './ports.ts'
import { SpaceActors } from './space-actors.ts'
import type { SpaceFold } from './space-fold.ts'

const retrySeconds = 10

let clock: StillClock
let store: Store
let fixture: Fixture
let owner: Person
let coordinator: Agent
let worker: Agent
/** Where the store is away; appends fail once `fail` is called for each. */
let faulty: { append?: boolean; readsOf?: string }
let fails: (() => void)[]

/** The store, with faults. */
function unsteady(): Store {
  const { append, read } = store.log
  const lost = new Error('the connection was lost')
  return {
    ...store,
    log: {
      ...store.log,
      append: (batch) => (faulty.append ? new Promise((_, reject) => fails.push(() => reject(lost))) : append(batch)),
      read: (spaceId, after, limit) => (spaceId === faulty.readsOf ? Promise.reject(lost) : read(spaceId, after, limit)),
    },
  }
}

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  clock = new StillClock()
  store = createMemoryStore({ clock })
  faulty = {}
  fails = []
  fixture = await startAuthority({ clock, store: unsteady() })
  owner = await fixture.person('Olga')
  coordinator = await fixture.agent('Coordinator')
  worker = await fixture.agent('Worker')
})
afterEach(() => void vi.useRealTimers())

function pass(seconds: number): void {
  clock.advance(seconds)
  vi.advanceTimersByTime(seconds * 1000)
}
const executing = () => ReleaseFlow.executing(fixture, { owner, coordinator, worker })
/** A second Worker of the Mission begins a second WorkItem. */
async function begin(flow: ReleaseFlow, executionLeaseSeconds: number): Promise<void> {
  const { groupId } = flow
  const [other, workItemId] = [await fixture.agent('Other'), newUrn()]
  await flow.coordinate({ kind: 'membership.change', payload: { member: other.actor, role: 'worker' } })
  await flow.coordinate({ kind: 'work.authorize', payload: { workItemId, contract: ReleaseFlow.contract } })
  const offered = await flow.coordinate({ kind: 'work.offer', payload: { workItemId, candidateAgentIds: [other.actor.id], selectionBasis: ReleaseFlow.selectionBasis, offerExpiresInSeconds: 600 } })
  const { offers } = offered.payload as { offers: { offerId: string }[] }
  const own = { groupId, sessionEpoch: other.session.sessionEpoch, membershipEpoch: 1 }
  eventOf(await fixture.submit(other, { ...own, kind: 'work.accept_offer', payload: { workItemId, offerId: offers[0]!.offerId, ownershipLeaseSeconds: 3600 } }))
  eventOf(await fixture.submit(other, { ...own, kind: 'work.start', payload: { workItemId, ownershipEpoch: 1, executionLeaseSeconds } }))
}

const lastKind = async (groupId: string) => (await store.log.read(groupId, 0, 100)).at(-1)?.kind

describe('a lease that runs out', () => {
  it('is recorded later where the store was away (A-182)', async () => {
    const { groupId } = await executing()
    faulty.append = true
    pass(601)
    await expect.poll(() => fails.length).toBe(1)
    faulty.append = false
    fails[0]!()
    await expect.poll(() => { pass(retrySeconds); return lastKind(groupId) }).toBe(WORK_EXECUTION_LEASE_EXPIRED)
    await fixture.service.stop()
  })

  it.each([['is read meanwhile', true], ['is not', false]])('is tried once in each ten seconds while the store is away, where the Space %s', async (_name, isRead) => {
    const { groupId } = await executing()
    const read = () => (isRead ? fixture.service.reads.groupFor(owner.actor.id, groupId) : new Promise(setImmediate))
    faulty.append = true
    pass(601)
    for (const tries of [1, 2, 3]) {
      await expect.poll(() => fails.length).toBe(tries)
      pass(0)
      fails[tries - 1]!()
      await read()
      pass(retrySeconds - 1)
      await read()
      expect(fails).toHaveLength(tries)
      pass(1)
    }
    await expect.poll(() => fails.length).toBe(4)
    fails[3]!()
    await fixture.service.stop()
  })

  it('is recorded on time where another was recorded a moment before', async () => {
    const flow = await executing()
    await begin(flow, 602)
    const count = async () => (await store.log.read(flow.groupId, 0, 100)).filter(({ kind }) => kind === WORK_EXECUTION_LEASE_EXPIRED).length
    pass(601)
    await expect.poll(count).toBe(1)
    pass(1)
    await expect.poll(count).toBe(2)
    await fixture.service.stop()
  })

  it('is recorded although an earlier Mission cannot be read after a restart, and that one’s when it can (A-182)', async () => {
    const flows = [await executing(), await executing()]
    await fixture.service.stop()
    pass(601)
    const spaceIds = await store.readModels.spacesWithActiveLease(worker.actor.id)
    expect([...spaceIds].sort()).toEqual(flows.map(({ groupId }) => groupId).sort())
    faulty.readsOf = spaceIds[0]!
    const next = await startAuthority({ clock, store: unsteady(), organization: fixture.organization })
    await expect.poll(() => { pass(0); return lastKind(spaceIds[1]!) }).toBe(WORK_EXECUTION_LEASE_EXPIRED)
    expect(await lastKind(spaceIds[0]!)).toBe('work.started')
    delete faulty.readsOf
    await expect.poll(() => { pass(retrySeconds); return lastKind(spaceIds[0]!) }).toBe(WORK_EXECUTION_LEASE_EXPIRED)
    await next.service.stop()
  })
})

it('a timer that finds the queue of its Space full comes again', async () => {
  let dues = 0
  let open = () => {}
  const gate = new Promise<void>((resolve) => (open = resolve))
  const fold = {
    spaceKind: 'mission', head: 1, lastOccurredAt: '', group: undefined,
    decide: ({ type }) => {
      if (type === 'due') dues++
      return ok([])
    },
    place: () => { throw new Error('nothing is placed') },
    apply: () => {},
    rowsOf: () => ({ memberships: [], nodes: [], edges: [], artifacts: [], executions: [] }),
    reactionsTo: () => [],
    nextDue: () => '2026-11-29T12:00:01Z',
  } as const satisfies SpaceFold
  const actors = new SpaceActors({
    ...store,
    log: { ...store.log, head: async () => { await gate; return 1 } },
    actions: new AcceptedActions(),
    clock,
    organization: fixture.organization,
    diagnostics: silentLog(),
    policies: { current: DEFAULT_POLICY },
    facts: { cardOf: () => undefined, sessionEpochOf: () => 0, isAdmin: () => false, isDataSchema: () => true },
    openFold: async () => fold,
    onCommitted: () => {},
    onReactions: () => {},
    onRead: () => {},
  })
  await actors.read('urn:x:busy')
  const holding = actors.submit('urn:x:busy', { type: 'session-replaced', session: { agentId: worker.actor.id, sessionEpoch: 2, causeEventId: 'urn:x:cause' } })
  await new Promise(setImmediate)
  const waiting = Array.from({ length: 2048 }, () => actors.submit('urn:x:busy', { type: 'due' }))
  pass(1)
  open()
  await Promise.all([holding, ...waiting])
  expect(dues).toBe(2048)
  pass(retrySeconds)
  await expect.poll(() => dues).toBe(2049)
  // What was recorded holds nothing up.
  actors.fallBehind('urn:x:busy')
  await actors.read('urn:x:busy')
  pass(0)
  await expect.poll(() => dues).toBe(2050)
  await actors.stop()
})
