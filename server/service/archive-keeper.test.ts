import { beforeEach, describe, expect, it } from 'vitest'
import { sha256Hash } from '../../protocol/digest.ts'
import type { GroupSnapshot } from '../../protocol/generated/types.ts'
import type { Agent, Fixture, Person } from '../testing/authority-fixture.ts'
import { archiveGroup } from './archive-keeper.ts'
import type { SpaceFold } from './space-fold.ts'
import { codeOf, eventOf, newUrn, startAuthority } from '../testing/authority-fixture.ts'

let fixture: Fixture
let owner: Person
let coordinator: Agent
let latecomer: Agent
let groupId: string

beforeEach(async () => {
  fixture = await startAuthority()
  owner = await fixture.person('Olga')
  coordinator = await fixture.agent('Coordinator')
  latecomer = await fixture.agent('Latecomer')
  groupId = (await fixture.mission(owner, coordinator)).groupId
  await own('membership.change', { member: latecomer.actor, role: 'worker', visibilityStartSequence: 2 })
})

const own = async (kind: 'membership.change' | 'mission.cancel', payload: Record<string, unknown>) => eventOf(await fixture.submit(owner, { kind, groupId, membershipEpoch: 1, payload }))
const cancel = () => own('mission.cancel', { reason: 'Overtaken by events.' })

async function archived(isHistoryOffline = false) {
  await cancel()
  const outcome = await fixture.service.archives.archive(groupId, { isHistoryOffline })
  if (!outcome.ok) throw new Error(outcome.error.reason)
  return outcome.value
}

describe('an archived Group', () => {
  it('A-125, O-6: leaves a signed snapshot and the whole state, each under its hash', async () => {
    const archive = await archived()
    const state = await fixture.service.artifacts.read(archive.stateHash)
    const snapshot = await fixture.service.artifacts.read(archive.snapshotArtifactHash)
    expect(sha256Hash(state!)).toBe(archive.stateHash)
    expect(sha256Hash(snapshot!)).toBe(archive.snapshotArtifactHash)
    const document = JSON.parse(new TextDecoder().decode(snapshot)) as GroupSnapshot
    expect(document).toMatchObject({ groupId, throughSequence: 3, stateHash: archive.stateHash, createdBy: fixture.organization.authority.principal })
    expect(document.eventIds).toHaveLength(3)
    expect(document.policyLog.map(({ decision }) => decision)).toEqual(['mission.cancelled'])
    expect((await fixture.service.reads.fingerprintOf(groupId))?.sequence).toBe(5)
  })

  it('A-127: agrees with its log, the Command of the archive included', async () => {
    await archived()
    const report = (await fixture.service.verifyLog()).find(({ spaceId }) => spaceId === groupId)
    expect(report).toMatchObject({ events: 5, commands: 4, differences: [] })
  })

  it('A-125: accepts nothing more', async () => {
    await archived()
    const member = { member: (await fixture.agent('Another')).actor, role: 'observer' }
    expect(codeOf(await fixture.submit(owner, { kind: 'membership.change', groupId, membershipEpoch: 1, payload: member }))).toBe('INVALID_STATE_TRANSITION')
    expect(await fixture.service.archives.archive(groupId, { isHistoryOffline: false })).toMatchObject({ ok: false, error: { reason: 'the Group is archived already' } })
  })

  it('A-239: shows its archive to members who see the whole Group, and to nobody else', async () => {
    const { stateHash, snapshotArtifactHash } = await archived()
    const mayRead = (id: string) => Promise.all([stateHash, snapshotArtifactHash].map((hash) => fixture.service.reads.mayReadArtifact(id, hash)))
    expect(await mayRead(owner.actor.id)).toEqual([true, true])
    expect(await mayRead(coordinator.actor.id)).toEqual([true, true])
    expect(await mayRead(latecomer.actor.id)).toEqual([false, false])
    expect(await mayRead((await fixture.person('Sven')).actor.id)).toEqual([false, false])
  })
})

describe('A-235: the online log', () => {
  it('is whole after an archive that leaves it alone', async () => {
    await archived()
    const feed = await fixture.service.feeds.open(coordinator.actor.id, groupId, 0)
    expect(feed.ok && (await feed.value.next(10))).toHaveLength(5)
  })

  it('A-273: names the snapshot to whoever asks for what has left it, and goes on after the snapshot', async () => {
    const { snapshotArtifactHash, throughSequence } = await archived(true)
    const old = await fixture.service.feeds.open(coordinator.actor.id, groupId, throughSequence - 1)
    expect(old).toMatchObject({ ok: false, error: { code: 'CURSOR_TOO_OLD', snapshotArtifactHash, details: { throughSequence } } })
    const feed = await fixture.service.feeds.open(coordinator.actor.id, groupId, throughSequence)
    const entries = feed.ok ? await feed.value.next(10) : []
    expect(entries === 'ended' ? [] : entries.map(({ kind }) => kind)).toEqual(['group.snapshot.created', 'group.archived'])
  })

  it('A-239: hides an archived Group from strangers as any other', async () => {
    await archived(true)
    expect(await fixture.service.feeds.open((await fixture.agent('Stranger')).actor.id, groupId, 0)).toMatchObject({ ok: false, error: { code: 'GROUP_NOT_FOUND' } })
  })
})

it('A-125: refuses in words, and keeps nothing of it, what one snapshot cannot name or the disk cannot take', async () => {
  await cancel()
  const { service, organization, clock } = fixture
  const kept: string[] = []
  const archive = async (limits: { maximumCommandBytes?: number; answer?: 'no-room' }) => {
    const group = (await service.reads.groupFor(owner.actor.id, groupId))!.state
    const actors = { read: async () => ({ group }) as SpaceFold }
    const artifacts = { put: async (...[content, { mediaType, maxBytes, uploadedBy }]: Parameters<typeof service.artifacts.put>) => (kept.push(mediaType), limits.answer ?? service.artifacts.put(content, { mediaType, maxBytes, uploadedBy })) }
    const submit = () => Promise.reject(new Error('must not be sent'))
    return archiveGroup({ organization, actors, artifacts, clock, submit, ...limits }, groupId, { isHistoryOffline: false })
  }
  expect(await archive({ maximumCommandBytes: 500 })).toEqual({ ok: false, error: { reason: 'the Group has 3 Events, more than one snapshot can name' } })
  expect(kept).toEqual([])
  expect(await archive({ answer: 'no-room' })).toEqual({ ok: false, error: { reason: 'there is no room for the archive' } })
})

it('A-125: archives neither a Mission that goes on nor a Group that there is not', async () => {
  const archive = (id: string) => fixture.service.archives.archive(id, { isHistoryOffline: false })
  expect(await archive(groupId)).toMatchObject({ ok: false, error: { reason: expect.stringContaining('active') } })
  expect(await archive(newUrn())).toMatchObject({ ok: false, error: { reason: 'there is no such Group' } })
})
