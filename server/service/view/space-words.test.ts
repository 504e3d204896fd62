import { describe, expect, it } from 'vitest'
import { spaceWords } from './space-words.ts'

describe('a Message of an open Space in one line', () => {
  it.each([
    [{ text: 'Hello\n  you' }, undefined, 'Hello you'],
    [{ id: 'c1', title: 'Go on?' }, 'checkpoint', 'checkpoint: Go on?'],
    [{ option: 'Reject', feedback: 'No' }, undefined, 'Reject'],
    [{ taskId: 't', ordinal: 0, proposal: { description: 'Sum it up' } }, 'iap/task_proposal', 'task proposal: Sum it up'],
    [{ taskId: 't', ordinal: 2, bid: { bidderId: 'agent-7', estimatedCost: 2 } }, 'iap/task_bid', 'task bid: agent-7'],
    [{ taskId: 't', ordinal: 1, refs: [0], author: 'router', at: 'now', round: 1, eligible: [{}, {}] }, 'iap/task_broadcast', 'task broadcast: round: 1, eligible: 2 items'],
    [{ taskId: 't', ordinal: 5, messageId: 'm', result: { taskId: 't', assignmentId: 'a', status: 'completed', result: { sum: 3 } } }, 'iap/task_result', 'task result: status: completed, result: …'],
    [{ order: 7, items: [1, 2], from: { a: 1 }, ok: null, more: 1 }, undefined, 'order: 7, items: 2 items, from: …, ok: null'],
    [{ text: '  ' }, undefined, 'text:'],
    [{}, undefined, 'nothing'],
  ])('of %j with the type %s', (content, contentType, line) => {
    expect(spaceWords(content, contentType)).toBe(line)
  })

  it('names the agent that a record calls by its id', () => {
    expect(spaceWords({ ordinal: 2, bid: { bidderId: 'agent-7' } }, 'iap/task_bid', (id) => (id === 'agent-7' ? 'Rival' : undefined))).toBe('task bid: Rival')
  })

  it('is cut', () => {
    expect(spaceWords({ text: 'a'.repeat(500) })).toHaveLength(160)
  })
})
