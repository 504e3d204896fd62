import { beforeEach, describe, expect, it } from 'vitest'
import type { Actor, ContextPackage, MissionReconcilePayload } from '../../protocol/generated/types.ts'
import { MISSION_RECONCILE, MISSION_RECONCILED } from '../../protocol/kinds.ts'
import { ada, agentCard, cora, dora, otto, urnOf, wanda, wim } from '../testing/cast.ts'
import { packageOf, workContract } from '../testing/documents.ts'
import { GroupFixture, replay } from '../testing/group-fixture.ts'
import { childPayload } from '../testing/mission-tree.ts'
import { advance, citing, grantPayload, offerPayload, reach, reconcile, standingOf, submitMission, workId } from '../testing/work-scenario.ts'
import { encodeState } from './encode-state.ts'

let group: GroupFixture
let assigned: number

/** Otto has taken over a Mission with finished, running and open work. */
beforeEach(() => {
  group = new GroupFixture().found()
  group.cards.set(otto.id, agentCard(otto))
  group.sessionEpochs.set(otto.id, 1)
  group.accept(ada, 'membership.change', { member: dora, role: 'work_delegate' })
  reach(group, 'done', 'verified')
  reach(group, 'a', 'active')
  reach(group, 'b', 'open')
  const [event] = group.accept(ada, 'mission.assign_coordinator', { coordinatorAgentId: otto.id, reason: 'Cora is silent.' })
  assigned = event?.sequence ?? 0
})

const stock = (changes: Partial<ContextPackage> = {}, workItems = standingOf(group)): MissionReconcilePayload => ({ contextPackage: packageOf(group.state, group.log, group.now, changes), workItems })
const authorize = { workItemId: workId('new'), contract: workContract() }
const upTo = (toSequence: number) => ({ sourceEventRange: { fromSequence: 1, toSequence, eventIds: group.log.slice(0, toSequence).map(({ eventId }) => eventId) } })

/** Everything that assigns work, sent by this Agent; what came of each. */
const assigning = (actor: Actor): string[] => {
  const results = [
    group.judge(group.command(actor, 'work.authorize', authorize)),
    group.judge(group.command(actor, 'work.offer', offerPayload('b', [wanda]))),
    group.judge(group.command(actor, 'mission.create_child', childPayload('child', 'b', { parentWorkItemId: workId('b'), budget: { modelTokenLimit: 1 } }))),
    group.judge(group.command(actor, 'membership.grant_delegation', grantPayload(group, 'b'))),
  ]
  return results.map((result) => (result.ok ? 'accepted' : `${result.error.code}: ${result.error.message}`))
}

