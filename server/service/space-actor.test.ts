import { describe, expect, it } from 'vitest'
import { unavailableRegistry, validateRegistry } from '../../protocol/key-registry.ts'
import { verifyDocument } from '../../protocol/verify-document.ts'
import { encodeState } from '../authority/encode-state.ts'
import { DEFAULT_POLICY } from '../authority/policy.ts'
import { createMemoryStore } from '../testing/memory-store.ts'
import { AcceptedActions } from './accepted-actions.ts'
import { createNativeVerifier } from './native-ed25519.ts'
import type { AppendBatch, AppendOutcome, Store } from './ports.ts'
import { SpaceActor } from './space-actor.ts'
import type { AdmissibleCommand } from './space-fold.ts'
import { MissionFold } from './space-fold.ts'
import type { Draft, Fixture, Person } from '../testing/authority-fixture.ts'
import { StillClock, codeOf, eventOf, newUrn, startAuthority } from '../testing/authority-fixture.ts'
import { progress } from '../testing/documents.ts'
import { ReleaseFlow } from '../testing/release-flow.ts'

const post = (groupId: string): Draft => ({ kind: 'message.post', groupId, membershipEpoch: 1, payload: { messageId: newUrn(), content: [{ type: 'text', text: 'Hello' }] } })

/** A store that lets a test look at, hold up or refuse what is appended. */
function watchedStore(clock: StillClock) {
  const store = createMemoryStore({ clock })
  const batches: AppendBatch[] = []
  const hooks: { before?: (batch: AppendBatch) => Promise<AppendOutcome | undefined> } = {}
  const append: Store['log']['append'] = async (batch) => {
    batches.push(batch)
    return (await hooks.before?.(batch)) ?? store.log.append(batch)
  }
  return { store: { ...store, log: { ...store.log, append } }, write: store.log.append, batches, hooks }
}

function closedGate() {
  let open = () => {}
  const passed = new Promise<undefined>((resolve) => (open = () => resolve(undefined)))
  return { passed, open }
}

function actorOn({ clock, organization }: Fixture, store: Store, groupId: string): SpaceActor {
  const nothing = { onCommitted: () => {}, onFounded: () => {}, onLoaded: () => {}, onIdle: () => {} }
  const facts = { cardOf: () => undefined, sessionEpochOf: () => 0, isAdmin: () => false, isDataSchema: () => true }
  return new SpaceActor(groupId, { ...store, ...nothing, actions: new AcceptedActions(), clock, organization, facts, policies: { current: DEFAULT_POLICY }, openFold: async (spaceId) => new MissionFold(spaceId) })
}

async function admissible(fixture: Fixture, owner: Person, groupId: string): Promise<AdmissibleCommand> {
  const { organization, store } = fixture
  const registry = validateRegistry({ organizationId: organization.organizationId, bindings: (await store.directory.loadKeys()).keys })
  const document = await verifyDocument({ kind: 'command', bytes: await fixture.command(owner, post(groupId)), registry: registry.ok ? registry.value : unavailableRegistry, verifySignature: createNativeVerifier() })
  if (!document.ok) throw new Error(document.error.reason)
  return { document: document.value, keyUse: 'authority', nested: [] }
}

async function started() {
  const clock = new StillClock()
  const watched = watchedStore(clock)
  const fixture = await startAuthority({ clock, store: watched.store })
  const [owner, coordinator] = [await fixture.person('Olga'), await fixture.agent('Coordinator')]
  const { groupId } = await fixture.mission(owner, coordinator)
  watched.batches.length = 0
  return { ...watched, fixture, owner, coordinator, groupId }
}

const stateOf = async ({ service }: Fixture, { actor }: Person, groupId: string) => Buffer.from(encodeState((await service.reads.groupFor(actor.id, groupId))!.state)).toString()

it('commits one Command at once, and what arrives meanwhile in batches of 32 at most', async () => {
  const { fixture, owner, groupId, store, batches, hooks } = await started()
  const commands = await Promise.all(Array.from({ length: 41 }, () => admissible(fixture, owner, groupId)))
  const actor = actorOn(fixture, store, groupId)
  const gate = closedGate()
  hooks.before = () => gate.passed
  const [first, ...others] = commands.map((command) => () => actor.submit({ type: 'command', command }))
  const sent = [first!()]
  await expect.poll(() => batches.length).toBe(1)
  sent.push(...others.map((submit) => submit()))
  gate.open()
  await Promise.all(sent)
  expect(batches.map((batch) => batch.events.length)).toEqual([1, 32, 8])
})

