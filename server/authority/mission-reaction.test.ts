import { describe, expect, it } from 'vitest'
import type { Approval } from '../../protocol/generated/types.ts'
import { MISSION_CHILD_ENDED, MISSION_OWNER_MOVED, MISSION_ROOT_DECIDE } from '../../protocol/kinds.ts'
import { ada, agentCard, cora, dora, hashOf, otto, urnOf, wanda, wim } from '../testing/cast.ts'
import { approvalOf, evidenceOf } from '../testing/documents.ts'
import { saw } from '../testing/evidence.ts'
import { GroupFixture, replay } from '../testing/group-fixture.ts'
import { type childPayload, MissionTree } from '../testing/mission-tree.ts'
import { advance, approve, artifactName, citing, fail, offerPayload, place, reach, recordOf, requestChanges, submitMission, workId } from '../testing/work-scenario.ts'
import { encodeState } from './encode-state.ts'
import { evolve } from './evolve.ts'

type Policy = NonNullable<Parameters<typeof childPayload>[2]>['failurePolicy']

/** A root Mission whose work `report` a child Mission does, by way of its own work `part`. */
function family(changes: Parameters<typeof childPayload>[2] = {}) {
  const root = new GroupFixture('root').found()
  reach(root, 'report', 'open')
  const tree = new MissionTree(root)
  const child = tree.child(root, 'two', 'report', { changes })
  return { tree, root, child }
}

const part = { contract: { deadline: '2026-12-18T18:00:00Z', budget: { currency: 'EUR', financialLimit: 5, modelTokenLimit: 50 } }, worker: wanda }

function submitted(changes: Parameters<typeof childPayload>[2] = {}) {
  const all = family(changes)
  reach(all.child, 'part', 'active', part)
  all.child.accept(wanda, 'ext.missionweaveprotocol.core.resource_usage_record', { ...citing(all.child, 'part'), usageDelta: { modelTokens: 30 } })
  advance(all.child, 'part', 'published', 'verified', part)
  submitMission(all.child, 'part')
  return all
}

const kinds = (events: readonly { kind: string }[]) => events.map(({ kind }) => kind)
const ENDED = 'ext.countersign.mission.child_ended'

