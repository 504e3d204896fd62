import { describe, expect, it } from 'vitest'
import { ada, agentCard, cora, hashOf, otto, urnOf, wanda, wim } from '../testing/cast.ts'
import { workContract } from '../testing/documents.ts'
import { GroupFixture, replay } from '../testing/group-fixture.ts'
import { childPayload, MissionTree } from '../testing/mission-tree.ts'
import type { Stage } from '../testing/work-scenario.ts'
import { block, citing, offerPayload, reach, recordOf, workId } from '../testing/work-scenario.ts'
import { encodeState } from './encode-state.ts'
import { policySpaceIdOf } from './policy.ts'
import { withholding } from './visibility.ts'

function withWork(stage: Stage = 'open'): GroupFixture {
  const group = new GroupFixture('root').found()
  reach(group, 'report', stage)
  return group
}

describe('mission.create_child', () => {
  it.each(['open', 'offered', 'queued', 'active'] as const)('A-110, A-161: blocks %s work for a Mission of its own, in one decision', (stage) => {
    const group = withWork(stage)
    const before = recordOf(group, 'report').ownershipEpoch
    const [created, ...others] = group.accept(cora, 'mission.create_child', childPayload('two', 'report'))

    expect(others).toEqual([])
    expect(created).toMatchObject({ kind: 'mission.child.created', workItemId: workId('report'), payload: { childMissionId: urnOf('mission two'), failurePolicy: 'block_parent_work_item' } })
    const { item, child, ownershipEpoch, executionLease, ownershipLease } = recordOf(group, 'report')
    expect([item.state, child?.state, executionLease, ownershipLease]).toEqual(['blocked', 'running', undefined, undefined])
    expect(ownershipEpoch).toBeGreaterThan(before)
    expect(item.offers?.some(({ status }) => status === 'pending')).not.toBe(true)
  })

  it('A-161: blocks work that its Worker had blocked', () => {
    const group = withWork('active')
    block(group, 'report')
    group.accept(cora, 'mission.create_child', childPayload('two', 'report'))
    expect(recordOf(group, 'report')).toMatchObject({ item: { state: 'blocked', owner: { agentId: cora.id } }, child: { state: 'running' } })
    expect(recordOf(group, 'report').blockedLease).toBeUndefined()
  })

  it('O-1: makes the Parent Coordinator the owner of the item under the rule child-mission', () => {
    const group = withWork()
    group.accept(cora, 'mission.create_child', childPayload('two', 'report'))
    expect(recordOf(group, 'report').item).toMatchObject({ owner: { agentId: cora.id, ownershipEpoch: 1 }, selectionBasis: { policyRulesApplied: ['child-mission'] } })
  })

  it('O-9, A-172: founds the other Group with an Event caused by the first, under one correlation', () => {
    const group = withWork()
    const [created] = group.accept(cora, 'mission.create_child', childPayload('two', 'report'))
    expect(group.founded).toMatchObject([
      { kind: 'mission.created', foundsGroupId: urnOf('group two'), cause: { type: 'event', id: created!.eventId }, correlationId: created!.correlationId },
    ])
  })

  it('R-MIS-2, A-3, A-110: gives the child its own Group, owned by the Parent Coordinator and linked both ways', () => {
    const group = withWork()
    const child = new MissionTree(group).child(group, 'two', 'report')
    const { mission, parentLink } = child.state
    expect(mission).toMatchObject({ missionOwner: cora, state: 'active', parent: { missionId: urnOf('mission root'), workItemId: workId('report'), depth: 1 }, coordinator: { agentId: wim.id } })
    expect(parentLink).toMatchObject({ groupId: urnOf('group root'), eventId: group.log.at(-1)!.eventId, coordinatorEpoch: 1 })
  })

  it('A-209: lets the root MissionOwner see every Mission below', () => {
    const tree = new MissionTree(withWork())
    const child = tree.child(tree.root, 'two', 'report')
    reach(child, 'part', 'open', { contract: { budget: { currency: 'EUR', financialLimit: 5, modelTokenLimit: 50 }, deadline: '2026-12-18T18:00:00Z' } })
    const grandchild = tree.child(child, 'three', 'part', { changes: { coordinatorAgentId: wanda.id, budget: { modelTokenLimit: 20 }, deadline: '2026-12-17T18:00:00Z' }, worker: otto })
    for (const { state } of [child, grandchild]) expect(state.memberships.get(ada.id)).toMatchObject({ role: 'observer', state: 'active', visibilityStartSequence: 0 })
    expect(grandchild.code(wanda, 'membership.end', { member: ada, reason: 'Not needed.' })).toBe('AUTH_FORBIDDEN')
  })

  it('A-119: is the Coordinator’s, who cites its epoch', () => {
    const group = withWork()
    expect(group.code(ada, 'mission.create_child', childPayload('two', 'report'))).toBe('AUTH_FORBIDDEN')
    expect(group.code(wim, 'mission.create_child', childPayload('two', 'report'))).toBe('AUTH_FORBIDDEN')
    expect(group.code(cora, 'mission.create_child', childPayload('two', 'report'), { coordinatorEpoch: 2 })).toBe('AUTH_STALE_COORDINATOR')
    expect(group.code(cora, 'mission.create_child', childPayload('two', 'report'), { expectedRevision: 99 })).toBe('REVISION_CONFLICT')
    group.pass(90_000)
    expect(group.code(cora, 'mission.create_child', childPayload('two', 'report'))).toBe('WORK_LEASE_EXPIRED')
  })

  it.each(['submitted', 'verified'] as const)('A-161: leaves %s work alone', (stage) => {
    expect(withWork(stage).code(cora, 'mission.create_child', childPayload('two', 'report'))).toBe('INVALID_STATE_TRANSITION')
  })

  it('A-161: founds one child Mission at a time on a WorkItem', () => {
    const group = withWork()
    group.accept(cora, 'mission.create_child', childPayload('two', 'report'))
    expect(group.code(cora, 'mission.create_child', childPayload('three', 'report', { budget: { modelTokenLimit: 1 } }))).toBe('INVALID_STATE_TRANSITION')
  })

  it('A-206: keeps the deadline within that of the work', () => {
    const group = withWork()
    expect(group.code(cora, 'mission.create_child', childPayload('two', 'report', { deadline: '2026-12-20T18:00:01Z' }))).toBe('INVALID_COMMAND')
    expect(group.code(cora, 'mission.create_child', childPayload('two', 'report', { deadline: group.now }))).toBe('INVALID_COMMAND')
  })

  it('A-206: keeps resources and capabilities within those of the work', () => {
    const group = withWork()
    const wider = (changes: Parameters<typeof childPayload>[2]) => group.code(cora, 'mission.create_child', childPayload('two', 'report', changes))
    expect(wider({ allowedResources: [{ resource: 'urn:example:repository', operations: ['write'] }] })).toBe('AUTH_FORBIDDEN')
    expect(wider({ capabilities: [{ id: 'release.publish', version: '1.0.0' }] })).toBe('AUTH_FORBIDDEN')
    expect(wider({ capabilities: [{ id: 'release.inventory', version: '2.0.0' }] })).toBe('AUTH_FORBIDDEN')
  })

  it('A-206: holds the work inside the child to its ceilings', () => {
    const tree = new MissionTree(withWork())
    const child = tree.child(tree.root, 'two', 'report', { changes: { allowedResources: [] } })
    const authorize = (changes: Parameters<typeof workContract>[0]) =>
      child.code(wim, 'work.authorize', { workItemId: workId('part'), contract: workContract({ deadline: '2026-12-18T18:00:00Z', budget: { modelTokenLimit: 5 }, ...changes }) })
    expect(authorize({})).toBe('AUTH_FORBIDDEN')
    expect(authorize({ allowedResources: [], requiredCapabilities: [{ id: 'release.publish', version: '1.0.0' }] })).toBe('AUTH_FORBIDDEN')
    child.accept(wim, 'work.authorize', { workItemId: workId('part'), contract: workContract({ deadline: '2026-12-18T18:00:00Z', budget: { modelTokenLimit: 5 }, allowedResources: [] }) })
    expect(recordOf(child, 'part').item.state).toBe('open')
  })

  it('A-206, A-276: goes as many levels down as policy says, and further only by a grant of the MissionOwner', () => {
    const tree = new MissionTree(withWork())
    const team = [wim, wanda, otto, cora]
    const below = (group: GroupFixture, level: number) => {
      reach(group, `work ${level}`, 'open', { contract: { budget: { modelTokenLimit: 90 - level * 10 }, deadline: `2026-12-1${9 - level}T18:00:00Z` } })
      return { coordinatorAgentId: team[level]!.id, budget: { modelTokenLimit: 85 - level * 10 }, deadline: `2026-12-1${9 - level}T17:00:00Z` }
    }
    let group = tree.root
    for (const level of [0, 1, 2]) {
      group.cards.set(otto.id, agentCard(otto))
      group = tree.child(group, `level ${level}`, `work ${level}`, { changes: below(group, level), worker: team[level + 1]! })
    }
    expect(group.state.mission.parent?.depth).toBe(3)
    const changes = below(group, 3)
    const tooDeep = group.command(otto, 'mission.create_child', childPayload('level 3', 'work 3', changes))
    expect(group.judge(tooDeep)).toMatchObject({ ok: false, error: { code: 'RATE_LIMITED', details: { policyName: 'child_mission_depth', limit: 3 } } })

    const grantId = urnOf('grant of depth')
    group.accept(wanda, 'policy.grant_cooperation_override', {
      grantId,
      policyName: 'child_mission_depth',
      beneficiary: otto,
      targetCommandKind: 'mission.create_child',
      targetActionId: urnOf('deep action'),
      reason: 'The work is that complex.',
      expiresAt: group.state.mission.deadline,
    })
    expect(group.accept(otto, 'mission.create_child', childPayload('level 3', 'work 3', changes), { actionId: urnOf('deep action'), cooperationOverrideGrantId: grantId })).toHaveLength(1)
    expect(group.state.overrides.get(grantId)?.consumedEventId).toBeDefined()
  })

  it('A-206: reserves the budget in the item and in every account above', () => {
    const group = withWork()
    group.accept(cora, 'mission.create_child', childPayload('two', 'report'))
    for (const id of [urnOf('mission two'), workId('report'), urnOf('mission root')]) expect(group.state.ledgers.get(id)?.held).toMatchObject({ financial: 8, modelTokens: 60 })
    expect(group.state.ledgers.get(workId('report'))?.allocated).toMatchObject({ financial: 8, modelTokens: 60 })
  })

  it('A-198, A-206: takes a budget that the item no longer has, or another currency, for an excess', () => {
    const group = withWork('active')
    group.accept(wim, 'ext.missionweaveprotocol.core.resource_usage_record', { ...citing(group, 'report'), usageDelta: { modelTokens: 50 } })
    const refusal = (budget: object) => group.refusal(cora, 'mission.create_child', childPayload('two', 'report', { budget }))
    expect(refusal({ modelTokenLimit: 51 })).toMatchObject({ code: 'BUDGET_EXCEEDED', details: { dimension: 'modelTokens' } })
    expect(refusal({ toolCallLimit: 1 })).toMatchObject({ code: 'BUDGET_EXCEEDED', details: { dimension: 'toolCalls' } })
    expect(refusal({ currency: 'USD', financialLimit: 1 })).toMatchObject({ code: 'BUDGET_EXCEEDED', details: { dimension: 'financial' } })
    group.accept(cora, 'mission.create_child', childPayload('two', 'report', { budget: { modelTokenLimit: 50 } }))
    expect(recordOf(group, 'report').item.state).toBe('blocked')
  })

  it('A-205: refuses ids that are in use, and a Mission that owns and coordinates itself', () => {
    const group = withWork()
    const code = (changes: Parameters<typeof childPayload>[2]) => group.code(cora, 'mission.create_child', childPayload('two', 'report', changes))
    expect(code({ missionId: urnOf('mission root') })).toBe('INVALID_COMMAND')
    expect(code({ groupId: urnOf('group root') })).toBe('INVALID_COMMAND')
    expect(code({ groupId: urnOf('mission two') })).toBe('INVALID_COMMAND')
    expect(code({ coordinatorAgentId: cora.id })).toBe('INVALID_COMMAND')
    expect(code({ coordinatorAgentId: otto.id })).toBe('INVALID_COMMAND')
    expect(code({ parentWorkItemId: workId('nothing') })).toBe('INVALID_COMMAND')
  })

  it('A-205: founds no Group in the place of the Organization or of its policy', () => {
    const group = withWork()
    for (const groupId of [group.env.organizationId, policySpaceIdOf(group.env.organizationId)]) {
      expect(group.code(cora, 'mission.create_child', childPayload('two', 'report', { groupId }))).toBe('INVALID_COMMAND')
    }
  })

  it('A-196, A-207: keeps the gates of the parent, and asks a person where the work is dangerous', () => {
    const group = new GroupFixture('root').found()
    reach(group, 'report', 'open', { contract: { sideEffectRisk: 'high_risk', executionApproval: 'human_required' } })
    const policy = (finalHumanApproval: boolean, highRiskExecutionApproval: boolean) =>
      childPayload('two', 'report', { approvalPolicy: { finalHumanApproval, highRiskExecutionApproval, policyVersion: '1.0.0' } })
    expect(group.code(cora, 'mission.create_child', policy(true, false))).toBe('INVALID_COMMAND')
    expect(group.code(cora, 'mission.create_child', policy(false, true))).toBe('INVALID_COMMAND')
    expect(group.accept(cora, 'mission.create_child', policy(true, true))).toHaveLength(1)
  })

  it('A-207: asks the root human where policy does, whatever the Mission says', () => {
    const group = new GroupFixture('root').found({ approvalPolicy: { finalHumanApproval: true, highRiskExecutionApproval: false, policyVersion: '1.0.0' } })
    reach(group, 'report', 'open', { contract: { sideEffectRisk: 'external' } })
    const payload = (finalHumanApproval: boolean) =>
      childPayload('two', 'report', { approvalPolicy: { finalHumanApproval, highRiskExecutionApproval: false, policyVersion: '1.0.0' } })
    const { external, ...risk } = group.policy.risk
    group.policy = { ...group.policy, version: 1, risk: { ...risk, external: { ...external, rootHumanApproval: true } } }
    expect(group.refusal(cora, 'mission.create_child', payload(false))).toMatchObject({ code: 'INVALID_COMMAND', details: { policyVersion: 1 } })
    expect(group.accept(cora, 'mission.create_child', payload(true))).toHaveLength(1)
  })
})

