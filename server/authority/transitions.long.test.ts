// Every state against every Command: what the tables of the protocol allow, and the code for everything else.
import { describe, expect, it } from 'vitest'
import type { Actor, CommandPayloads, MissionState, WorkItemState } from '../../protocol/generated/types.ts'
import { ada, ben, cora, hashOf, urnOf, wanda, wim } from '../testing/cast.ts'
import { artifactOf, evidenceOf, missionPayload, progress, workContract } from '../testing/documents.ts'
import { GroupFixture, replay } from '../testing/group-fixture.ts'
import type { Stage } from '../testing/work-scenario.ts'
import { approve, artifactName, block, citing, fail, offerPayload, place, publishedBy, reach, recordOf, requestChanges, submitMission, workId } from '../testing/work-scenario.ts'
import { encodeState } from './encode-state.ts'

type Kind = keyof CommandPayloads
type Send = (group: GroupFixture) => readonly [actor: Actor, kind: Kind, payload: object]
/** The state that follows, or the code of the refusal. */
type Outcome = WorkItemState | MissionState | Uppercase<string>

const MOVED = 'INVALID_STATE_TRANSITION'
const LAPSED = 'WORK_LEASE_EXPIRED'
const STALE = 'WORK_STALE_OWNERSHIP'

/** The Command is accepted with this outcome, or refused with this code and without a trace. */
function check(group: GroupFixture, send: Send, outcome: Outcome, stateAfter: () => string): void {
  const [actor, kind, payload] = send(group)
  const decision = group.judge(group.command(actor, kind, payload as CommandPayloads[Kind]))
  if (!decision.ok) {
    expect(decision.error.code).toBe(outcome)
    return
  }
  group.append(decision.value)
  expect(stateAfter()).toBe(outcome)
  expect(encodeState(replay(group.log))).toEqual(encodeState(group.state))
}

const workStates = ['open', 'offered', 'queued', 'active', 'blocked', 'submitted', 'verified', 'failed', 'cancelled'] as const

/** A WorkItem of the state; a failed or cancelled one had been executing before. */
function workIn(state: (typeof workStates)[number]): GroupFixture {
  const group = new GroupFixture().found()
  const stage: Stage = state === 'failed' || state === 'cancelled' ? 'published' : state === 'active' || state === 'blocked' ? 'published' : state
  reach(group, 'a', stage)
  if (state === 'blocked') block(group, 'a')
  if (state === 'failed') fail(group, 'a')
  if (state === 'cancelled') group.accept(cora, 'work.cancel', { workItemId: workId('a'), reason: 'No.' })
  expect(recordOf(group, 'a').item.state).toBe(state)
  return group
}

/** What Wim, who owns or owned it at Ownership Epoch 1, cites. */
const asOwner = (group: GroupFixture) => ({ ...citing(group, 'a'), ownershipEpoch: 1 })
const offerIdOf = (group: GroupFixture) => recordOf(group, 'a').item.offers?.[0]?.offerId ?? urnOf('no offer')