describe('an approved child Mission', () => {
  it('A-162, A-207: verifies the work above with the Approval as its Evidence', () => {
    const { tree, root, child } = submitted()
    const [approved] = child.accept(cora, 'mission.approve', approve(child))
    const events = tree.settle()
    expect(kinds(events)).toEqual([ENDED, 'work.result.accepted'])
    expect(events[0]).toMatchObject({ cause: { type: 'event', id: approved!.eventId }, correlationId: approved!.correlationId, actor: { type: 'service' } })
    const { approval } = approved!.payload as { approval: { approvalId: string } }
    const { item, child: link } = recordOf(root, 'report')
    expect(item).toMatchObject({ state: 'verified', owner: { agentId: cora.id }, submission: { artifactHashes: [hashOf(artifactName('part'))], evidenceIds: [approval.approvalId] } })
    expect(link?.state).toBe('approved')
  })

  it('A-200, A-202: hands them over as its own, although it calls its work like work above', () => {
    const { tree, root, child } = family()
    reach(root, 'same', 'active')
    reach(child, 'same', 'verified', part)
    submitMission(child, 'same')
    child.accept(cora, 'mission.approve', approve(child))
    tree.settle()
    const artifactHashes = [hashOf(artifactName('same'))]
    expect(root.state.artifacts.has(artifactHashes[0]!)).toBe(true)
    expect(root.code(wim, 'work.submit', { ...citing(root, 'same'), artifactHashes, evidence: [evidenceOf(place(root, 'same'), wim, { artifactHashes })] })).toBe('INVALID_COMMAND')
  })

  it('A-207: hands its artifacts to the Mission above, which submits them', () => {
    const { tree, root, child } = submitted()
    child.accept(cora, 'mission.approve', approve(child))
    tree.settle()
    expect(root.state.artifacts.get(hashOf(artifactName('part')))).toMatchObject([{ missionId: urnOf('mission two') }])
    expect(kinds(submitMission(root, 'part'))).toEqual(['mission.submitted_for_approval'])
  })

  it('A-207: hands on the first of two artifacts that Missions below published under one id', () => {
    const { tree, root, child } = submitted()
    const [hash, artifacts] = [...child.state.artifacts][0]!
    child.state.artifacts.set(hash, [...artifacts, { ...artifacts[0]!, missionId: urnOf('mission three') }])
    child.accept(cora, 'mission.approve', approve(child))
    tree.settle()
    expect(root.state.artifacts.get(hash)).toMatchObject([{ missionId: urnOf('mission two') }])
  })

  it('A-206: charges what it used above and gives the rest back', () => {
    const { tree, root, child } = submitted()
    child.accept(cora, 'mission.approve', approve(child))
    tree.settle()
    const account = (id: string) => root.state.ledgers.get(id)
    for (const id of [urnOf('mission two'), workId('report'), urnOf('mission root')]) expect(account(id)).toMatchObject({ used: { modelTokens: 30, financial: 0 }, held: { modelTokens: 0, financial: 0 } })
    expect(account(workId('report'))).toMatchObject({ isSettled: true, reserved: { modelTokens: 30, financial: 0 } })
    expect(account(urnOf('mission root'))).toMatchObject({ allocated: { modelTokens: 30 } })
  })

  it('records its end once, however often it is told', () => {
    const { tree, root, child } = submitted()
    child.accept(cora, 'mission.approve', approve(child))
    tree.settle()
    expect(root.react(child.reactions[0]!)).toEqual([])
  })

  it('A-207: is approved by the Parent Coordinator alone, with an Approval of the child’s kind', () => {
    const { child } = submitted()
    expect(child.code(wim, 'mission.approve', approve(child))).toBe('AUTH_FORBIDDEN')
    expect(child.code(ada, 'mission.approve', approve(child, { approver: ada }))).toBe('AUTH_FORBIDDEN')
    expect(child.code(cora, 'mission.approve', approve(child, { kind: 'work_execution', workItemId: workId('part') }))).toBe('INVALID_COMMAND')
  })

  it('A-207: needs the root human’s Approval as well where its policy says so', () => {
    const policy = { approvalPolicy: { finalHumanApproval: true, highRiskExecutionApproval: true, policyVersion: '1.0.0' } }
    const { tree, root, child } = submitted(policy)
    const second = (changes: Parameters<typeof approvalOf>[3] = {}) => approvalOf(child.state, 'approved', child.now, { approvalId: urnOf('second'), approver: ada, ...changes })
    expect(child.code(cora, 'mission.approve', approve(child))).toBe('APPROVAL_REQUIRED')
    expect(child.code(cora, 'mission.approve', { ...approve(child), rootApproval: second({ approver: wanda }) })).toBe('INVALID_COMMAND')
    expect(child.code(cora, 'mission.approve', { ...approve(child), rootApproval: second({ decision: 'changes_requested' }) })).toBe('INVALID_COMMAND')
    expect(child.code(cora, 'mission.approve', { ...approve(child), rootApproval: second({ artifactHashes: [hashOf('other')] }) })).toBe('REVISION_CONFLICT')
    child.accept(cora, 'mission.approve', { ...approve(child), rootApproval: second() })
    tree.settle()
    expect(recordOf(root, 'report').item.state).toBe('verified')
  })

  describe('A-207: whose root human decides in the log', () => {
    const policy = { approvalPolicy: { finalHumanApproval: true, highRiskExecutionApproval: true, policyVersion: '1.0.0' } }
    const decision = ({ state, now }: GroupFixture, changes: Partial<Approval> = {}) => ({ approval: approvalOf(state, changes.decision ?? 'approved', now, { approvalId: urnOf(`root ${state.submissions.length}`), approver: ada, ...changes }) })

    it('takes that Approval with the owner’s own, and repeats it in the Event', () => {
      const { tree, root, child } = submitted(policy)
      const [decided] = child.accept(ada, MISSION_ROOT_DECIDE, decision(child))
      expect(child.code(ada, MISSION_ROOT_DECIDE, decision(child, { approvalId: urnOf('again') }))).toBe('INVALID_STATE_TRANSITION')
      expect(child.code(cora, 'mission.approve', { ...approve(child), rootApproval: decision(child, { approvalId: urnOf('other') }).approval })).toBe('INVALID_COMMAND')
      const [approved] = child.accept(cora, 'mission.approve', approve(child))
      expect(approved?.payload['rootApproval']).toEqual(decided?.payload['approval'])
      tree.settle()
      expect(recordOf(root, 'report').item.state).toBe('verified')
    })

    it('cannot be approved once that human asked for changes, until there is another submission', () => {
      const { child } = submitted(policy)
      child.accept(ada, MISSION_ROOT_DECIDE, decision(child, { decision: 'changes_requested', comments: 'Add the licence.' }))
      expect(child.code(cora, 'mission.approve', approve(child))).toBe('APPROVAL_REQUIRED')
      child.accept(cora, 'mission.request_changes', { approval: approvalOf(child.state, 'changes_requested', child.now) })
      submitMission(child, 'part')
      child.accept(ada, MISSION_ROOT_DECIDE, decision(child))
      expect(kinds(child.accept(cora, 'mission.approve', approve(child)))).toEqual(['mission.approved'])
    })

    it.each<[string, GroupFixture['state']['mission']['missionOwner'], Partial<Approval>, string]>([
      ['the owner of the child Mission itself', cora, { approver: cora }, 'AUTH_FORBIDDEN'],
      ['a worker', wanda, { approver: wanda }, 'AUTH_FORBIDDEN'],
      ['the root human in somebody else’s name', ada, { approver: cora }, 'INVALID_COMMAND'],
      ['the root human about a root Mission', ada, { kind: 'mission_final' }, 'INVALID_COMMAND'],
      ['the root human denying it', ada, { decision: 'denied' }, 'INVALID_COMMAND'],
      ['the root human about other artifacts', ada, { artifactHashes: [hashOf('other')] }, 'REVISION_CONFLICT'],
      ['the root human asking for nothing in particular', ada, { decision: 'changes_requested', comments: ' ' }, 'INVALID_COMMAND'],
    ])('refuses %s', (_, actor, changes, code) => {
      const { child } = submitted(policy)
      expect(child.code(actor, MISSION_ROOT_DECIDE, decision(child, changes))).toBe(code)
    })

    it('asks nobody at the root where the policy does not', () => {
      const { child } = submitted()
      expect(child.code(ada, MISSION_ROOT_DECIDE, decision(child))).toBe('AUTH_FORBIDDEN')
    })
  })

  it('A-112: may be sent back to its Coordinator first', () => {
    const { tree, child } = submitted()
    child.accept(cora, 'mission.request_changes', requestChanges(child))
    expect(child.state.mission).toMatchObject({ state: 'active' })
    expect(tree.settle()).toEqual([])
  })
})

