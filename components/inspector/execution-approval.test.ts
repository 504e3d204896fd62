import { describe, expect, it } from 'vitest'
import { ada } from '../../server/testing/cast.ts'
import { GroupFixture } from '../../server/testing/group-fixture.ts'
import { reach, recordOf } from '../../server/testing/work-scenario.ts'
import type { GatedWork } from './execution-approval.ts'
import { draftStartApproval, termsFor } from './execution-approval.ts'

function waiting() {
  const group = new GroupFixture().found()
  reach(group, 'a', 'queued', { contract: { executionApproval: 'human_required' } })
  const { item: { workItemId, contract }, ownershipEpoch } = recordOf(group, 'a')
  const { contractVersion, allowedResources: resources, budget, deadline } = contract
  const item: GatedWork = { workItemId, deadline, startGate: { personId: 'urn:example:ada', ownershipEpoch, contractVersion, resources, budget, acceptancePolicyVersion: '1.0.0' } }
  return { group, item, mission: { missionId: group.state.mission.missionId, groupId: group.state.groupId, revision: group.state.mission.revision } }
}

describe('the Approval that the console drafts', () => {
  it('A-196: is one that the authority accepts, and it opens the gate', () => {
    const { group, item, mission } = waiting()
    const terms = termsFor(item, group.now, 3600)
    const { approval } = draftStartApproval(mission, item, terms, { approvalId: 'urn:example:approval', approverId: ada.id, occurredAt: group.now })
    const signature = { algorithm: 'Ed25519', keyId: 'urn:example:key', createdAt: group.now, value: 'A'.repeat(86) } as const
    expect(group.accept(ada, 'approval.grant_execution', { approval: { ...approval, signature }, terms })).toHaveLength(1)
    expect(recordOf(group, 'a').executionApproval?.terms).toEqual(terms)
  })

  it('A-196: lasts no longer than the work has', () => {
    const { group, item } = waiting()
    expect(termsFor(item, group.now, 3600).expiresAt).toBe('2026-11-29T13:00:00.000Z')
    expect(termsFor(item, group.now, 90 * 86_400).expiresAt).toBe(item.deadline)
  })
})
