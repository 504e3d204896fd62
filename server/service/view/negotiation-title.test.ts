// Sentences for the records of a negotiation: names instead of ids, and nothing of what an agent might have put in their place.
import { expect, it } from 'vitest'
import type { Actor, IapRecord } from '../../../protocol/generated/types.ts'
import { urnOf, wanda, wim } from '../../testing/cast.ts'
import { negotiationTitle } from './negotiation-title.ts'
import type { Naming } from './participants.ts'

const names = new Map([[wim.id, 'Wim'], [wanda.id, 'Wanda']])
const name: Naming = ({ id, type }: Actor) => ({ id, type, name: names.get(id) ?? 'somebody' })

function titled(type: IapRecord['type'], changes: Partial<IapRecord> = {}): string {
  const record = { recordId: urnOf('r'), taskId: 'task', ordinal: 1, type, author: 'wim-9', speaker: wim, concerns: wanda, at: '2026-11-30T08:00:00Z', refs: [], ...changes }
  return negotiationTitle(record, { name, work: 'Check the links' })
}

it.each<[IapRecord['type'], Record<string, unknown>, string]>([
  ['task_proposal', {}, 'Proposal: Wim asks for bids on “Check the links”'],
  ['task_broadcast', { eligible: [{}, {}] }, 'Asked for bids: 2 agents'],
  ['task_bid', { bid: { estimatedCost: 4 } }, 'Bid 4 by Wim'],
  ['task_bid', { bid: { estimatedCost: 40 }, ineligible: 'over_max_cost' }, 'Bid 40 by Wim (over the cost limit)'],
  ['task_assignment', { agentId: 'x', selection: { candidates: [{}, {}] } }, 'Awarded to Wanda, chosen from 2 bids'],
  ['task_assignment', { agentId: 'x', selection: { candidates: [{}] } }, 'Awarded to Wanda'],
  ['task_acceptance', {}, 'Wim takes the award'],
  ['task_rejection', { reason: 'Busy.' }, 'Wim turns the award down: Busy.'],
  ['task_release', { cause: 'not_accepted' }, 'Taken from Wanda, who did not accept in time'],
  ['task_result', { result: { status: 'completed', result: 1 } }, 'Result of Wim'],
  ['task_result', { result: { status: 'failed', error: { message: 'No data.' } } }, 'Wim reports a failure: No data.'],
  ['task_result', { result: { status: 'completed' }, refused: 'late' }, 'Result of Wim, kept and not applied: too late'],
  ['task_failure', { reason: 'no agent took the task' }, 'Nobody does it: no agent took the task'],
  ['task_cancellation', { reason: 'Not needed.' }, 'Negotiation cancelled: Not needed.'],
])('says of %s %j: %s', (type, content, words) => {
  expect(titled(type, { content })).toBe(words)
})

it('says what it can of a record whose content is too long for the log, or not what it should be', () => {
  expect(titled('task_result', { omitted: { sha256: '0'.repeat(64), size: 70_000 } })).toBe('Result of Wim')
  expect(titled('task_bid', { content: { bid: 'free', ineligible: 7 } })).toBe('Bid by Wim')
  expect(titled('task_result', { content: { result: null, refused: ['x'] } })).toBe('Result of Wim')
})