describe('a failed child Mission', () => {
  const failing = (failurePolicy: Policy) => {
    const all = family(failurePolicy && { failurePolicy })
    reach(all.root, 'other', 'open')
    all.child.accept(wim, 'mission.terminate', { reason: 'No licence.' })
    return { ...all, events: all.tree.settle() }
  }

  it('A-163, A-208: leaves the work blocked, with the reason on record, unless its policy says more', () => {
    const { root, events } = failing(undefined)
    expect(kinds(events)).toEqual([ENDED])
    expect(events[0]!.payload).toMatchObject({ outcome: 'failed', reason: 'No licence.' })
    expect(recordOf(root, 'report')).toMatchObject({ item: { state: 'blocked' }, child: { state: 'failed' }, blocker: { reason: 'The child Mission failed: No licence.' } })
    expect(root.state.mission.state).toBe('active')
  })

  it('A-163: fails the work where the policy says so, and nothing else', () => {
    const { root, events } = failing('fail_parent_work_item')
    expect(kinds(events)).toEqual([ENDED, 'work.failed'])
    expect([recordOf(root, 'report').item.state, recordOf(root, 'other').item.state, root.state.mission.state]).toEqual(['failed', 'open', 'active'])
  })

  it('A-208, A-115: fails the Mission above only where the policy calls the child indispensable', () => {
    const { root, events } = failing('fail_parent_mission')
    expect(kinds(events)).toEqual([ENDED, 'work.failed', 'mission.terminated', 'work.failed'])
    expect([recordOf(root, 'report').item.state, recordOf(root, 'other').item.state, root.state.mission.state]).toEqual(['failed', 'failed', 'failed'])
  })

  it('A-208: may be replaced by another child Mission', () => {
    const { tree, root } = failing(undefined)
    const second = tree.child(root, 'three', 'report')
    reach(second, 'part', 'verified', part)
    submitMission(second, 'part')
    second.accept(cora, 'mission.approve', approve(second))
    tree.settle()
    expect(recordOf(root, 'report')).toMatchObject({ item: { state: 'verified' }, child: { missionId: urnOf('mission three'), state: 'approved' } })
  })

  it('A-156, A-149: leaves work that the Coordinator may unblock or offer', () => {
    const unblocked = failing(undefined).root
    unblocked.accept(cora, 'work.unblock', { workItemId: workId('report'), resolution: 'We do it here.' })
    expect(recordOf(unblocked, 'report').item).toMatchObject({ state: 'open' })
    expect(recordOf(unblocked, 'report').item.owner).toBeUndefined()
    const offered = failing(undefined).root
    offered.accept(cora, 'work.offer', offerPayload('report'))
    expect(recordOf(offered, 'report').item.state).toBe('offered')
  })

  it('A-114: that its owner cancels leaves the work blocked whatever the policy', () => {
    const { tree, root, child } = family({ failurePolicy: 'fail_parent_mission' })
    child.accept(cora, 'mission.cancel', { reason: 'Another way is better.' })
    expect(kinds(tree.settle())).toEqual([ENDED])
    expect([recordOf(root, 'report').item.state, recordOf(root, 'report').child?.state, root.state.mission.state]).toEqual(['blocked', 'cancelled', 'active'])
  })
})

