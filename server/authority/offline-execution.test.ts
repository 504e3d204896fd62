import { describe, expect, it } from 'vitest'
import type { BoundedOfflineExecution } from '../../protocol/generated/types.ts'
import { OFFLINE_EXECUTION, offlineExecution } from '../../protocol/offline-execution.ts'
import { cora, urnOf, wanda, wim } from '../testing/cast.ts'
import { progress } from '../testing/documents.ts'
import { GroupFixture, replay } from '../testing/group-fixture.ts'
import { advance, citing, offerPayload, offerTo, reach, recordOf, workId } from '../testing/work-scenario.ts'
import { addSeconds } from '../../protocol/timestamp.ts'
import { encodeState } from './encode-state.ts'

const NOTHING_USED = { financial: 0, modelTokens: 0, toolCalls: 0, computeSeconds: 0, wallClockSeconds: 0, externalSideEffects: 0 }

interface Offline {
  readonly group: GroupFixture
  readonly binding: BoundedOfflineExecution
}

/** Wim loses the connection after 10 s, buffers progress at 20 s and is back in a new session at 60 s. */
function offline(changes: Partial<BoundedOfflineExecution> = {}): Offline {
  const group = new GroupFixture().found()
  reach(group, 'a', 'active')
  const { ownershipEpoch, executionLeaseId } = citing(group, 'a')
  const start = group.now
  group.pass(60).replaceSession(wim)
  const binding = {
    agentId: wim.id,
    groupId: group.state.groupId,
    workItemId: workId('a'),
    sessionEpoch: 1,
    ownershipEpoch,
    executionLeaseId,
    disconnectedAt: addSeconds(start, 10),
    bufferedAt: addSeconds(start, 20),
    graceDeadline: addSeconds(start, 120),
    executionLeaseExpiresAt: addSeconds(start, 300),
    resourceUsageDelta: { ...NOTHING_USED, modelTokens: 40 },
    ...changes,
  }
  return { group, binding }
}

const restart = (group: GroupFixture) => group.accept(wim, 'work.start', { workItemId: workId('a'), ownershipEpoch: 1 })
const checkpointing = (group: GroupFixture) => ({ ...citing(group, 'a'), progress: progress() })
const saying = { messageId: urnOf('from offline'), content: [{ type: 'text' as const, text: 'Half of it is done.' }] }
const carrying = (binding: BoundedOfflineExecution) => ({ workItemId: workId('a'), extensions: offlineExecution(binding) })
const used = (group: GroupFixture) => group.state.ledgers.get(workId('a'))?.used.modelTokens
const missionUsed = (group: GroupFixture) => group.state.ledgers.get(group.state.mission.missionId)?.used.modelTokens

describe('usage from offline that leaves nothing', () => {
  const used = (modelTokens: number) => ({ resourceUsageDelta: { ...NOTHING_USED, modelTokens } })
  const PAUSE = 'ext.countersign.work.preemption_requested'

  it('A-16, A-197: asks for a pause of what runs again by now, because of the charge and not of the words, and a checkpoint is one', () => {
    const { group, binding } = offline(used(100))
    restart(group)
    const { revision } = recordOf(group, 'a').item
    const events = group.accept(wim, 'message.post', saying, carrying(binding))
    expect(events.map(({ kind }) => kind)).toEqual(['ext.missionweaveprotocol.core.resource_usage_recorded', 'message.posted', PAUSE])
    expect(events.at(-1)).toMatchObject({ cause: { type: 'event', id: events[0]?.eventId }, aggregateRevision: revision + 1, payload: { escalation: { dimension: 'modelTokens', to: cora } } })
    const other = offline(used(100))
    restart(other.group)
    expect(other.group.accept(wim, 'work.checkpoint', checkpointing(other.group), { extensions: offlineExecution(other.binding) }).map(({ kind }) => kind)).not.toContain(PAUSE)
  })
})

