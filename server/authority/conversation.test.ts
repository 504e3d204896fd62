import { describe, expect, it } from 'vitest'
import { ada, ben, cora, otto, urnOf, wanda, wim } from '../testing/cast.ts'
import { GroupFixture, replay } from '../testing/group-fixture.ts'
import { reach, workId } from '../testing/work-scenario.ts'
import { encodeState } from './encode-state.ts'
import { withholding } from './visibility.ts'

const OPEN = 'ext.countersign.conversation.open'
const founded = () => new GroupFixture().found()
const aside = urnOf('aside')
const opening = (changes: object = {}) => ({ conversationId: aside, type: 'restricted' as const, title: 'The offer', participants: [wim], ...changes })
const said = (name: string) => ({ messageId: urnOf(name), content: [{ type: 'text' as const, text: name }] })
const there = { conversationId: aside }

/** A Group with a restricted Conversation of wim, in which he has said something, as its fourth and fifth Events. */
function talking(): GroupFixture {
  const group = founded()
  group.accept(ada, OPEN, opening())
  group.accept(wim, 'message.post', said('secret'), there)
  return group
}

const readers = (group: GroupFixture, sequence: number) => [ada, cora, wim, wanda].filter(({ id }) => withholding(group.state, id, sequence) === undefined)

describe('conversation.open', () => {
  it('A-134: opens a restricted Conversation, of the owner or the Coordinator', () => {
    const group = founded()
    const [event] = group.accept(ada, OPEN, opening())
    expect(event).toMatchObject({ kind: 'ext.countersign.conversation.opened', aggregateRevision: 1, conversationId: aside })
    expect(event?.payload).toEqual({
      conversation: {
        conversationId: aside,
        missionId: group.state.mission.missionId,
        groupId: group.state.groupId,
        type: 'restricted',
        title: 'The offer',
        access: { mode: 'restricted', members: [wim] },
        createdBy: ada,
        createdAt: group.now,
        state: 'active',
        revision: 1,
      },
    })
    expect(group.accept(cora, OPEN, opening({ conversationId: urnOf('other') }))).toHaveLength(1)
  })

  it('A-134: opens a review of a WorkItem, which the whole Group reads', () => {
    const group = founded()
    reach(group, 'a', 'open')
    const [event] = group.accept(cora, OPEN, opening({ type: 'review', workItemId: workId('a') }))
    expect(event).toMatchObject({ workItemId: workId('a'), payload: { conversation: { type: 'review', primaryWorkItemId: workId('a'), access: { mode: 'group', members: [wim] } } } })
    const [posted] = group.accept(wim, 'message.post', said('fine'), there)
    expect(readers(group, posted!.sequence!)).toEqual([ada, cora, wim, wanda])
  })

  it('A-134: is not for other members, nor on a Coordinator lease that has run out', () => {
    const group = founded()
    expect(group.code(wim, OPEN, opening())).toBe('AUTH_FORBIDDEN')
    group.pass(100_000)
    expect(group.code(cora, OPEN, opening())).toBe('WORK_LEASE_EXPIRED')
    expect(group.accept(ada, OPEN, opening())).toHaveLength(1)
  })

  it('A-14: refuses ids that are taken or kept for work, strangers and unknown work', () => {
    const group = founded()
    expect(group.code(ada, OPEN, opening({ conversationId: group.state.group.mainConversationId }))).toBe('INVALID_COMMAND')
    expect(group.code(ada, OPEN, opening({ conversationId: `${group.state.groupId}:work:${workId('later')}` }))).toBe('INVALID_COMMAND')
    for (const stranger of [otto, ben]) expect(group.code(ada, OPEN, opening({ participants: [wim, stranger] }))).toBe('INVALID_COMMAND')
    expect(group.code(ada, OPEN, opening({ participants: [{ ...wim, type: 'human' }] }))).toBe('INVALID_COMMAND')
    expect(group.code(ada, OPEN, opening({ workItemId: workId('never') }))).toBe('INVALID_COMMAND')
    expect(group.code(ada, OPEN, opening(), { expectedRevision: 1 })).toBe('REVISION_CONFLICT')
  })

  it('A-116: is over with the Mission', () => {
    const group = founded()
    group.accept(ada, 'mission.cancel', { reason: 'Enough.' })
    expect(group.code(ada, OPEN, opening())).toBe('INVALID_STATE_TRANSITION')
  })
})

describe('a restricted Conversation', () => {
  it('A-26, A-134: is open to its participants, Coordinator and MissionOwner, for reading and posting', () => {
    const group = talking()
    expect(readers(group, 5)).toEqual([ada, cora, wim])
    expect(withholding(group.state, wanda.id, 5)).toEqual({ because: 'restricted' })
    for (const actor of [ada, cora, wim]) expect(group.accept(actor, 'message.post', said(`from ${actor.id}`), there)).toHaveLength(1)
    expect(group.code(wanda, 'message.post', said('me too'), there)).toBe('AUTH_FORBIDDEN')
  })

  it('A-134: is closed to a Coordinator who was replaced', () => {
    const group = talking()
    group.accept(ada, 'mission.assign_coordinator', { coordinatorAgentId: wanda.id, leaseSeconds: 3600, reason: 'A change.' })
    expect(readers(group, 5)).toEqual([ada, wim, wanda])
  })

  it('A-138: withholds corrections, retractions and redactions as well', () => {
    const group = talking()
    const cited = (name: string) => ({ amendmentId: urnOf(name), messageId: urnOf('secret'), reason: 'It was secret.' })
    group.accept(wim, 'message.correct', { ...cited('fix'), replacementContent: said('still secret').content })
    group.accept(wim, 'message.retract', cited('back'))
    group.accept(ada, 'message.redact', cited('gone'))
    for (const sequence of [5, 6, 7, 8]) expect(withholding(group.state, wanda.id, sequence)).toEqual({ because: 'restricted' })
    expect(withholding(group.state, wim.id, 6)).toEqual({ because: 'redacted', redactedBy: 8 })
    expect(withholding(group.state, wim.id, 8)).toBeUndefined()
  })

  it('A-134: hides its Messages from amendments of others as if they were not there', () => {
    const group = talking()
    const cited = { amendmentId: urnOf('x'), reason: 'Not mine.' }
    const hidden = group.refusal(wanda, 'message.retract', { ...cited, messageId: urnOf('secret') })
    expect(hidden).toEqual(group.refusal(wanda, 'message.retract', { ...cited, messageId: urnOf('never said') }))
    expect(group.code(cora, 'message.retract', { ...cited, messageId: urnOf('secret') })).toBe('AUTH_FORBIDDEN')
  })

  it('A-134: is the same after a replay', () => {
    const group = talking()
    expect(encodeState(replay(group.log))).toEqual(encodeState(group.state))
  })
})