describe('the end of the work above', () => {
  it('A-164: cancels the child Mission of cancelled work, which still settles its account', () => {
    const { tree, root, child } = family()
    reach(child, 'part', 'active', part)
    root.accept(ada, 'work.cancel', { workItemId: workId('report'), reason: 'Not needed.' })
    expect(kinds(tree.settle())).toEqual(['mission.cancelled', 'work.cancelled', ENDED])
    expect([child.state.mission.state, recordOf(child, 'part').item.state, recordOf(root, 'report').item.state]).toEqual(['cancelled', 'cancelled', 'cancelled'])
    expect(root.state.ledgers.get(urnOf('mission root'))).toMatchObject({ held: { modelTokens: 0 }, allocated: { modelTokens: 0 } })
  })

  it('A-164: fails the child Mission of failed work', () => {
    const { tree, root, child } = family()
    fail(root, 'report')
    tree.settle()
    expect([child.state.mission.state, recordOf(root, 'report').item.state, recordOf(root, 'report').child?.state]).toEqual(['failed', 'failed', 'failed'])
  })

  it('A-114, A-115: spreads the end of the Mission above over every level', () => {
    const { tree, root, child } = family()
    reach(child, 'part', 'open', part)
    const grandchild = tree.child(child, 'three', 'part', { changes: { coordinatorAgentId: wanda.id, budget: { modelTokenLimit: 20 }, deadline: '2026-12-17T18:00:00Z' }, worker: otto })
    reach(grandchild, 'detail', 'open', { contract: { budget: { modelTokenLimit: 10 }, deadline: '2026-12-16T18:00:00Z' } })
    root.accept(ada, 'mission.cancel', { reason: 'Enough.' })
    tree.settle()
    expect([root, child, grandchild].map(({ state }) => state.mission.state)).toEqual(['cancelled', 'cancelled', 'cancelled'])
    expect(recordOf(grandchild, 'detail').item.state).toBe('cancelled')
    expect(tree.settle()).toEqual([])
  })

  it('A-115: spreads the failure of the Mission above over every level', () => {
    const { tree, root, child } = family()
    reach(child, 'part', 'open', part)
    const grandchild = tree.child(child, 'three', 'part', { changes: { coordinatorAgentId: wanda.id, budget: { modelTokenLimit: 20 }, deadline: '2026-12-17T18:00:00Z' }, worker: otto })
    reach(grandchild, 'detail', 'open', { contract: { budget: { modelTokenLimit: 10 }, deadline: '2026-12-16T18:00:00Z' } })
    root.accept(cora, 'mission.terminate', { reason: 'It cannot be done.' })
    tree.settle()
    expect([root, child, grandchild].map(({ state }) => state.mission.state)).toEqual(['failed', 'failed', 'failed'])
    expect([recordOf(root, 'report'), recordOf(child, 'part'), recordOf(grandchild, 'detail')].map(({ item }) => item.state)).toEqual(['failed', 'failed', 'failed'])
    expect(kinds(grandchild.log).slice(-2)).toEqual(['mission.terminated', 'work.failed'])
  })

  it('A-116: leaves a child Mission alone that is over already', () => {
    const { tree, root, child } = submitted()
    child.accept(cora, 'mission.approve', approve(child))
    root.accept(ada, 'work.cancel', { workItemId: workId('report'), reason: 'Not needed.' })
    tree.settle()
    expect([child.state.mission.state, recordOf(root, 'report').item.state]).toEqual(['approved', 'cancelled'])
  })
})