const workCommands: readonly (readonly [name: string, send: Send, outcomes: Readonly<Record<(typeof workStates)[number], Outcome>>])[] = [
  [
    'work.offer',
    () => [cora, 'work.offer', offerPayload('a', [wanda])],
    { open: 'offered', offered: 'offered', queued: MOVED, active: MOVED, blocked: MOVED, submitted: MOVED, verified: MOVED, failed: 'offered', cancelled: MOVED },
  ],
  [
    'work.offer, once ownership has lapsed',
    (group) => [cora, 'work.offer', (group.pass(3600), offerPayload('a', [wanda]))],
    { open: 'offered', offered: 'offered', queued: 'offered', active: 'offered', blocked: 'offered', submitted: MOVED, verified: MOVED, failed: 'offered', cancelled: MOVED },
  ],
  [
    'work.accept_offer',
    (group) => [wim, 'work.accept_offer', { workItemId: workId('a'), offerId: offerIdOf(group) }],
    { open: 'WORK_OFFER_EXPIRED', offered: 'queued', queued: MOVED, active: MOVED, blocked: MOVED, submitted: MOVED, verified: MOVED, failed: MOVED, cancelled: MOVED },
  ],
  [
    'work.start',
    () => [wim, 'work.start', { workItemId: workId('a'), ownershipEpoch: 1 }],
    { open: STALE, offered: STALE, queued: 'active', active: MOVED, blocked: MOVED, submitted: MOVED, verified: LAPSED, failed: LAPSED, cancelled: STALE },
  ],
  [
    'work.checkpoint',
    (group) => [wim, 'work.checkpoint', { ...asOwner(group), progress: progress() }],
    { open: STALE, offered: STALE, queued: LAPSED, active: 'queued', blocked: LAPSED, submitted: LAPSED, verified: LAPSED, failed: LAPSED, cancelled: STALE },
  ],
  [
    'lease renewal',
    (group) => [wim, 'ext.missionweaveprotocol.core.work_execution_lease_renew', asOwner(group)],
    { open: STALE, offered: STALE, queued: LAPSED, active: 'active', blocked: LAPSED, submitted: LAPSED, verified: LAPSED, failed: LAPSED, cancelled: STALE },
  ],
  [
    'usage',
    (group) => [wim, 'ext.missionweaveprotocol.core.resource_usage_record', { ...asOwner(group), usageDelta: { modelTokens: 1 } }],
    { open: STALE, offered: STALE, queued: LAPSED, active: 'active', blocked: LAPSED, submitted: LAPSED, verified: LAPSED, failed: LAPSED, cancelled: STALE },
  ],
  [
    'artifact.publish',
    (group) => {
      const { workItemId: _workItemId, ...leases } = asOwner(group)
      return [wim, 'artifact.publish', { ...leases, artifact: artifactOf(place(group, 'a'), 'second') }]
    },
    { open: STALE, offered: STALE, queued: LAPSED, active: 'active', blocked: LAPSED, submitted: LAPSED, verified: LAPSED, failed: LAPSED, cancelled: STALE },
  ],
  [
    'work.submit',
    (group) => {
      const artifactHashes = [...publishedBy(group, 'a'), hashOf(artifactName('a'))].slice(0, 1)
      return [wim, 'work.submit', { ...asOwner(group), artifactHashes, evidence: [evidenceOf(place(group, 'a'), wim)] }]
    },
    { open: STALE, offered: STALE, queued: LAPSED, active: 'submitted', blocked: LAPSED, submitted: LAPSED, verified: LAPSED, failed: LAPSED, cancelled: STALE },
  ],
  [
    'work.accept_result',
    (group) => [cora, 'work.accept_result', { workItemId: workId('a'), evidence: [evidenceOf(place(group, 'a'), cora)] }],
    { open: MOVED, offered: MOVED, queued: MOVED, active: MOVED, blocked: MOVED, submitted: 'verified', verified: MOVED, failed: MOVED, cancelled: MOVED },
  ],
  [
    'work.fail by the Coordinator',
    (group) => [cora, 'work.fail', { workItemId: workId('a'), reason: 'No.', evidence: [evidenceOf(place(group, 'a'), cora)] }],
    { open: 'failed', offered: 'failed', queued: 'failed', active: 'failed', blocked: 'failed', submitted: 'failed', verified: MOVED, failed: MOVED, cancelled: MOVED },
  ],
  [
    'work.fail by the owner',
    (group) => [wim, 'work.fail', { ...asOwner(group), reason: 'No.', evidence: [evidenceOf(place(group, 'a'), wim)] }],
    { open: STALE, offered: STALE, queued: LAPSED, active: 'failed', blocked: LAPSED, submitted: LAPSED, verified: LAPSED, failed: LAPSED, cancelled: STALE },
  ],
  [
    'work.cancel',
    () => [ada, 'work.cancel', { workItemId: workId('a'), reason: 'No.' }],
    { open: 'cancelled', offered: 'cancelled', queued: 'cancelled', active: 'cancelled', blocked: 'cancelled', submitted: 'cancelled', verified: MOVED, failed: MOVED, cancelled: MOVED },
  ],
  [
    'work.block',
    (group) => [wim, 'work.block', { ...asOwner(group), progress: progress(), reason: 'Stuck.', unblockCondition: 'Help.' }],
    { open: STALE, offered: STALE, queued: LAPSED, active: 'blocked', blocked: LAPSED, submitted: LAPSED, verified: LAPSED, failed: LAPSED, cancelled: STALE },
  ],
  [
    'work.unblock',
    () => [cora, 'work.unblock', { workItemId: workId('a'), resolution: 'Helped.' }],
    { open: MOVED, offered: MOVED, queued: MOVED, active: MOVED, blocked: 'queued', submitted: MOVED, verified: MOVED, failed: MOVED, cancelled: MOVED },
  ],
  [
    'work.unblock, once ownership has lapsed',
    (group) => [cora, 'work.unblock', (group.pass(3600), { workItemId: workId('a'), resolution: 'Helped.' })],
    { open: MOVED, offered: MOVED, queued: MOVED, active: MOVED, blocked: 'open', submitted: MOVED, verified: MOVED, failed: MOVED, cancelled: MOVED },
  ],
  [
    'an added dependency',
    (group) => [cora, 'ext.missionweaveprotocol.core.work_dependency_add', (reach(group, 'b', 'open'), { workItemId: workId('a'), dependencyId: workId('b') })],
    { open: 'open', offered: 'offered', queued: 'open', active: MOVED, blocked: 'open', submitted: MOVED, verified: MOVED, failed: MOVED, cancelled: MOVED },
  ],
  [
    'a declined offer',
    (group) => [wim, 'ext.countersign.work.offer_decline', { workItemId: workId('a'), offerId: offerIdOf(group), reason: 'capacity' }],
    { open: 'WORK_OFFER_EXPIRED', offered: 'offered', queued: MOVED, active: MOVED, blocked: MOVED, submitted: MOVED, verified: MOVED, failed: MOVED, cancelled: MOVED },
  ],
  [
    'a request to pause',
    () => [cora, 'ext.countersign.work.preemption_request', { workItemId: workId('a'), reason: 'Urgent.', urgency: 'high' }],
    { open: MOVED, offered: MOVED, queued: MOVED, active: 'active', blocked: MOVED, submitted: MOVED, verified: MOVED, failed: MOVED, cancelled: MOVED },
  ],
  [
    'work.authorize with the same id',
    () => [cora, 'work.authorize', { workItemId: workId('a'), contract: workContract() }],
    { open: 'INVALID_COMMAND', offered: 'INVALID_COMMAND', queued: 'INVALID_COMMAND', active: 'INVALID_COMMAND', blocked: 'INVALID_COMMAND', submitted: 'INVALID_COMMAND', verified: 'INVALID_COMMAND', failed: 'INVALID_COMMAND', cancelled: 'INVALID_COMMAND' },
  ],
]