describe('the human at the root', () => {
  it('A-209: reads restricted talk and redacted words of every child Mission', () => {
    const tree = new MissionTree(withWork())
    const child = tree.child(tree.root, 'two', 'report')
    const conversationId = urnOf('aside')
    child.accept(wim, 'ext.countersign.conversation.open', { conversationId, type: 'restricted', title: 'Aside', participants: [wim] })
    const [said] = child.accept(wim, 'message.post', { messageId: urnOf('said'), content: [{ type: 'text', text: 'Quietly.' }] }, { conversationId })
    expect([withholding(child.state, ada.id, said!.sequence!), withholding(child.state, wanda.id, said!.sequence!)]).toEqual([undefined, { because: 'restricted' }])
    child.accept(cora, 'message.redact', { messageId: urnOf('said'), amendmentId: urnOf('hidden'), reason: 'It names a customer.' })
    expect(withholding(child.state, ada.id, said!.sequence!)).toBeUndefined()
    expect(withholding(child.state, wim.id, said!.sequence!)).toMatchObject({ because: 'redacted' })
  })
})

describe('work that a child Mission is busy with', () => {
  function busy() {
    const tree = new MissionTree(withWork())
    return { tree, child: tree.child(tree.root, 'two', 'report') }
  }

  it('A-163: is neither unblocked nor offered to anybody else', () => {
    const { root } = busy().tree
    expect(root.code(cora, 'work.unblock', { workItemId: workId('report'), resolution: 'Go on.' })).toBe('INVALID_STATE_TRANSITION')
    expect(root.code(cora, 'work.offer', offerPayload('report'))).toBe('INVALID_STATE_TRANSITION')
    reach(root, 'other', 'open')
    expect(root.code(cora, 'ext.missionweaveprotocol.core.work_dependency_add', { workItemId: workId('report'), dependencyId: workId('other') })).toBe('INVALID_STATE_TRANSITION')
  })

  it('A-41: fences the Worker that had it', () => {
    const group = withWork('active')
    const before = citing(group, 'report')
    group.accept(cora, 'mission.create_child', childPayload('two', 'report'))
    expect(group.code(wim, 'ext.missionweaveprotocol.core.resource_usage_record', { ...before, usageDelta: { modelTokens: 1 } })).toBe('WORK_STALE_OWNERSHIP')
  })

  it('keeps the Mission from being submitted', () => {
    const { root } = busy().tree
    reach(root, 'other', 'verified')
    expect(root.code(cora, 'mission.submit_for_approval', { artifactHashes: [hashOf('result of other')], summary: 'Done.', openRisks: [], dropped: [] })).toBe('INVALID_STATE_TRANSITION')
  })

  it('has no lease that time could end', () => {
    const { tree } = busy()
    expect(tree.root.pass(100_000).due()).toEqual([])
  })

  it('is the same after a replay of either log', () => {
    const { tree, child } = busy()
    for (const group of [tree.root, child]) expect(Buffer.compare(encodeState(replay(group.log)), encodeState(group.state))).toBe(0)
  })
})