describe('a batch that fails', () => {
  /** Three Commands in one batch; what is appended fails as `fault` says. */
  async function batchOf({ store, fixture, owner, groupId, batches, hooks }: Awaited<ReturnType<typeof started>>, fault: (batch: AppendBatch, actionIds: readonly string[]) => Promise<undefined>) {
    const [first, ...commands] = await Promise.all(Array.from({ length: 4 }, () => admissible(fixture, owner, groupId)))
    const actor = actorOn(fixture, store, groupId)
    const gate = closedGate()
    hooks.before = () => gate.passed
    const sent = [actor.submit({ type: 'command', command: first! })]
    await expect.poll(() => batches.length).toBe(1)
    const batch = commands.map((command) => actor.submit({ type: 'command', command }))
    const actionIds = commands.map(({ document }) => document.value.actionId)
    gate.open()
    await sent[0]
    hooks.before = (appended) => fault(appended, actionIds)
    const outcomes = await Promise.allSettled(batch)
    hooks.before = async () => undefined
    return { actor, outcomes: outcomes.map((outcome) => (outcome.status === 'rejected' ? 'fault' : outcome.value.type === 'accepted' ? outcome.value.sequence : outcome.value.type)) }
  }
  const lost = () => Promise.reject<undefined>(new Error('the connection was lost'))
  const sequencesOf = async ({ store, groupId }: Awaited<ReturnType<typeof started>>) => (await store.log.read(groupId, 0, 100)).map(({ sequence }) => sequence)

  it('because one Command cannot be written fails that one alone', async () => {
    const world = await started()
    const { actor, outcomes } = await batchOf(world, async ({ receipts }, actionIds) => (receipts.some(({ actionId }) => actionId === actionIds[1]) ? lost() : undefined))
    expect(outcomes).toEqual([3, 'fault', 4])
    expect(await sequencesOf(world)).toEqual([1, 2, 3, 4])
    expect((await actor.read()).head).toBe(4)
  })

  it('although it was written answers each Command with its Event, and writes none twice (A-222)', async () => {
    const world = await started()
    let isFirst = true
    const { outcomes } = await batchOf(world, async (batch) => {
      if (!isFirst) return undefined
      isFirst = false
      await world.write(batch)
      return lost()
    })
    expect(outcomes).toEqual([3, 4, 5])
    expect(await sequencesOf(world)).toEqual([1, 2, 3, 4, 5])
  })

  it('fails whole and at once where the Space cannot be read either', async () => {
    const world = await started()
    const { log } = world.store
    const { read } = log
    let [appends, reads] = [0, 0]
    const { actor, outcomes } = await batchOf(world, () => {
      appends++
      log.read = async () => {
        reads++
        throw new Error('the connection was lost')
      }
      return lost()
    })
    expect([outcomes, appends, reads]).toEqual([['fault', 'fault', 'fault'], 1, 1])
    log.read = read
    expect((await actor.read()).head).toBe(2)
  })
})

it('takes work up that arrives at the very moment when it runs out of work', async () => {
  const { fixture, groupId, store } = await started()
  const actor = actorOn(fixture, store, groupId)
  for (let hops = 0; hops < 12; hops++) {
    const settled = actor.submit({ type: 'due' })
    const next = settled.then(async () => {
      for (let hop = 0; hop < hops; hop++) await undefined
      return Promise.all([actor.submit({ type: 'due' }), actor.read()])
    })
    expect((await next)[0]).toEqual({ type: 'done' })
  }
})

it('decides a later Command of a batch on what the earlier ones left', async () => {
  const { fixture, owner, groupId } = await started()
  const payload = { messageId: newUrn(), content: [{ type: 'text', text: 'Once' }] }
  const codes = (await Promise.all([1, 2].map(() => fixture.submit(owner, { ...post(groupId), payload })))).map(codeOf)
  expect(codes.filter((code) => code === 'accepted')).toHaveLength(1)
})

it('decides again on the other writer’s log when two nodes write to one Space', async () => {
  const { fixture, owner, groupId, store } = await started()
  // The other node hears of nothing, so that every one of its appends may come too late.
  const deaf = { ...store, wakeUps: { publish: () => {}, subscribe: () => () => {} } }
  const other = await startAuthority({ clock: fixture.clock, store: deaf, organization: fixture.organization })
  const outcomes = await Promise.all(Array.from({ length: 30 }, (_, index) => (index % 2 === 0 ? fixture : other).submit(owner, post(groupId))))
  expect(outcomes.map((outcome) => (outcome.ok ? outcome.sequence : codeOf(outcome))).sort((a, b) => Number(a) - Number(b))).toEqual(Array.from({ length: 30 }, (_, index) => index + 2))
  await other.submit(owner, post(groupId))
  await fixture.submit(owner, post(groupId))
  const replayed = await startAuthority({ clock: fixture.clock, store, organization: fixture.organization })
  expect(await stateOf(fixture, owner, groupId)).toBe(await stateOf(replayed, owner, groupId))
})

