import { describe, expect, it } from 'vitest'
import { ada, cora, urnOf, wanda, wim } from '../testing/cast.ts'
import { GroupFixture, replay } from '../testing/group-fixture.ts'
import { reach, workId } from '../testing/work-scenario.ts'
import { encodeState } from './encode-state.ts'
import { edgesOf } from './graph-edges.ts'
import type { GroupEvent } from './request.ts'

const text = (words: string) => [{ type: 'text' as const, text: words }]
const hello = urnOf('hello')

/** A Group in which wim has said something, as its fourth Event. */
function talking(envelope: { workItemId?: string } = {}): GroupFixture {
  const group = new GroupFixture().found()
  if (envelope.workItemId !== undefined) reach(group, 'a', 'open')
  group.accept(wim, 'message.post', { messageId: hello, content: text('The total is 12.') }, envelope)
  return group
}

const correction = (name = 'fix', words = 'The total is 13.') => ({ amendmentId: urnOf(name), messageId: hello, replacementContent: text(words), reason: 'A slip.' })
const cited = (name = 'gone') => ({ amendmentId: urnOf(name), messageId: hello, reason: 'It names a customer.' })

describe('message.correct', () => {
  it('A-20, A-138: appends a Message that cites the original, which stays as it was', () => {
    const group = talking()
    const posted = JSON.stringify(group.log[3])
    const [event] = group.accept(wim, 'message.correct', correction())
    expect(event).toMatchObject({ kind: 'message.corrected', sequence: 5, aggregateRevision: 5, conversationId: group.state.group.mainConversationId })
    expect(event?.payload).toEqual({
      message: {
        messageId: urnOf('fix'),
        missionId: group.state.mission.missionId,
        groupId: group.state.groupId,
        conversationId: group.state.group.mainConversationId,
        author: wim,
        kind: 'correction',
        authority: false,
        targetMessageId: hello,
        content: text('The total is 13.'),
        reason: 'A slip.',
        committedAt: group.now,
      },
    })
    expect(JSON.stringify(group.log[3])).toBe(posted)
  })

  it('A-138: a corrected Message may be corrected again, citing the original', () => {
    const group = talking()
    group.accept(wim, 'message.correct', correction('first'))
    group.accept(wim, 'message.correct', correction('second'))
    expect(group.state.messages.get(hello)?.amendments).toEqual([{ kind: 'correction', sequence: 5 }, { kind: 'correction', sequence: 6 }])
    expect(group.code(wim, 'message.correct', { ...correction('third'), messageId: urnOf('first') })).toBe('INVALID_COMMAND')
  })

  it('A-276: counts like a Message, and Messages count against it', () => {
    const group = talking()
    group.policy = { ...group.policy, limits: { ...group.policy.limits, messagesPerMinute: 3 } }
    group.accept(wim, 'message.correct', correction('first'))
    group.accept(wim, 'message.correct', correction('second'))
    expect(group.code(wim, 'message.correct', correction('third'))).toBe('RATE_LIMITED')
    expect(group.code(wim, 'message.post', { messageId: urnOf('more'), content: text('And more.') })).toBe('RATE_LIMITED')
    group.pass(61).accept(wim, 'message.correct', correction('third'))
  })

  it('A-138: costs the same however often the Message was corrected', () => {
    const group = talking()
    group.accept(wim, 'message.correct', correction('first'))
    const kept = group.state.messages.get(hello)?.amendments
    group.accept(wim, 'message.correct', correction('second'))
    expect(group.state.messages.get(hello)?.amendments).toBe(kept)
    expect(kept).toHaveLength(2)
  })

  it('A-134: stays in the Conversation of the WorkItem', () => {
    const [event] = talking({ workItemId: workId('a') }).accept(wim, 'message.correct', correction())
    expect(event).toMatchObject({ workItemId: workId('a'), conversationId: `${urnOf('group one')}:work:${workId('a')}` })
  })
})

describe('message.retract', () => {
  it('A-138: takes the Message back, with the reason as what is said', () => {
    const group = talking()
    const [event] = group.accept(wim, 'message.retract', cited())
    expect(event).toMatchObject({ kind: 'message.retracted', payload: { message: { kind: 'retraction', targetMessageId: hello, reason: 'It names a customer.', content: text('It names a customer.') } } })
    expect(group.state.messages.get(hello)?.amendments).toEqual([{ kind: 'retraction', sequence: 5 }])
    expect(group.state.redactedBy.size).toBe(0)
  })

  it('A-138: ends what the author can say about it', () => {
    const group = talking()
    group.accept(wim, 'message.retract', cited())
    expect(group.code(wim, 'message.retract', cited('again'))).toBe('INVALID_STATE_TRANSITION')
    expect(group.code(wim, 'message.correct', correction())).toBe('INVALID_STATE_TRANSITION')
  })
})

