import { beforeEach, describe, expect, it } from 'vitest'
import { MISSION_ROOT_DECIDE } from '../../protocol/kinds.ts'
import type { Agent, Draft, Fixture, Person } from '../testing/authority-fixture.ts'
import { codeOf, newUrn, startAuthority } from '../testing/authority-fixture.ts'
import { createMemoryStore } from '../testing/memory-store.ts'
import { OpenWorld } from '../testing/open-world.ts'
import { contentHash, TreeFlow } from '../testing/tree-flow.ts'
import { StillClock } from '../testing/authority-fixture.ts'
import type { PendingReaction, Store } from './ports.ts'

let fixture: Fixture
let owner: Person
let agents: Agent[]

beforeEach(async () => {
  fixture = await startAuthority()
  owner = await fixture.person('Olga')
  agents = await Promise.all(['Cora', 'Carl', 'Cleo', 'Wim'].map((name) => fixture.agent(name)))
})

const tree = () => TreeFlow.root(fixture, owner, agents)
const noDifferences = async (on = fixture) => expect((await on.service.verifyLog()).flatMap(({ differences }) => differences)).toEqual([])

describe('a tree of Missions', () => {
  it('A-110, O-9: begins in both Groups with one Command, whose retry finds the same Event', async () => {
    const flow = await tree()
    const { groupId, coordinator } = flow.deepest
    const bytes = await fixture.command(coordinator, { groupId, membershipEpoch: 1, sessionEpoch: 1, coordinatorEpoch: 1, ...flow.childDraft() })
    const first = await fixture.service.submitCommand(bytes, { door: 'http' })
    const again = await fixture.service.submitCommand(bytes, { door: 'http' })
    expect([codeOf(first), again.ok && again.isDuplicate, again.ok && first.ok && again.sequence === first.sequence]).toEqual(['accepted', true, true])
    await noDifferences()
  })

  it('A-205: refuses ids that another Mission or Group of the Organization has', async () => {
    const flow = await tree()
    const other = await fixture.mission(owner, agents[0]!)
    const { groupId, coordinator } = flow.deepest
    const outcomes = [{ groupId: other.groupId }, { missionId: other.missionId }].map((changes) => flow.send(coordinator, groupId, flow.childDraft(changes), true))
    expect((await Promise.all(outcomes)).map(codeOf)).toEqual(['INVALID_COMMAND', 'INVALID_COMMAND'])
    expect(await flow.workState(flow.deepest)).toBe('open')
  })

  it('A-205: founds no Group under the id of an open Space, whether or not anything was said there', async () => {
    const flow = await tree()
    const world = new OpenWorld(fixture.service.openSpaces)
    const ada = await world.node('ada')
    const [silent, used] = [await world.space('silent', ada), await world.space('used', ada)]
    await world.say(ada, used, 'hello')
    const { groupId, coordinator } = flow.deepest
    const outcomes = await Promise.all([silent, used].map(({ spaceId }) => flow.send(coordinator, groupId, flow.childDraft({ groupId: spaceId }), true)))
    expect(outcomes.map((outcome) => !outcome.ok && outcome.rejection)).toEqual(outcomes.map(() => expect.objectContaining({ code: 'INVALID_COMMAND', message: 'this Group id cannot be used' })))
    expect(await flow.workState(flow.deepest)).toBe('open')
  })

  it('A-162, A-207: is approved from the bottom up, three levels deep', async () => {
    const flow = await tree()
    await flow.child()
    await flow.child()
    await flow.finishDeepest(agents[3]!)
    for (const index of [2, 1]) {
      expect(codeOf(await flow.approve(flow.levels[index]!))).toBe('accepted')
      const above = flow.levels[index - 1]!
      await expect.poll(() => flow.workState(above)).toBe('verified')
      await flow.submit(above)
    }
    expect(codeOf(await flow.approve(flow.levels[0]!))).toBe('accepted')
    expect(await flow.missionStates()).toEqual(['approved', 'approved', 'approved'])
    const root = await flow.state(flow.levels[0]!.groupId)
    expect(root.ledgers.get(root.mission.missionId)).toMatchObject({ used: { toolCalls: 3 }, held: { toolCalls: 0 } })
    expect(await fixture.store.readModels.spacesOfArtifact(contentHash)).toHaveLength(3)
    expect(await fixture.store.log.pendingReactions(10)).toEqual([])
    await noDifferences()
  })

  it('A-207: is approved by its owner once the human at the root has signed, where the policy asks for that', async () => {
    const flow = await tree()
    const child = await flow.child({ approvalPolicy: { finalHumanApproval: true, highRiskExecutionApproval: false, policyVersion: '1.0.0' } })
    await flow.finishDeepest(agents[3]!)
    expect(codeOf(await flow.approve(child))).toBe('APPROVAL_REQUIRED')
    const forged = { ...(await flow.approval(child, owner)), comments: 'Never read it.' }
    expect(codeOf(await flow.send(owner, child.groupId, { kind: MISSION_ROOT_DECIDE, payload: { approval: forged } }))).toBe('AUTH_INVALID_SIGNATURE')
    expect(codeOf(await flow.send(owner, child.groupId, { kind: MISSION_ROOT_DECIDE, payload: { approval: await flow.approval(child, owner) } }))).toBe('accepted')
    expect(codeOf(await flow.approve(child))).toBe('accepted')
    await expect.poll(() => flow.workState(flow.levels[0]!)).toBe('verified')
    await noDifferences()
  })

  it('A-197, A-206: is given more from above, level by level', async () => {
    const flow = await tree()
    await flow.child()
    const [root, child] = [flow.levels[0]!, flow.deepest]
    const raise: Draft = { kind: 'ext.countersign.mission.child_budget_raise', payload: { workItemId: root.workItemId, budget: { toolCallLimit: 50 }, reason: 'It is not enough.' } }
    expect(codeOf(await flow.send(root.coordinator, root.groupId, raise, true))).toBe('accepted')
    await expect.poll(async () => (await flow.state(child.groupId)).mission.budget).toEqual({ toolCallLimit: 50 })
    expect((await flow.state(root.groupId)).ledgers.get(root.missionId)).toMatchObject({ held: { toolCalls: 50 } })
    expect(await fixture.store.log.pendingReactions(10)).toEqual([])
    await noDifferences()
  })

  it('A-114, A-164: ends with its root', async () => {
    const flow = await tree()
    await flow.child()
    await flow.child()
    const root = flow.levels[0]!
    expect(codeOf(await flow.send(owner, root.groupId, { kind: 'mission.cancel', payload: { reason: 'Enough.' } }))).toBe('accepted')
    await expect.poll(() => flow.missionStates()).toEqual(['cancelled', 'cancelled', 'cancelled'])
    await expect.poll(() => fixture.store.log.pendingReactions(10)).toEqual([])
    expect((await flow.state(root.groupId)).ledgers.get(root.missionId)).toMatchObject({ held: { toolCalls: 0 } })
    await noDifferences()
  })

  it('A-207: passes to whoever coordinates the Mission above', async () => {
    const flow = await tree()
    const child = await flow.child()
    const root = flow.levels[0]!
    const [cora, , , wim] = agents
    const assigned = await flow.send(owner, root.groupId, { kind: 'mission.assign_coordinator', payload: { coordinatorAgentId: wim!.actor.id, reason: 'Cora is silent.' } })
    expect(codeOf(assigned)).toBe('accepted')
    expect(['AUTH_STALE_COORDINATOR', 'MEMBERSHIP_STALE']).toContain(codeOf(await flow.send(cora!, child.groupId, { kind: 'mission.cancel', payload: { reason: 'Enough.' } })))
    await expect.poll(async () => (await flow.state(child.groupId)).mission.missionOwner.id).toBe(wim!.actor.id)
    expect(codeOf(await flow.send(wim!, child.groupId, { kind: 'mission.cancel', payload: { reason: 'Another way.' } }))).toBe('accepted')
  })

  it('A-207: does not pass to the Agent that coordinates the child', async () => {
    const flow = await tree()
    await flow.child()
    const root = flow.levels[0]!
    const outcome = await flow.send(owner, root.groupId, { kind: 'mission.assign_coordinator', payload: { coordinatorAgentId: agents[1]!.actor.id, reason: 'Cora is silent.' } })
    expect(codeOf(outcome)).toBe('INVALID_STATE_TRANSITION')
  })

  it('A-209: shows every Mission to the root owner, and to nobody outside', async () => {
    const flow = await tree()
    const { groupId } = await flow.child()
    const stranger = await fixture.person('Sam')
    expect((await fixture.store.readModels.missionsOf(owner.actor.id)).map(({ spaceId }) => spaceId)).toContain(groupId)
    expect(await fixture.service.reads.groupFor(stranger.actor.id, groupId)).toBeUndefined()
  })
})

