import { describe, expect, it } from 'vitest'
import { STAND_IN_EXTENSION } from '../../protocol/stand-in.ts'
import { ada, ben, cora, hashOf, urnOf, wim } from '../testing/cast.ts'
import { GroupFixture } from '../testing/group-fixture.ts'
import { reach, workId } from '../testing/work-scenario.ts'

const founded = () => new GroupFixture().found()
const said = (name: string, changes: object = {}) => ({ messageId: urnOf(name), content: [{ type: 'text' as const, text: name }], ...changes })

describe('message.post', () => {
  it('commits the Message to the main Conversation, without authority (A-136)', () => {
    const group = founded()
    const [event] = group.accept(wim, 'message.post', said('hello', { mentions: [ada], references: [urnOf('unknown')] }))
    expect(event).toMatchObject({ kind: 'message.posted', sequence: 4, aggregateRevision: 4, conversationId: group.state.group.mainConversationId })
    expect(event).not.toHaveProperty('workItemId')
    expect(event?.payload).toEqual({
      message: {
        messageId: urnOf('hello'),
        missionId: group.state.mission.missionId,
        groupId: group.state.groupId,
        conversationId: group.state.group.mainConversationId,
        author: wim,
        kind: 'message',
        authority: false,
        content: [{ type: 'text', text: 'hello' }],
        mentions: [ada],
        references: [urnOf('unknown')],
        committedAt: group.now,
      },
    })
  })

  it('A-26, A-134: does not pass for one that its reader may not see', () => {
    const forged = { [STAND_IN_EXTENSION]: { version: '1.0.0', critical: false, data: { because: 'restricted', documentHash: hashOf('x') } } }
    expect(founded().code(wim, 'message.post', said('hidden'), { extensions: forged })).toBe('INVALID_COMMAND')
  })

  it('binds nobody, whatever it says: no work, no offer, no spending, no right (A-16)', () => {
    const group = founded()
    const standing = () => {
      const { mission, memberships, workItems, proposals, delegations, overrides, ledgers, executing, ownedBy } = group.state
      return structuredClone({ mission, memberships, workItems, proposals, delegations, overrides, ledgers, executing, ownedBy })
    }
    const before = standing()
    group.accept(cora, 'message.post', said('Wim, start at once and spend what it takes.', { mentions: [wim] }))
    expect(standing()).toEqual(before)
    expect(group.code(wim, 'work.start', { workItemId: workId('a'), ownershipEpoch: 1 })).toBe('INVALID_COMMAND')
  })

  it('keeps where and by whom, and leaves the text to the log', () => {
    const group = founded()
    group.accept(wim, 'message.post', said('hello'))
    expect(group.state.messages.get(urnOf('hello'))).toEqual({ conversationId: group.state.group.mainConversationId, author: wim })
    expect(group.state.sequenceOf.get(urnOf('hello'))).toBe(4)
    expect(group.state.mission.revision).toBe(1)
  })

  it.each([
    ['its Conversation', { conversationId: `${urnOf('group one')}:work:${workId('a')}` }],
    ['itself', { workItemId: workId('a') }],
  ])('goes to a WorkItem’s Conversation when the Command names %s (A-134)', (_, envelope) => {
    const group = founded()
    reach(group, 'a', 'open')
    const [event] = group.accept(wim, 'message.post', said('about a'), envelope)
    expect(event).toMatchObject({ workItemId: workId('a'), conversationId: `${urnOf('group one')}:work:${workId('a')}` })
  })

  it('is open to every member, whatever the role (A-137)', () => {
    const group = founded()
    group.accept(ada, 'membership.change', { member: ben, role: 'observer' })
    for (const member of [ada, ben, cora, wim]) expect(group.accept(member, 'message.post', said(`from ${member.id}`))).toHaveLength(1)
  })

  it('carries finished content of every kind (A-135)', () => {
    const group = founded()
    const content = [
      { type: 'artifact_ref' as const, artifactHash: hashOf('list') },
      { type: 'data_ref' as const, schema: 'urn:example:table', data: { rows: [1, null] } },
    ]
    const [event] = group.accept(wim, 'message.post', { messageId: urnOf('m'), content })
    expect(event?.payload).toMatchObject({ message: { content } })
  })

  it('A-135: carries a text of any length that the schema allows', () => {
    const text = '😀'.repeat(100_000)
    const [event] = founded().accept(wim, 'message.post', said('long', { content: [{ type: 'text', text }] }))
    expect(event?.payload).toMatchObject({ message: { content: [{ type: 'text', text }] } })
    expect(founded().code(wim, 'message.post', said('longer', { content: [{ type: 'text', text: `${text}.` }] }))).toBe('SCHEMA_VALIDATION_FAILED')
  })

  it('A-136: refuses a Message that claims authority', () => {
    const group = founded()
    expect(group.code(wim, 'message.post', said('order', { authority: true }))).toBe('SCHEMA_VALIDATION_FAILED')
    expect(group.accept(wim, 'message.post', said('talk', { authority: false }))).toHaveLength(1)
  })

  it('tests the Group sequence, because nothing else changes (O-7)', () => {
    const group = founded()
    expect(group.code(wim, 'message.post', said('late'), { expectedRevision: 2 })).toBe('REVISION_CONFLICT')
    expect(group.accept(wim, 'message.post', said('on time'), { expectedRevision: 3 })).toHaveLength(1)
  })

  it('refuses an id that is in use, be it of a Message or of anything else (A-14)', () => {
    const group = founded()
    group.accept(wim, 'message.post', said('hello'))
    expect(group.code(ada, 'message.post', said('hello'))).toBe('INVALID_COMMAND')
    expect(group.code(ada, 'message.post', { ...said('x'), messageId: group.state.mission.missionId })).toBe('INVALID_COMMAND')
  })

  it('refuses an unknown Conversation and one about other work', () => {
    const group = founded()
    reach(group, 'a', 'open')
    expect(group.code(wim, 'message.post', said('x'), { conversationId: urnOf('elsewhere') })).toBe('INVALID_COMMAND')
    expect(group.code(wim, 'message.post', said('x'), { conversationId: group.state.group.mainConversationId, workItemId: workId('a') })).toBe('INVALID_COMMAND')
  })

  it('falls silent with the Mission (A-116)', () => {
    const group = founded()
    group.accept(ada, 'mission.cancel', { reason: 'Enough.' })
    expect(group.code(wim, 'message.post', said('but'))).toBe('INVALID_STATE_TRANSITION')
  })

  it('goes on while the owner decides', () => {
    const group = founded()
    reach(group, 'a', 'verified')
    group.accept(cora, 'mission.submit_for_approval', { artifactHashes: [hashOf('result of a')], summary: 'Done.', openRisks: [], dropped: [] })
    expect(group.accept(ada, 'message.post', said('looking'))).toHaveLength(1)
  })
})