describe('progress from offline', () => {
  it('A-192: is charged first and told then, as one decision that names both sessions', () => {
    const { group, binding } = offline()
    const revision = recordOf(group, 'a').item.revision
    const [charge, posted, ...more] = group.accept(wim, 'message.post', saying, carrying(binding))
    expect(more).toEqual([])
    expect(charge).toMatchObject({
      kind: 'ext.missionweaveprotocol.core.resource_usage_recorded',
      cause: { type: 'event', id: posted?.eventId },
      aggregateRevision: revision,
      payload: {
        executionLeaseId: binding.executionLeaseId,
        cumulativeUsage: { modelTokens: 40 },
        offlineReconciliation: { disconnectedAt: binding.disconnectedAt, executionSessionEpoch: 1, reconciliationSessionEpoch: 2, reconciledAt: group.now },
      },
    })
    expect(posted).toMatchObject({ kind: 'message.posted', cause: { type: 'command' }, workItemId: workId('a'), aggregateRevision: posted?.sequence })
    expect([used(group), missionUsed(group)]).toEqual([40, 40])
    expect(encodeState(replay(group.log))).toEqual(encodeState(group.state))
  })

  it('A-190: comes with a checkpoint under the new lease, bound to the old one', () => {
    const { group, binding } = offline()
    restart(group)
    const [charge, checkpointed] = group.accept(wim, 'work.checkpoint', checkpointing(group), carrying(binding))
    expect([charge?.payload.executionLeaseId, checkpointed?.kind]).toEqual([binding.executionLeaseId, 'work.checkpointed'])
    expect(recordOf(group, 'a').item.state).toBe('queued')
  })

  it('A-192: without usage there is no charge', () => {
    const { group, binding } = offline({ resourceUsageDelta: NOTHING_USED })
    expect(group.accept(wim, 'message.post', saying, carrying(binding)).map(({ kind }) => kind)).toEqual(['message.posted'])
  })

  it('A-192: overflow refuses charge and Command together', () => {
    const { group, binding } = offline({ resourceUsageDelta: { ...NOTHING_USED, modelTokens: 101 } })
    restart(group)
    expect(group.code(wim, 'message.post', saying, carrying(binding))).toBe('BUDGET_EXCEEDED')
    expect(group.code(wim, 'work.checkpoint', checkpointing(group), carrying(binding))).toBe('BUDGET_EXCEEDED')
    expect(used(group)).toBe(0)
  })

  it('A-190: several pieces under one lease each come in once', () => {
    const { group, binding } = offline({ resourceUsageDelta: { ...NOTHING_USED, modelTokens: 30 } })
    group.accept(wim, 'message.post', saying, carrying(binding))
    restart(group)
    group.accept(wim, 'work.checkpoint', checkpointing(group), carrying({ ...binding, bufferedAt: addSeconds(binding.bufferedAt, 5) }))
    group.accept(wim, 'message.post', { ...saying, messageId: urnOf('another') }, carrying(binding))
    expect(used(group)).toBe(90)
  })
})