it('hears of what another node has written and reads it before it decides or shows anything', async () => {
  const { fixture, owner, groupId, store, batches } = await started()
  const other = await startAuthority({ clock: fixture.clock, store, organization: fixture.organization })
  await other.submit(owner, post(groupId))
  batches.length = 0
  expect(eventOf(await fixture.submit(owner, post(groupId)))).toMatchObject({ sequence: 3 })
  expect(batches).toHaveLength(1)
})

it('refuses nothing on a log that another node has moved on, even when it has not heard of it', async () => {
  const { fixture, owner, groupId, store } = await started()
  const observer = await fixture.agent('Observer')
  const deaf = await startAuthority({ clock: fixture.clock, organization: fixture.organization, store: { ...store, wakeUps: { publish: () => {}, subscribe: () => () => {} } } })
  await deaf.submit(owner, post(groupId))
  eventOf(await fixture.submit(owner, { kind: 'membership.change', groupId, membershipEpoch: 1, payload: { member: observer.actor, role: 'observer' } }))
  const end: Draft = { kind: 'membership.end', groupId, membershipEpoch: 1, payload: { member: observer.actor, reason: 'Done.' } }
  expect(codeOf(await deaf.submit(owner, end))).toBe('accepted')
})

it('takes the policy over that another node has changed while it heard nothing', async () => {
  const { fixture, owner, groupId, store } = await started()
  let resume = () => {}
  const deaf = { publish: () => {}, subscribe: (_listener: unknown, onGap = () => {}) => ((resume = onGap), () => {}) }
  const other = await startAuthority({ clock: fixture.clock, organization: fixture.organization, store: { ...store, wakeUps: deaf } })
  await other.submit(owner, post(groupId))
  const admin = await fixture.person('Ada', { isAdmin: true })
  const { spaceId, current } = fixture.service.policy
  const silent = { ...current, version: 1, limits: { ...current.limits, messagesPerMinute: 1 } }
  eventOf(await fixture.submit(admin, { kind: 'ext.countersign.policy.change', groupId: spaceId, membershipEpoch: 1, expectedRevision: 0, payload: { policy: silent, reason: 'Quiet, please.' } }))
  expect(other.service.policy.current.version).toBe(0)
  resume()
  await expect.poll(() => other.service.policy.current.version).toBe(1)
  expect(codeOf(await other.submit(owner, post(groupId)))).toBe('RATE_LIMITED')
})

it('one Command of two nodes becomes one Event (A-222)', async () => {
  const { fixture, owner, groupId, store } = await started()
  const other = await startAuthority({ clock: fixture.clock, store, organization: fixture.organization })
  const bytes = await fixture.command(owner, post(groupId))
  const outcomes = await Promise.all([fixture, other, fixture, other].map(({ service }) => service.submitCommand(bytes, { door: 'http' })))
  expect(new Set(outcomes.map((outcome) => outcome.ok && Buffer.from(outcome.eventBytes).toString())).size).toBe(1)
  expect(await store.log.head(groupId)).toBe(2)
})

it('gives up after eight conflicts in a row, and starts afresh with the next Command', async () => {
  const { fixture, owner, groupId, batches, hooks } = await started()
  hooks.before = async () => ({ ok: false, conflict: 'head' })
  expect(codeOf(await fixture.submit(owner, post(groupId)))).toBe('INTERNAL_ERROR')
  expect(batches).toHaveLength(8)
  delete hooks.before
  expect(eventOf(await fixture.submit(owner, post(groupId)))).toMatchObject({ sequence: 2 })
})

it('keeps nothing of a batch that failed, whatever the fold had seen', async () => {
  const { fixture, owner, groupId, hooks } = await started()
  const before = await stateOf(fixture, owner, groupId)
  hooks.before = async () => Promise.reject(new Error('connection lost'))
  expect(codeOf(await fixture.submit(owner, post(groupId)))).toBe('INTERNAL_ERROR')
  delete hooks.before
  expect(await stateOf(fixture, owner, groupId)).toBe(before)
})

