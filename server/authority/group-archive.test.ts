import { describe, expect, it } from 'vitest'
import { encodeCanonical } from '../../protocol/canonical-json.ts'
import { sha256Hash } from '../../protocol/digest.ts'
import { GROUP_ARCHIVE } from '../../protocol/kinds.ts'
import type { GroupSnapshot } from '../../protocol/generated/types.ts'
import { ada, ben, cora, groupAuthority, hashOf, organizationId, registry, urnOf, wim } from '../testing/cast.ts'
import { archivalSnapshot } from '../testing/documents.ts'
import { GroupFixture, replay } from '../testing/group-fixture.ts'
import { encodeState } from './encode-state.ts'

const cancelled = (): GroupFixture => {
  const group = new GroupFixture().found()
  group.accept(ada, 'mission.cancel', { reason: 'Overtaken by events.' })
  return group
}
const archive = (group: GroupFixture, changes: Partial<GroupSnapshot> = {}) => ({ snapshot: archivalSnapshot(group, changes) })

describe('A-127: ext.missionweaveprotocol.core.group_archive', () => {
  it('appends the snapshot and the archive together, and the Group says so', () => {
    const group = cancelled()
    const stateHash = sha256Hash(encodeState(group.state))
    const { snapshot } = archive(group)
    const [created, archived] = group.accept(groupAuthority, GROUP_ARCHIVE, { snapshot, firstOnlineSequence: 5 })
    const snapshotArtifactHash = sha256Hash(encodeCanonical(snapshot))
    expect(created).toMatchObject({ kind: 'group.snapshot.created', payload: { snapshotId: snapshot.snapshotId, throughSequence: 4, stateHash, snapshotArtifactHash } })
    expect(archived).toMatchObject({ kind: 'group.archived', cause: { type: 'command' }, payload: { snapshotId: snapshot.snapshotId, archivedAt: group.now, firstOnlineSequence: 5 } })
    expect(group.state.group).toMatchObject({ state: 'archived', archivedAt: group.now, archiveSnapshotId: snapshot.snapshotId })
    expect(group.state.archive).toEqual({ snapshotId: snapshot.snapshotId, throughSequence: 4, stateHash, snapshotArtifactHash, firstOnlineSequence: 5 })
    expect(encodeState(replay(group.log))).toEqual(encodeState(group.state))
  })

  it('A-126: the snapshot holds every ruling of the Group, with who ruled and when', () => {
    const group = new GroupFixture().found()
    const [granted] = group.accept(ada, 'policy.grant_cooperation_override', { grantId: urnOf('grant'), policyName: 'message_rate', beneficiary: wim, targetCommandKind: 'message.post', targetActionId: urnOf('action'), reason: 'It is urgent.', expiresAt: group.state.mission.deadline })
    const [ended] = group.accept(ada, 'mission.cancel', { reason: 'Overtaken by events.' })
    const ruled = { actor: ada, occurredAt: group.now }
    expect(archive(group).snapshot.policyLog).toEqual([
      { entryId: granted!.eventId, decision: 'policy.cooperation_override.granted', ...ruled, details: { sequence: 4, areas: ['escalation'] } },
      { entryId: ended!.eventId, decision: 'mission.cancelled', ...ruled, details: { sequence: 5, areas: [] } },
    ])
  })

  it('A-105: is for the Group Authority, and for another service that policy names', () => {
    const group = cancelled()
    const createdBy = { type: 'service', id: registry.id } as const
    expect(group.code(registry, GROUP_ARCHIVE, archive(group, { createdBy }))).toBe('AUTH_FORBIDDEN')
    group.policy = { ...group.policy, version: 1, services: [{ principalId: registry.id, kinds: [GROUP_ARCHIVE] }] }
    expect(group.code(registry, GROUP_ARCHIVE, archive(group))).toBe('AUTH_FORBIDDEN')
    expect(group.accept(registry, GROUP_ARCHIVE, archive(group, { createdBy }))).toHaveLength(2)
  })

  it.each([['owner', ada], ['Coordinator', cora], ['worker', wim]])('A-127: is not for the %s', (_, member) => {
    const group = cancelled()
    expect(group.code(member, GROUP_ARCHIVE, archive(group))).toBe('AUTH_FORBIDDEN')
  })

  it('A-125: an active Mission keeps its log open', () => {
    const group = new GroupFixture().found()
    expect(group.code(groupAuthority, GROUP_ARCHIVE, archive(group, { policyLog: [{ entryId: urnOf('none'), decision: 'none', actor: ada, occurredAt: group.now, details: {} }] }))).toBe('INVALID_STATE_TRANSITION')
  })

  it('A-223: refuses a snapshot that ends before the log does', () => {
    const group = cancelled()
    const expected = { code: 'REVISION_CONFLICT', expectedRevision: 3, currentRevision: 4 }
    expect(group.refusal(groupAuthority, GROUP_ARCHIVE, archive(group, { throughSequence: 3 }))).toMatchObject(expected)
    expect(group.code(groupAuthority, GROUP_ARCHIVE, archive(group), { expectedRevision: 3 })).toBe('REVISION_CONFLICT')
  })

  it.each<[string, (group: GroupFixture) => Partial<GroupSnapshot>]>([
    ['another Group', () => ({ groupId: organizationId })],
    ['another state (O-6)', () => ({ stateHash: hashOf('another') })],
    ['Events in another order', ({ state }) => ({ eventIds: [...state.eventIds].reverse() })],
    ['fewer Events', ({ state }) => ({ eventIds: state.eventIds.slice(1) })],
    ['a ruling that there was not', ({ state }) => ({ policyLog: [...state.policyLog, { ...state.policyLog[0]!, entryId: urnOf('none') }] })],
    ['an id that is in use', ({ state }) => ({ snapshotId: state.mission.missionId })],
    ['a time before the last Event', () => ({ createdAt: '2026-11-29T11:59:59.999Z' })],
    ['a time after the Command', () => ({ createdAt: '2026-11-29T12:00:00.001Z' })],
  ])('A-127: refuses a snapshot of %s', (_, changes) => {
    const group = cancelled()
    expect(group.code(groupAuthority, GROUP_ARCHIVE, archive(group, changes(group)))).toBe('INVALID_COMMAND')
  })

  it('A-235: nothing leaves the online log that the snapshot does not cover', () => {
    const group = cancelled()
    expect(group.code(groupAuthority, GROUP_ARCHIVE, { ...archive(group), firstOnlineSequence: 6 })).toBe('INVALID_COMMAND')
  })
})

describe('A-125: an archived Group', () => {
  it('accepts nothing more, neither what a finished Mission allows nor a second archive', () => {
    const group = new GroupFixture().found()
    group.accept(ada, 'message.post', { messageId: urnOf('said'), content: [{ type: 'text', text: 'A password.' }] })
    group.accept(ada, 'mission.cancel', { reason: 'Overtaken by events.' })
    const redaction = [ada, 'message.redact', { amendmentId: urnOf('hidden'), messageId: urnOf('said'), reason: 'It is secret.' }] as const
    expect(group.judge(group.command(...redaction)).ok).toBe(true)
    group.accept(groupAuthority, GROUP_ARCHIVE, archive(group))
    expect(group.code(...redaction)).toBe('INVALID_STATE_TRANSITION')
    expect(group.code(groupAuthority, GROUP_ARCHIVE, archive(group, { snapshotId: urnOf('second') }))).toBe('INVALID_STATE_TRANSITION')
    expect(group.pass(1_000_000).due()).toEqual([])
    expect(group.code(ben, 'message.post', { messageId: urnOf('later'), content: [{ type: 'text', text: 'Hello' }] })).toBe('GROUP_NOT_FOUND')
  })
})
