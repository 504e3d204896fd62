// How an entry that carries a Message is titled in the log, for the auditor and for a reader of whom words are withheld.
import { describe, expect, it } from 'vitest'
import { encodeCanonical } from '../../../protocol/canonical-json.ts'
import type { EventDocument } from '../../../protocol/generated/types.ts'
import { withholding } from '../../authority/visibility.ts'
import { ada, hashOf, urnOf, wanda, wim } from '../../testing/cast.ts'
import { GroupFixture } from '../../testing/group-fixture.ts'
import { standInFor } from '../stand-in.ts'
import { eventTitle } from './event-title.ts'
import { graphPage } from './graph-view.ts'
import type { Naming } from './participants.ts'

const naming: Naming = ({ id, type }) => ({ id, type, name: 'Wim', online: true })
const hello = urnOf('hello')

/** A Group in which Wim has said this. */
function saying(content: readonly object[], envelope: { conversationId?: string } = {}): GroupFixture {
  const group = new GroupFixture().found()
  group.accept(ada, 'ext.countersign.conversation.open', { conversationId: urnOf('aside'), type: 'restricted', title: 'Aside', participants: [wim] })
  group.accept(wim, 'message.post', { messageId: hello, content } as never, envelope)
  return group
}

/** The title of what Wim said, as this member reads it. */
function titleFor(group: GroupFixture, principalId: string): string {
  const original = group.log[4]!
  const why = withholding(group.state, principalId, 5)
  const event = why ? ({ ...standInFor({ event: original, bytes: encodeCanonical(original) }, why), signature: original.signature } as EventDocument) : original
  return eventTitle({ event, sequence: 5 }, group.state, naming)
}

/** What the graph shows of the words in the entries that carry the Message and its correction. */
const excerpts = (group: GroupFixture) =>
  graphPage(group.log.slice(4, 6).map((event, at) => ({ spaceId: 'group', sequence: 5 + at, eventId: event.eventId, kind: event.kind, bytes: encodeCanonical(event), event })), [], group.state, naming).nodes.map(({ excerpt }) => excerpt)

describe('the title of a Message in the log', () => {
  it('carries the beginning of what was said, on one line', () => {
    expect(titleFor(saying([{ type: 'text', text: 'The list\n\nis done.' }]), ada.id)).toBe('Wim says: The list is done.')
  })

  it('is cut with an ellipsis, never inside a character', () => {
    const title = titleFor(saying([{ type: 'text', text: '👍'.repeat(300) }]), ada.id)
    expect(title).toBe(`Wim says: ${'👍'.repeat(119)}…`)
  })

  it('says so where there are no words', () => {
    expect(titleFor(saying([{ type: 'artifact_ref', artifactHash: hashOf('list') }]), ada.id)).toBe('Wim says something without words')
  })

  it('A-125: repeats no redacted words, not even to the auditor', () => {
    const group = saying([{ type: 'text', text: 'secret' }])
    group.accept(ada, 'message.redact', { amendmentId: urnOf('a'), messageId: hello, reason: 'It opens a door.' })
    expect([ada, wanda].map(({ id }) => titleFor(group, id))).toEqual(Array(2).fill('Wim says something that was redacted'))
  })

  it('A-138: repeats nothing that its author took back, neither here nor in the graph, corrections included', () => {
    const group = saying([{ type: 'text', text: 'Nonsense.' }])
    group.accept(wim, 'message.correct', { amendmentId: urnOf('b'), messageId: hello, reason: 'Once more.', replacementContent: [{ type: 'text', text: 'More nonsense.' }] })
    expect(excerpts(group)).toEqual(['Nonsense.', 'More nonsense.'])
    group.accept(wim, 'message.retract', { amendmentId: urnOf('a'), messageId: hello, reason: 'Wrong mission.' })
    expect(titleFor(group, ada.id)).toBe('Wim says something that was taken back')
    expect(excerpts(group)).toEqual([undefined, undefined])
  })

  it('A-134: tells nobody else what was said among a few', () => {
    const group = saying([{ type: 'text', text: 'secret' }], { conversationId: urnOf('aside') })
    expect(titleFor(group, wim.id)).toBe('Wim says: secret')
    expect(titleFor(group, wanda.id)).toBe('Wim says something to those who take part in its conversation')
  })
})