describe.each(workCommands)('%s', (_, send, outcomes) => {
  it.each(workStates)('on %s work (A-166, A-283)', (state) => {
    const group = workIn(state)
    check(group, send, outcomes[state], () => recordOf(group, 'a').item.state)
  })
})

const missionStates = ['active', 'awaiting_approval', 'approved', 'cancelled', 'failed'] as const

/** A Mission of the state with one verified WorkItem. */
function missionIn(state: (typeof missionStates)[number]): GroupFixture {
  const group = new GroupFixture().found()
  reach(group, 'a', 'verified')
  if (state === 'awaiting_approval' || state === 'approved') submitMission(group, 'a')
  if (state === 'approved') group.accept(ada, 'mission.approve', approve(group))
  if (state === 'cancelled') group.accept(ada, 'mission.cancel', { reason: 'Enough.' })
  if (state === 'failed') group.accept(cora, 'mission.terminate', { reason: 'It cannot be done.' })
  expect(group.state.mission.state).toBe(state)
  return group
}

const submission = { artifactHashes: [hashOf(artifactName('a'))], summary: 'Done.', openRisks: [], dropped: [] }

const missionCommands: readonly (readonly [name: string, send: Send, outcomes: Readonly<Record<(typeof missionStates)[number], Outcome>>])[] = [
  ['mission.submit_for_approval', () => [cora, 'mission.submit_for_approval', submission], { active: 'awaiting_approval', awaiting_approval: MOVED, approved: MOVED, cancelled: MOVED, failed: MOVED }],
  ['mission.approve', (group) => [ada, 'mission.approve', approve(group, { approvalId: urnOf('x') })], { active: MOVED, awaiting_approval: 'approved', approved: MOVED, cancelled: MOVED, failed: MOVED }],
  ['mission.request_changes', (group) => [ada, 'mission.request_changes', requestChanges(group, { approvalId: urnOf('x') })], { active: MOVED, awaiting_approval: 'active', approved: MOVED, cancelled: MOVED, failed: MOVED }],
  ['mission.cancel', () => [ada, 'mission.cancel', { reason: 'No.' }], { active: 'cancelled', awaiting_approval: 'cancelled', approved: MOVED, cancelled: MOVED, failed: MOVED }],
  ['mission.terminate', () => [cora, 'mission.terminate', { reason: 'No.' }], { active: 'failed', awaiting_approval: 'failed', approved: MOVED, cancelled: MOVED, failed: MOVED }],
  ['mission.assign_coordinator', () => [ada, 'mission.assign_coordinator', { coordinatorAgentId: wanda.id, reason: 'No answer.' }], { active: 'active', awaiting_approval: 'awaiting_approval', approved: MOVED, cancelled: MOVED, failed: MOVED }],
  ['mission.renew_coordinator', () => [cora, 'mission.renew_coordinator', {}], { active: 'active', awaiting_approval: 'awaiting_approval', approved: MOVED, cancelled: MOVED, failed: MOVED }],
  ['membership.change', () => [ada, 'membership.change', { member: ben, role: 'observer' }], { active: 'active', awaiting_approval: 'awaiting_approval', approved: MOVED, cancelled: MOVED, failed: MOVED }],
  ['membership.end', () => [ada, 'membership.end', { member: wim, reason: 'No.' }], { active: 'active', awaiting_approval: 'awaiting_approval', approved: MOVED, cancelled: MOVED, failed: MOVED }],
  ['message.post', () => [wim, 'message.post', { messageId: urnOf('m'), content: [{ type: 'text', text: 'x' }] }], { active: 'active', awaiting_approval: 'awaiting_approval', approved: MOVED, cancelled: MOVED, failed: MOVED }],
  ['work.propose', () => [wim, 'work.propose', { proposalId: urnOf('p'), contract: workContract() }], { active: 'active', awaiting_approval: MOVED, approved: MOVED, cancelled: MOVED, failed: MOVED }],
  ['work.authorize', () => [cora, 'work.authorize', { workItemId: workId('b'), contract: workContract() }], { active: 'active', awaiting_approval: MOVED, approved: MOVED, cancelled: MOVED, failed: MOVED }],
  [
    'mission.create',
    (group) => [ada, 'mission.create', missionPayload('one', { groupId: group.state.groupId })],
    { active: 'INVALID_COMMAND', awaiting_approval: 'INVALID_COMMAND', approved: 'INVALID_COMMAND', cancelled: 'INVALID_COMMAND', failed: 'INVALID_COMMAND' },
  ],
  [
    'mission.create_follow_up',
    (group) => [ada, 'mission.create_follow_up', { ...missionPayload('one', { groupId: group.state.groupId }), followUpOfMissionId: group.state.mission.missionId }],
    { active: 'INVALID_COMMAND', awaiting_approval: 'INVALID_COMMAND', approved: 'INVALID_COMMAND', cancelled: 'INVALID_COMMAND', failed: 'INVALID_COMMAND' },
  ],
]

describe.each(missionCommands)('%s', (_, send, outcomes) => {
  it.each(missionStates)('while the Mission is %s (A-166, A-283)', (state) => {
    const group = missionIn(state)
    check(group, send, outcomes[state], () => group.state.mission.state)
  })
})