describe('another Parent Coordinator', () => {
  function replaced() {
    const all = submitted()
    all.root.cards.set(otto.id, agentCard(otto))
    all.child.cards.set(otto.id, agentCard(otto))
    all.child.sessionEpochs.set(otto.id, 1)
    all.root.accept(ada, 'mission.assign_coordinator', { coordinatorAgentId: otto.id, reason: 'Cora is silent.' })
    all.child.coordinators.set(urnOf('mission root'), otto.id)
    return all
  }

  it('A-40, A-207: takes the child Mission out of the hands of its predecessor at once', () => {
    const { child } = replaced()
    expect(child.code(cora, 'mission.approve', approve(child))).toBe('AUTH_STALE_COORDINATOR')
    expect(child.code(cora, 'mission.cancel', { reason: 'Enough.' })).toBe('AUTH_STALE_COORDINATOR')
  })

  it('O-1: owns the work above from then on', () => {
    const { root } = replaced()
    expect(recordOf(root, 'report')).toMatchObject({ ownershipEpoch: 2, item: { state: 'blocked', owner: { agentId: otto.id, ownershipEpoch: 2 } } })
    expect([root.state.ownedBy.has(cora.id), root.state.ownedBy.has(otto.id)]).toEqual([false, true])
  })

  it('A-207: owns the child Mission, once the child has recorded it, and approves it', () => {
    const { tree, root, child } = replaced()
    expect(kinds(tree.settle())).toEqual(['ext.countersign.mission.owner_moved', 'membership.ended', 'membership.changed'])
    expect(child.state.mission.missionOwner).toEqual(otto)
    expect([child.state.memberships.get(cora.id)?.state, child.state.memberships.get(otto.id)?.role]).toEqual(['ended', 'mission_owner'])
    child.accept(otto, 'mission.approve', approve(child))
    tree.settle()
    expect(recordOf(root, 'report').item.state).toBe('verified')
  })

  it('A-40: an older succession that arrives late changes nothing', () => {
    const { tree, child } = replaced()
    tree.settle()
    const [first] = tree.root.reactions.filter(({ body }) => body.type === 'owner-moved')
    expect(child.react({ ...first!, eventId: urnOf('older'), body: { type: 'owner-moved', owner: cora, coordinatorEpoch: 1 } })).toEqual([])
  })

  /** Wim, who coordinates the child, is put in charge of its parent on another node at the same time. */
  function atOnce() {
    const all = submitted()
    all.root.accept(ada, 'mission.assign_coordinator', { coordinatorAgentId: wim.id, reason: 'Cora is silent.' })
    all.child.coordinators.set(urnOf('mission root'), wim.id)
    all.tree.settle()
    return all
  }

  it('A-207: approves nothing while it coordinates the child Mission too, and puts another Agent in charge of it without losing it', () => {
    const { child } = atOnce()
    expect([child.state.mission.missionOwner, child.state.mission.coordinator.agentId]).toEqual([wim, wim.id])
    expect(child.code(wim, 'mission.approve', approve(child))).toBe('AUTH_FORBIDDEN')
    const revised = child.accept(wim, 'mission.assign_coordinator', { coordinatorAgentId: dora.id, reason: 'I own it now.' })
    expect(kinds(revised)).toEqual(['mission.coordinator.assigned', 'membership.changed'])
    expect(child.state.memberships.get(wim.id)).toMatchObject({ state: 'active', role: 'mission_owner' })
    child.accept(wim, 'mission.approve', approve(child))
  })

  it('A-207: stays as Coordinator of the child Mission where it owns it no longer', () => {
    const { tree, root, child } = atOnce()
    for (const group of [root, child]) group.cards.set(otto.id, agentCard(otto))
    child.sessionEpochs.set(otto.id, 1)
    root.accept(ada, 'mission.assign_coordinator', { coordinatorAgentId: otto.id, reason: 'Wim is busy.' })
    child.coordinators.set(urnOf('mission root'), otto.id)
    tree.settle()
    expect(child.state.memberships.get(wim.id)).toMatchObject({ state: 'active', role: 'coordinator' })
    expect(child.state.mission).toMatchObject({ missionOwner: otto, coordinator: { agentId: wim.id } })
  })

  it('A-207: is no Agent that coordinates the child Mission, and the child’s owner does not coordinate it', () => {
    const { root, child } = submitted()
    root.cards.set(otto.id, agentCard(otto))
    root.coordinators.set(urnOf('mission two'), otto.id)
    expect(root.code(ada, 'mission.assign_coordinator', { coordinatorAgentId: otto.id, reason: 'Cora is silent.' })).toBe('INVALID_STATE_TRANSITION')
    expect(child.code(cora, 'mission.assign_coordinator', { coordinatorAgentId: cora.id, reason: 'I do it.' })).toBe('INVALID_COMMAND')
  })
})

it('is the same state after a replay of every log, which takes no Event twice', () => {
  const { tree, root, child } = submitted()
  for (const group of [root, child]) group.cards.set(otto.id, agentCard(otto))
  child.sessionEpochs.set(otto.id, 1)
  root.accept(ada, 'mission.assign_coordinator', { coordinatorAgentId: otto.id, reason: 'Cora is silent.' })
  child.coordinators.set(urnOf('mission root'), otto.id)
  tree.settle()
  child.accept(otto, 'mission.approve', approve(child))
  tree.settle()
  const seen = new Set<string>()
  for (const group of [root, child]) {
    const state = replay(group.log)
    expect(Buffer.compare(encodeState(state), encodeState(group.state))).toBe(0)
    for (const event of group.log) {
      expect(() => evolve(state, event)).toThrow('does not follow')
      saw('event-refused', event.kind)
      seen.add(event.kind)
    }
  }
  expect([...seen]).toEqual(expect.arrayContaining([MISSION_CHILD_ENDED, MISSION_OWNER_MOVED]))
})
