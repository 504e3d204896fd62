import { describe, expect, it } from 'vitest'
import { ada, cora, urnOf, wim } from '../testing/cast.ts'
import { GroupFixture } from '../testing/group-fixture.ts'
import { reach, workId } from '../testing/work-scenario.ts'
import { eventIdOf, leaseIdOf, relayedExtensions } from './draft.ts'

const said = (name: string) => ({ messageId: urnOf(name), content: [{ type: 'text' as const, text: name }] })
const trace = { 'urn:example:trace': { version: '1.0.0', critical: false, data: { span: 7 } } }

describe('derived ids', () => {
  it('are the same for the same cause and place, and no others', () => {
    expect(eventIdOf('seed')).toBe(eventIdOf('seed', 0))
    const ids = [eventIdOf('seed'), eventIdOf('seed', 1), eventIdOf('other'), leaseIdOf('seed', 'execution'), leaseIdOf('seed', 'ownership')]
    expect(new Set(ids).size).toBe(ids.length)
    for (const id of ids) expect(id).toMatch(/^urn:uuid:[0-9a-f-]{36}$/)
  })

  it('number the Events of one decision', () => {
    const group = new GroupFixture().found()
    reach(group, 'a', 'open')
    const command = group.command(ada, 'mission.cancel', { reason: 'Enough.' })
    const decision = group.judge(command)
    expect(decision.ok && decision.value.map(({ eventId }) => eventId)).toEqual([eventIdOf(command.signingHash, 0), eventIdOf(command.signingHash, 1)])
  })
})

describe('what an Event takes from its Command', () => {
  it('is actor, cause, correlation and hash (A-232)', () => {
    const group = new GroupFixture().found()
    const command = group.command(wim, 'message.post', said('m'), { correlationId: urnOf('thread') })
    expect(group.judge(command)).toMatchObject({
      ok: true,
      value: [{ actor: wim, cause: { type: 'command', id: command.command.actionId }, correlationId: urnOf('thread'), commandHash: command.signingHash }],
    })
  })

  it('is all that for every Event of a decision, but only the first answers the Command', () => {
    const group = new GroupFixture().found()
    reach(group, 'a', 'open')
    const [first, second] = group.accept(ada, 'mission.cancel', { reason: 'Enough.' }, { extensions: trace })
    expect(second).toMatchObject({ actor: ada, correlationId: first?.correlationId, commandHash: first?.commandHash, extensions: trace, cause: { type: 'event', id: first?.eventId } })
  })

  it('includes its extensions, unchanged (A-244)', () => {
    const group = new GroupFixture().found()
    const [event] = group.accept(wim, 'message.post', said('m'), { extensions: trace })
    expect(event?.extensions).toEqual(trace)
    const [plain] = group.accept(wim, 'message.post', said('n'))
    expect(plain).not.toHaveProperty('extensions')
  })

  it('includes the Event that it says it was caused by, beside its extensions', () => {
    const { command } = new GroupFixture().found().command(wim, 'message.post', said('m'), { extensions: trace, causedByEventId: urnOf('event') })
    expect(relayedExtensions(command)).toEqual({ ...trace, 'urn:countersign:extension:caused-by': { version: '1.0.0', critical: false, data: { eventId: urnOf('event') } } })
  })
})

describe('where an Event belongs', () => {
  it('is the WorkItem with its Conversation, or the Mission alone', () => {
    const group = new GroupFixture().found()
    reach(group, 'a', 'active')
    const conversationId = `${group.state.groupId}:work:${workId('a')}`
    const ofWork = group.log.filter(({ kind }) => kind.startsWith('work.'))
    expect(ofWork.map((event) => [event.workItemId, event.conversationId])).toEqual(ofWork.map(() => [workId('a'), conversationId]))
    const [renewed] = group.accept(cora, 'mission.renew_coordinator', {})
    expect(renewed).not.toHaveProperty('conversationId')
    expect(renewed).not.toHaveProperty('workItemId')
  })
})
