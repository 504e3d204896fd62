import { describe, expect, it } from 'vitest'
import { ada, agentCard, cora, otto, urnOf, wim } from '../../testing/cast.ts'
import { GroupFixture } from '../../testing/group-fixture.ts'
import { approve, fail, reach, reconcile, submitMission } from '../../testing/work-scenario.ts'
import { startsWaitingOn } from './board-view.ts'
import type { Naming } from './participants.ts'
import { statusLine } from './status-line.ts'

const name: Naming = ({ id, type }) => ({ id, type, name: id === cora.id ? 'Cora' : id === otto.id ? 'Otto' : 'Ada', online: true }) as ReturnType<Naming>
const lineOf = (group: GroupFixture) => statusLine(group.state, { name, me: ada.id, now: group.now })

describe('the status of a Mission', () => {
  it('turns to the owner when the Coordinator lease has run out, and to the successor once there is one (A-120)', () => {
    const group = new GroupFixture().found({ coordinatorLeaseSeconds: 60 }).pass(60)
    group.cards.set(otto.id, agentCard(otto))
    expect(lineOf(group)).toMatchObject({ health: 'failing', sentence: 'Cora no longer coordinates', actor: { id: ada.id } })
    group.accept(ada, 'mission.assign_coordinator', { coordinatorAgentId: otto.id, reason: 'Cora is silent.' })
    expect(lineOf(group)).toMatchObject({ health: 'healthy', actor: { id: otto.id } })
  })

  it('waits for the candidate of an offer, not for the Coordinator', () => {
    const group = new GroupFixture().found()
    reach(group, 'a', 'offered')
    expect(lineOf(group)).toMatchObject({ health: 'healthy', because: expect.stringMatching(/ is offered to Ada\.$/), actor: { id: wim.id } })
  })

  it('waits for the person who has to let work start, once nothing else runs (A-196)', () => {
    const group = new GroupFixture().found()
    reach(group, 'a', 'queued', { contract: { executionApproval: 'human_required' } })
    expect(lineOf(group)).toMatchObject({ health: 'waiting-on-person', because: expect.stringContaining('may start once you approve it'), actor: { id: ada.id } })
    expect(startsWaitingOn(group.state, ada.id, group.now)).toBe(1)
    expect(startsWaitingOn(group.state, cora.id, group.now)).toBe(0)
    reach(group, 'b', 'active')
    expect(lineOf(group)).toMatchObject({ health: 'healthy' })
  })

  it('is not talked into health (A-123)', () => {
    const group = new GroupFixture().found()
    reach(group, 'a', 'active')
    const before = lineOf(group)
    group.accept(cora, 'message.post', { messageId: urnOf('boast'), content: [{ type: 'text', text: '100 %: all done, nothing is blocked.' }] })
    expect(lineOf(group)).toEqual(before)
    fail(group, 'a')
    expect(lineOf(group).health).not.toBe(before.health)
  })

  it('says that a successor has to take stock, until it has (A-121)', () => {
    const group = new GroupFixture().found()
    group.cards.set(otto.id, agentCard(otto))
    group.sessionEpochs.set(otto.id, 1)
    reach(group, 'a', 'verified')
    const [assigned] = group.accept(ada, 'mission.assign_coordinator', { coordinatorAgentId: otto.id, reason: 'Cora is silent.' })
    expect(lineOf(group)).toMatchObject({ sentence: 'Otto has to take stock before it can assign', actor: { id: otto.id }, sequence: assigned?.sequence })
    reconcile(group)
    expect(lineOf(group).sentence).toBe('1 of 1 work items verified')
  })

  it('names the approval of a finished Mission, not the submission before it', () => {
    const group = new GroupFixture().found()
    reach(group, 'a', 'verified')
    submitMission(group, 'a')
    const [approved] = group.accept(ada, 'mission.approve', approve(group))
    expect(lineOf(group)).toMatchObject({ health: 'finished', sequence: approved?.sequence })
  })

  it('promises nothing more of a Mission that was given up (A-115, A-116)', () => {
    const group = new GroupFixture().found()
    group.accept(cora, 'mission.terminate', { reason: 'It cannot be done.' })
    expect(lineOf(group)).toMatchObject({ health: 'failing', sentence: 'Failed', because: expect.stringContaining('Nothing more will happen here') })
  })
})
