// An open Space is no Group: Commands are refused there as in a Group that does not exist, and pages that follow Groups live on while it grows.
import { beforeEach, describe, expect, it } from 'vitest'
import type { Fixture, Person } from '../testing/authority-fixture.ts'
import { codeOf, newUrn, startAuthority } from '../testing/authority-fixture.ts'

let fixture: Fixture
let owner: Person
let spaceId: string

const say = async (text: string) => {
  const { openSpaces } = fixture.service
  const { nodeId } = (await openSpaces.nodes.ofPrincipal(owner.actor.id))!
  const entered = await openSpaces.enter(nodeId, { name: 'lobby', description: 'Talks.' })
  if (!entered.ok) throw new Error(entered.error.reason)
  const sent = await openSpaces.send(nodeId, entered.value.spaceId, { content: JSON.stringify({ text }), messages: [], nodes: [] })
  if (!sent.ok) throw new Error(sent.error.reason)
  return entered.value.spaceId
}

beforeEach(async () => {
  fixture = await startAuthority()
  owner = await fixture.person('Olga')
  spaceId = await say('Hello')
})

describe('an open Space', () => {
  it('A-239: is to everybody a Group that does not exist, before and after it has grown', async () => {
    expect(await fixture.service.reads.groupFor(owner.actor.id, spaceId)).toBeUndefined()
    await say('Again')
    expect(await fixture.service.reads.groupFor(owner.actor.id, spaceId)).toBeUndefined()
  })

  it('takes no Command', async () => {
    const post = { kind: 'message.post' as const, groupId: spaceId, membershipEpoch: 1, payload: { messageId: newUrn(), content: [{ type: 'text', text: 'Hello' }] } }
    expect(codeOf(await fixture.submit(owner, post))).toBe('GROUP_NOT_FOUND')
  })

  it('gives its id to no Mission', async () => {
    const coordinator = await fixture.agent('Coordinator')
    const budget = { toolCallLimit: 10 }
    const criteria = [{ criterionId: 'complete', description: 'All is there.', evidenceRequired: ['artifact_integrity'] }]
    const payload = { missionId: newUrn(), groupId: spaceId, title: 'Release', objective: 'Write it.', coordinatorAgentId: coordinator.actor.id, definitionOfDone: criteria, budget, deadline: '2026-12-30T00:00:00Z', approvalPolicy: { finalHumanApproval: true, highRiskExecutionApproval: true } }
    expect(await fixture.submit(owner, { kind: 'mission.create', groupId: spaceId, payload })).toMatchObject({ rejection: { code: 'INVALID_COMMAND', message: 'this Group id cannot be used' } })
  })
})