describe('ext.countersign.mission.reconcile', () => {
  it('A-121: a successor may assign nothing before it has taken stock, and is told what to do', () => {
    for (const result of assigning(otto)) expect(result).toMatch(/^INVALID_STATE_TRANSITION: .*takes stock.*ext\.countersign\.mission\.reconcile/)
  })

  it('A-121: once it has taken stock it may assign work, and the package is on record', () => {
    const payload = stock()
    const [event, ...rest] = group.accept(otto, MISSION_RECONCILE, payload)
    expect(rest).toEqual([])
    expect(event).toMatchObject({ kind: MISSION_RECONCILED, actor: otto, aggregateRevision: group.state.mission.revision, payload: { coordinatorEpoch: 2, ...payload } })
    expect(payload.workItems.map(({ workItemId, state }) => [workItemId, state])).toEqual([[workId('a'), 'active'], [workId('b'), 'open']])
    expect(group.state.contextPackages.get(payload.contextPackage.contextPackageId)).toMatchObject({ version: 1 })
    expect(assigning(otto)).toEqual(['accepted', 'accepted', 'accepted', 'accepted'])
    expect(encodeState(replay(group.log))).toEqual(encodeState(group.state))
  })

  it('A-121: it may review, talk and renew in the meantime, and work under way goes on', () => {
    group.accept(otto, 'mission.renew_coordinator', {})
    group.accept(otto, 'message.post', { messageId: urnOf('hello'), content: [{ type: 'text', text: 'I took over.' }] })
    advance(group, 'a', 'published', 'verified')
    expect(group.state.workItems.get(workId('a'))?.item.state).toBe('verified')
  })

  it('A-117: the MissionOwner who steps in need not take stock', () => {
    expect(group.accept(ada, 'work.offer', { ...offerPayload('b'), overrideReason: 'Nobody else can.' })).toHaveLength(1)
  })

  it('A-121: the package may be by the predecessor, and by nobody who may not read the log', () => {
    expect(group.code(otto, MISSION_RECONCILE, stock({ generatedBy: { type: 'agent', id: urnOf('agent Nils') } }))).toBe('AUTH_FORBIDDEN')
    expect(group.accept(otto, MISSION_RECONCILE, stock({ generatedBy: { type: 'agent', id: cora.id } }))).toHaveLength(1)
  })

  it('A-121: the package reaches at least to the assignment', () => {
    expect(group.code(otto, MISSION_RECONCILE, stock(upTo(assigned - 1)))).toBe('INVALID_COMMAND')
    expect(group.accept(otto, MISSION_RECONCILE, stock(upTo(assigned)))).toHaveLength(1)
  })

  it('A-203: the package is about the whole Mission and speaks of this log', () => {
    expect(group.code(otto, MISSION_RECONCILE, stock({ workItemId: workId('a') }))).toBe('INVALID_COMMAND')
    expect(group.code(otto, MISSION_RECONCILE, stock({ groupId: urnOf('other') }))).toBe('INVALID_COMMAND')
  })

  it.each<[string, (standing: MissionReconcilePayload['workItems']) => MissionReconcilePayload['workItems']]>([
    ['leaves unfinished work out', (standing) => standing.slice(1)],
    ['names an earlier revision', ([first, ...rest]) => [{ ...first!, revision: first!.revision - 1 }, ...rest]],
    ['names another state', ([first, ...rest]) => [{ ...first!, state: 'queued' }, ...rest]],
    ['names finished work', (standing) => [...standing, { workItemId: workId('done'), revision: 6, state: 'verified' }]],
    ['names unknown work', (standing) => [...standing, { workItemId: workId('nothing'), revision: 1, state: 'open' }]],
  ])('A-121: is refused as out of date when it %s', (_, change) => {
    expect(group.code(otto, MISSION_RECONCILE, stock({}, change(standingOf(group))))).toBe('REVISION_CONFLICT')
  })

  it('A-121: is refused as out of date when a Worker was faster', () => {
    const payload = stock()
    group.accept(wim, 'ext.missionweaveprotocol.core.work_execution_lease_renew', { ...citing(group, 'a'), leaseSeconds: 600 })
    expect(group.refusal(otto, MISSION_RECONCILE, payload)).toMatchObject({ code: 'REVISION_CONFLICT', details: { workItemId: workId('a') } })
  })

  it('A-119: belongs to the Coordinator in office, under its epoch and lease', () => {
    for (const actor of [ada, wim]) expect(group.code(actor, MISSION_RECONCILE, stock())).toBe('AUTH_FORBIDDEN')
    expect(group.code(cora, MISSION_RECONCILE, stock(), { coordinatorEpoch: 1 })).toBe('AUTH_STALE_COORDINATOR')
    expect(group.code(otto, MISSION_RECONCILE, stock(), { coordinatorEpoch: undefined as never })).toBe('AUTH_STALE_COORDINATOR')
    expect(group.code(otto, MISSION_RECONCILE, stock(), { expectedRevision: 99 })).toBe('REVISION_CONFLICT')
    group.pass(86_401)
    expect(group.code(otto, MISSION_RECONCILE, stock())).toBe('WORK_LEASE_EXPIRED')
  })

  it('A-121: happens once for each epoch, and never under the first', () => {
    const untouched = new GroupFixture('two').found()
    const early = { contextPackage: packageOf(untouched.state, untouched.log, untouched.now), workItems: [] }
    expect(untouched.code(cora, MISSION_RECONCILE, early)).toBe('INVALID_STATE_TRANSITION')
    reconcile(group)
    expect(group.code(otto, MISSION_RECONCILE, stock())).toBe('INVALID_STATE_TRANSITION')
    group.pass(86_401).accept(ada, 'mission.assign_coordinator', { coordinatorAgentId: otto.id, reason: 'It is back.' })
    expect(assigning(otto)[0]).toMatch(/^INVALID_STATE_TRANSITION/)
    reconcile(group)
    expect(assigning(otto)[0]).toBe('accepted')
  })

  it('A-116: happens while the owner decides too, and not after the end', () => {
    const waiting = new GroupFixture('three').found()
    reach(waiting, 'x', 'verified')
    submitMission(waiting, 'x')
    waiting.accept(ada, 'mission.assign_coordinator', { coordinatorAgentId: wanda.id, reason: 'Cora is silent.' })
    expect(reconcile(waiting)).toHaveLength(1)
    group.accept(ada, 'mission.cancel', { reason: 'Enough.' })
    expect(group.code(otto, MISSION_RECONCILE, stock())).toBe('INVALID_STATE_TRANSITION')
  })
})