describe('a reaction', () => {
  /** A store whose `pendingReactions` and whose appends that settle some stand still, as on a node that dies between two commits. */
  function dyingStore(): { store: Store; kept: Store } {
    const kept = createMemoryStore({ clock: new StillClock() })
    const log: Store['log'] = { ...kept.log, append: (batch) => (batch.settled ? Promise.reject(new Error('the node is gone')) : kept.log.append(batch)) }
    return { kept, store: { ...kept, log } }
  }

  it('A-164: survives the node that called for it, and is recorded once by the next', async () => {
    const { store, kept } = dyingStore()
    const first = await startAuthority({ store })
    const owner = await first.person('Olga')
    const agents = await Promise.all(['Cora', 'Carl'].map((name) => first.agent(name)))
    const flow = await TreeFlow.root(first, owner, agents)
    const child = await flow.child()
    await flow.send(owner, flow.levels[0]!.groupId, { kind: 'mission.cancel', payload: { reason: 'Enough.' } })
    await first.service.stop()
    const waiting: readonly PendingReaction[] = await kept.log.pendingReactions(10)
    expect(waiting.map(({ targetSpaceId }) => targetSpaceId)).toEqual([child.groupId])

    const second = await startAuthority({ store: kept, organization: first.organization })
    const ends = async () => (await kept.log.read(child.groupId, 0, 100)).filter(({ kind }) => kind === 'mission.cancelled')
    await expect.poll(ends).toHaveLength(1)
    await expect.poll(() => kept.log.pendingReactions(10)).toEqual([])
    await second.service.stop()

    const third = await startAuthority({ store: kept, organization: first.organization })
    await third.service.stop()
    expect(await ends()).toHaveLength(1)
    await noDifferences(third)
  })

  it('is dropped where it leaves nothing to record', async () => {
    const flow = await tree()
    const { groupId } = await flow.child()
    const reaction = { targetGroupId: groupId, eventId: newUrn(), correlationId: newUrn(), body: { type: 'owner-moved', owner: agents[0]!.actor, coordinatorEpoch: 1 } }
    const row = { targetSpaceId: groupId, eventId: reaction.eventId, reaction: JSON.stringify(reaction) }
    const head = await fixture.store.log.head(groupId)
    await fixture.service.stop()
    await fixture.store.log.append({ spaceId: newUrn(), spaceKind: 'mission', expectedHead: 0, events: [], receipts: [], admissions: [], rows: { memberships: [], nodes: [], edges: [], artifacts: [], executions: [] }, reactions: [row] })
    const next = await startAuthority({ store: fixture.store, organization: fixture.organization, clock: fixture.clock })
    await expect.poll(() => fixture.store.log.pendingReactions(10)).toEqual([])
    expect(await fixture.store.log.head(groupId)).toBe(head)
    await next.service.stop()
  })
})