it('finds what was written although the answer of the database was lost', async () => {
  const { fixture, owner, groupId, hooks, write } = await started()
  const feed = await fixture.service.feeds.open(owner.actor.id, groupId, 1)
  const next = feed.ok ? feed.value.next(10) : undefined
  hooks.before = async (batch) => {
    await write(batch)
    throw new Error('connection lost')
  }
  const bytes = await fixture.command(owner, post(groupId))
  expect(codeOf(await fixture.service.submitCommand(bytes, { door: 'http' }))).toBe('INTERNAL_ERROR')
  delete hooks.before
  expect(await fixture.service.submitCommand(bytes, { door: 'http' })).toMatchObject({ ok: true, sequence: 2, isDuplicate: true })
  expect(await next).toMatchObject([{ sequence: 2 }])
})

it('shows readers committed state only', async () => {
  const { fixture, owner, groupId, hooks, batches } = await started()
  const gate = closedGate()
  hooks.before = () => gate.passed
  const sent = fixture.submit(owner, post(groupId))
  await expect.poll(() => batches.length).toBe(1)
  let shown = 0
  const reading = fixture.service.reads.groupFor(owner.actor.id, groupId).then((found) => (shown = found!.state.sequence))
  expect(shown).toBe(0)
  gate.open()
  await Promise.all([sent, reading])
  expect(shown).toBe(2)
})

it('never lets time run backwards within a Space', async () => {
  const { fixture, owner, groupId } = await started()
  fixture.clock.advance(10)
  const { occurredAt } = eventOf(await fixture.submit(owner, post(groupId)))
  fixture.clock.advance(-5)
  expect(eventOf(await fixture.submit(owner, post(groupId)))).toMatchObject({ occurredAt })
})

it('refuses a second Mission of one id, although it would live in a Space of its own (A-15)', async () => {
  const { fixture, owner, coordinator } = await started()
  const { missionId } = await fixture.mission(owner, coordinator)
  await expect(fixture.mission(owner, coordinator, { missionId })).rejects.toThrow('this Mission id is taken')
})

it('gives one Mission id to one of many Groups that claim it at once, and leaves the others as if they had asked later', async () => {
  const { fixture, owner, coordinator } = await started()
  const missionId = newUrn()
  const claims = await Promise.allSettled(Array.from({ length: 8 }, () => fixture.mission(owner, coordinator, { missionId })))
  const refusals = claims.flatMap((claim) => (claim.status === 'rejected' ? [(claim.reason as Error).message] : []))
  expect(refusals).toHaveLength(7)
  expect(new Set(refusals)).toEqual(new Set(['this Mission id is taken']))
})

it('records by timer that an Execution Lease has run out (A-182)', async () => {
  const { fixture, owner, coordinator } = await started()
  const worker = await fixture.agent('Worker')
  const flow = await ReleaseFlow.executing(fixture, { owner, coordinator, worker })
  const head = await fixture.store.log.head(flow.groupId)
  const grown = new Promise<void>((resolve) => fixture.service.feeds.onGrowth((spaceId) => spaceId === flow.groupId && resolve()))
  // A second service on the log finds the lease over at its start; the first would only notice at its next timer.
  fixture.clock.advance(601)
  await startAuthority({ clock: fixture.clock, store: fixture.store, organization: fixture.organization })
  await grown
  const [entry] = await fixture.service.reads.range(owner.actor.id, flow.groupId, head, 10)
  expect(entry?.event).toMatchObject({ kind: 'ext.missionweaveprotocol.core.work_execution_lease_expired', cause: { type: 'timer' } })
})

it('A-183: revokes a lease that another node has begun, even when it has not heard of it', async () => {
  const { fixture, owner, coordinator, store } = await started()
  const worker = await fixture.agent('Worker')
  const flow = await ReleaseFlow.executing(fixture, { owner, coordinator, worker })
  const { groupId, workItemId, ownershipEpoch, executionLeaseId } = flow
  await flow.work({ kind: 'work.checkpoint', payload: { workItemId, ownershipEpoch, executionLeaseId, progress: progress() } })
  const actor = actorOn(fixture, store, groupId)
  await actor.read()
  await flow.start()
  await actor.submit({ type: 'session-replaced', session: { agentId: worker.actor.id, sessionEpoch: 2, causeEventId: newUrn() } })
  const [last] = await store.log.read(groupId, (await store.log.head(groupId)) - 1, 1)
  expect(last?.kind).toBe('ext.missionweaveprotocol.core.work_execution_lease_revoked')
})