describe('message.correct and message.retract', () => {
  it.each([['another member', wanda], ['the Coordinator', cora], ['the MissionOwner', ada]])('A-138: are not for %s', (_, actor) => {
    const group = talking()
    expect(group.code(actor, 'message.correct', correction())).toBe('AUTH_FORBIDDEN')
    expect(group.code(actor, 'message.retract', cited())).toBe('AUTH_FORBIDDEN')
  })

  it('A-116: fall silent with the Mission', () => {
    const group = talking()
    group.accept(ada, 'mission.cancel', { reason: 'Enough.' })
    expect(group.code(wim, 'message.correct', correction())).toBe('INVALID_STATE_TRANSITION')
    expect(group.code(wim, 'message.retract', cited())).toBe('INVALID_STATE_TRANSITION')
  })

  it('A-138: a conversation key, which may post, may also correct and retract, but not redact', () => {
    const group = new GroupFixture().found()
    const key = { keyUse: 'conversation' } as const
    group.accept(ada, 'message.post', { messageId: hello, content: text('Hello.') }, key)
    expect(group.accept(ada, 'message.correct', correction(), key)).toHaveLength(1)
    expect(group.code(ada, 'message.redact', cited('hidden'), key)).toBe('AUTH_FORBIDDEN')
    expect(group.accept(ada, 'message.retract', cited(), key)).toHaveLength(1)
  })
})

describe('message.redact', () => {
  it('A-125: hides the Message and every correction of it, and changes no Event', () => {
    const group = talking()
    group.accept(wim, 'message.correct', correction())
    const before = JSON.stringify(group.log)
    const [event] = group.accept(ada, 'message.redact', cited())
    expect(event).toMatchObject({ kind: 'message.redacted', sequence: 6, payload: { message: { author: ada, kind: 'redaction', targetMessageId: hello, reason: 'It names a customer.' } } })
    expect([...group.state.redactedBy]).toEqual([[4, 6], [5, 6]])
    expect(JSON.stringify(group.log.slice(0, 5))).toBe(before)
  })

  it('A-138: hides what was retracted, together with the reason given then', () => {
    const group = talking()
    group.accept(wim, 'message.retract', cited())
    group.accept(ada, 'message.redact', cited('hidden'))
    expect([...group.state.redactedBy]).toEqual([[4, 6], [5, 6]])
  })

  it('A-138: is for the MissionOwner alone', () => {
    const group = talking()
    for (const actor of [wim, wanda, cora]) expect(group.code(actor, 'message.redact', cited())).toBe('AUTH_FORBIDDEN')
  })

  it('A-138: is final', () => {
    const group = talking()
    group.accept(ada, 'message.redact', cited())
    expect(group.code(ada, 'message.redact', cited('again'))).toBe('INVALID_STATE_TRANSITION')
    expect(group.code(wim, 'message.correct', correction())).toBe('INVALID_STATE_TRANSITION')
    expect(group.code(wim, 'message.retract', cited('again'))).toBe('INVALID_STATE_TRANSITION')
  })

  it('A-125: is possible after the Mission has ended', () => {
    const group = talking()
    group.accept(ada, 'mission.cancel', { reason: 'Enough.' })
    expect(group.accept(ada, 'message.redact', cited())).toHaveLength(1)
  })
})

describe('every amendment', () => {
  it('A-14: needs a known Message, a new id and the current Group sequence', () => {
    const group = talking()
    expect(group.code(wim, 'message.correct', { ...correction(), messageId: urnOf('never said') })).toBe('INVALID_COMMAND')
    expect(group.code(wim, 'message.retract', { ...cited(), messageId: group.state.mission.missionId })).toBe('INVALID_COMMAND')
    expect(group.code(ada, 'message.redact', { ...cited(), messageId: urnOf('never said') })).toBe('INVALID_COMMAND')
    expect(group.code(wim, 'message.correct', { ...correction(), amendmentId: hello })).toBe('INVALID_COMMAND')
    expect(group.code(wim, 'message.retract', cited(), { expectedRevision: 3 })).toBe('REVISION_CONFLICT')
    expect(group.accept(wim, 'message.retract', cited(), { expectedRevision: 4 })).toHaveLength(1)
  })

  it('A-138: leads to its Message in the graph, and a replay finds the same state', () => {
    const group = talking()
    group.accept(wim, 'message.correct', correction())
    group.accept(ada, 'message.redact', cited())
    for (const event of group.log.slice(4)) {
      expect(edgesOf(event as unknown as GroupEvent, group.state)).toEqual([{ child: event.sequence, parent: 4, provenance: 'target' }])
    }
    expect(encodeState(replay(group.log))).toEqual(encodeState(group.state))
  })
})
