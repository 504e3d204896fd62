// A Message in its latest form, as two readers of the same log see it.
import { describe, expect, it } from 'vitest'
import { encodeCanonical } from '../../../protocol/canonical-json.ts'
import type { EventDocument } from '../../../protocol/generated/types.ts'
import { withholding } from '../../authority/visibility.ts'
import { ada, cora, urnOf, wanda, wim } from '../../testing/cast.ts'
import { GroupFixture } from '../../testing/group-fixture.ts'
import { standInFor } from '../stand-in.ts'
import { amendmentSequences, messageView } from './message-view.ts'

const text = (words: string) => [{ type: 'text' as const, text: words }]
const hello = urnOf('hello')
const cited = (name: string) => ({ amendmentId: urnOf(name), messageId: hello, reason: `because of ${name}` })
const naming = ({ id, type }: { id: string; type: 'human' | 'agent' | 'service' }) => ({ id, type, name: id })

function talking(envelope: { conversationId?: string } = {}): GroupFixture {
  const group = new GroupFixture().found()
  group.accept(ada, 'ext.countersign.conversation.open', { conversationId: urnOf('aside'), type: 'restricted', title: 'Aside', participants: [wim] })
  group.accept(wim, 'message.post', { messageId: hello, content: text('first') }, envelope)
  return group
}

/** The Message as this member is shown it. */
function seenBy(group: GroupFixture, principalId: string) {
  const entryAt = (sequence: number) => {
    const event = group.log[sequence - 1]!
    const bytes = encodeCanonical(event)
    const why = withholding(group.state, principalId, sequence)
    const shown = why ? ({ ...standInFor({ event, bytes }, why), signature: event.signature } as EventDocument) : event
    return { spaceId: group.state.groupId, sequence, eventId: event.eventId, kind: event.kind, bytes, event: shown }
  }
  const posted = entryAt(5)
  return messageView(posted, amendmentSequences([posted], group.state).map(entryAt), group.state, naming)
}

describe('a Message in the console', () => {
  it('A-138: has no chain while it stands as it was posted', () => {
    expect(seenBy(talking(), cora.id)).toMatchObject({ form: 'posted', parts: text('first'), chain: [] })
  })

  it('A-138: shows the last correction and keeps the chain', () => {
    const group = talking()
    group.accept(wim, 'message.correct', { ...cited('a'), replacementContent: text('second') })
    group.accept(wim, 'message.correct', { ...cited('b'), replacementContent: text('third') })
    const view = seenBy(group, cora.id)
    expect(view).toMatchObject({ form: 'corrected', parts: text('third') })
    expect(view.chain.map(({ kind, parts, reason }) => [kind, parts, reason])).toEqual([
      ['message', text('first'), undefined],
      ['correction', text('second'), 'because of a'],
      ['correction', text('third'), 'because of b'],
    ])
  })

  it('A-138: says nothing once it was retracted, and the chain still does', () => {
    const group = talking()
    group.accept(wim, 'message.retract', cited('a'))
    expect(seenBy(group, cora.id)).toMatchObject({ form: 'retracted', parts: [], chain: [{ parts: text('first') }, { kind: 'retraction', parts: [], reason: 'because of a' }] })
  })

  it('A-125: shows who redacted it and why; the words are in the chain of the auditor alone', () => {
    const group = talking()
    group.accept(wim, 'message.correct', { ...cited('a'), replacementContent: text('second') })
    group.accept(ada, 'message.redact', cited('b'))
    const [auditor, reader] = [seenBy(group, ada.id), seenBy(group, wim.id)]
    for (const view of [auditor, reader]) expect(view).toMatchObject({ form: 'redacted', parts: [] })
    expect(auditor.chain.map(({ parts, isWithheld }) => [parts, isWithheld])).toEqual([[text('first'), false], [text('second'), false], [[], false]])
    expect(reader.chain.map(({ parts, isWithheld, reason }) => [parts, isWithheld, reason])).toEqual([[[], true, undefined], [[], true, undefined], [[], false, 'because of b']])
  })

  it('A-134: is a closed door to whoever does not take part', () => {
    const group = talking({ conversationId: urnOf('aside') })
    group.accept(wim, 'message.correct', { ...cited('a'), replacementContent: text('second') })
    expect(seenBy(group, wim.id)).toMatchObject({ form: 'corrected', parts: text('second') })
    const view = seenBy(group, wanda.id)
    expect(view).toMatchObject({ form: 'restricted', parts: [] })
    expect(JSON.stringify(view)).not.toMatch(/first|second|because/)
  })
})
