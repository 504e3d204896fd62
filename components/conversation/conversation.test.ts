import { describe, expect, it } from 'vitest'
import type { GraphNode } from '../graph/graph-store.ts'
import type { MessageView } from '../trpc.tsx'
import { completeMention, findMentionQuery, matchingNames } from './mention-query.ts'
import { mergeStream } from './stream.ts'

const message = (sequence: number) => ({ sequence }) as MessageView
const event = (sequence: number, lane = 'work', nodeKind: GraphNode['nodeKind'] = 'event') => ({ sequence, lane, nodeKind }) as GraphNode
const shape = (...args: Parameters<typeof mergeStream>) => mergeStream(...args).map((item) => `${item.type} ${item.sequence}`)

describe('one Conversation with its Events', () => {
  it('interleaves by sequence and takes no other lane and no Message twice', () => {
    const events = { nodes: [event(2), event(3, 'other'), event(4, 'work', 'message'), event(6, 'work', 'artifact')], hasOlder: false }
    expect(shape([message(4), message(7)], false, events, 'work')).toEqual(['event 2', 'message 4', 'event 6', 'message 7'])
  })

  it('shows no Event from before the oldest loaded Message while older Messages exist', () => {
    expect(shape([message(10)], true, { nodes: [event(5), event(12)], hasOlder: false }, 'work')).toEqual(['message 10', 'event 12'])
  })

  it('says where Events are not loaded although Messages are', () => {
    expect(shape([message(3), message(30)], false, { nodes: [event(20)], hasOlder: true }, 'work')).toEqual(['message 3', 'events-missing 19.5', 'event 20', 'message 30'])
  })

  it('shows Events of a thread that has no Message yet', () => {
    expect(shape([], false, { nodes: [event(1)], hasOlder: false }, 'work')).toEqual(['event 1'])
  })
})

describe('mentions while writing', () => {
  it.each([
    ['@', 1, { start: 0, query: '' }],
    ['hello @ma', 9, { start: 6, query: 'ma' }],
    ['(@ma', 4, { start: 1, query: 'ma' }],
    ['a@ma', 4, undefined],
    ['@ma rest', 8, undefined],
    ['@ma rest', 2, { start: 0, query: 'm' }],
  ])('%j at %d', (text, caret, mention) => {
    expect(findMentionQuery(text, caret)).toEqual(mention)
  })

  it('writes the name out and leaves one space behind it', () => {
    expect(completeMention('hi @ma there', 6, { start: 3, query: 'ma' }, 'Mara Lind')).toEqual({ text: 'hi @Mara Lind there', caret: 14 })
  })

  it('finds by the beginning of any word', () => {
    const people = [{ name: 'Mara Lind' }, { name: 'Licence worker' }]
    expect(matchingNames(people, 'li')).toHaveLength(2)
    expect(matchingNames(people, 'wor')).toEqual([people[1]])
    expect(matchingNames(people, '')).toHaveLength(2)
  })
})