describe('progress from offline is refused', () => {
  it.each<[string, Partial<BoundedOfflineExecution>, string]>([
    ['when it was buffered after the lease had closed', { bufferedAt: '2026-11-29T12:01:01.000Z' }, 'WORK_LEASE_EXPIRED'],
    ['when the lease began after the disconnection', { disconnectedAt: '2026-11-29T11:59:59.000Z' }, 'WORK_LEASE_EXPIRED'],
    ['under a lease that ran until another time', { executionLeaseExpiresAt: '2026-11-29T12:06:00.000Z' }, 'WORK_LEASE_EXPIRED'],
    ['under an unknown lease', { executionLeaseId: urnOf('no lease') }, 'WORK_LEASE_EXPIRED'],
    ['under a lease of another session', { sessionEpoch: 2 }, 'AUTH_STALE_SESSION'],
    ['under another Ownership Epoch', { ownershipEpoch: 2 }, 'WORK_STALE_OWNERSHIP'],
    ['in the name of another Agent', { agentId: wanda.id }, 'AUTH_FORBIDDEN'],
    ['from another Group', { groupId: urnOf('other') }, 'AUTH_FORBIDDEN'],
    ['about unknown work', { workItemId: urnOf('unknown') }, 'INVALID_COMMAND'],
    ['after the grace', { graceDeadline: '2026-11-29T12:00:20.000Z' }, 'INVALID_COMMAND'],
    ['with a grace beyond the lease', { graceDeadline: '2026-11-29T12:05:01.000Z' }, 'INVALID_COMMAND'],
    ['when it was buffered before the disconnection', { bufferedAt: '2026-11-29T12:00:09.000Z' }, 'INVALID_COMMAND'],
    ['when it was buffered after the Command was issued', { bufferedAt: '2026-11-29T12:01:30.000Z' }, 'INVALID_COMMAND'],
    ['with an outwardly visible act', { resourceUsageDelta: { ...NOTHING_USED, externalSideEffects: 1 } }, 'INVALID_COMMAND'],
    ['with money of no currency', { resourceUsageDelta: { ...NOTHING_USED, financial: 1 } }, 'INVALID_COMMAND'],
    ['with money of another currency', { resourceUsageDelta: { ...NOTHING_USED, financial: 1, currency: 'USD' } }, 'BUDGET_EXCEEDED'],
  ])('A-191: %s', (_, changes, code) => {
    const { group, binding } = offline(changes)
    expect(group.pass(10).code(wim, 'message.post', saying, carrying(binding))).toBe(code)
  })

  it('A-191: once the owner has changed', () => {
    const { group, binding } = offline()
    group.pass(3600).accept(cora, 'work.offer', offerPayload('a', [wanda]))
    group.accept(wanda, 'work.accept_offer', { workItemId: workId('a'), offerId: offerTo(group, 'a', wanda) })
    expect(group.code(wim, 'message.post', saying, carrying(binding))).toBe('WORK_STALE_OWNERSHIP')
  })

  it('A-191: in any other Conversation', () => {
    const { group, binding } = offline()
    expect(group.code(wim, 'message.post', saying, { extensions: offlineExecution(binding) })).toBe('AUTH_FORBIDDEN')
  })

  it('A-191: in another Conversation about the same work', () => {
    const { group, binding } = offline()
    const conversationId = urnOf('review')
    group.accept(cora, 'ext.countersign.conversation.open', { conversationId, type: 'review', title: 'The review', participants: [wim], workItemId: workId('a') })
    expect(group.code(wim, 'message.post', saying, { ...carrying(binding), conversationId })).toBe('AUTH_FORBIDDEN')
  })

  it('A-191: with the checkpoint of other work', () => {
    const { group, binding } = offline()
    reach(group, 'b', 'active')
    expect(group.code(wim, 'work.checkpoint', { ...citing(group, 'b'), progress: progress() }, { extensions: offlineExecution(binding) })).toBe('AUTH_FORBIDDEN')
  })

  it('A-191: once the work has been submitted', () => {
    const { group, binding } = offline()
    advance(group, 'a', 'active', 'submitted')
    expect(group.code(wim, 'message.post', saying, carrying(binding))).toBe('INVALID_STATE_TRANSITION')
  })

  it('A-178: once the ownership lease has run out', () => {
    const { group, binding } = offline()
    group.pass(3600)
    expect(group.code(wim, 'message.post', saying, carrying(binding))).toBe('WORK_LEASE_EXPIRED')
  })

  it('A-190: with anything but a Message or a checkpoint', () => {
    const { group, binding } = offline()
    expect(group.code(wim, 'work.start', { workItemId: workId('a'), ownershipEpoch: 1 }, carrying(binding))).toBe('INVALID_COMMAND')
  })

  it('A-190: unless the extension is critical, of this version and complete', () => {
    const { group, binding } = offline()
    const entry = { version: '0.1.0', critical: true, data: { ...binding } }
    const { bufferedAt: _bufferedAt, ...incomplete } = binding
    for (const wrong of [{ ...entry, critical: false }, { ...entry, version: '0.2.0' }, { ...entry, data: incomplete }]) {
      expect(group.code(wim, 'message.post', saying, { workItemId: workId('a'), extensions: { [OFFLINE_EXECUTION]: wrong } })).toBe('INVALID_COMMAND')
    }
  })
})
