import { expect, test } from 'vitest'
import { workContract } from '../server/testing/documents.ts'
import { whyDeclined } from './scheduler.ts'

const contract = { ...workContract(), deadline: '2026-01-01T12:00:00.000Z' }
const noon = Date.parse(contract.deadline)

test.each([
  ['work that the Worker takes is not declined', true, noon - 1, undefined],
  ['work that it does not take is declined for its kind', false, noon - 1, 'capability'],
  ['a reason that the Worker gives is passed on', 'budget', noon - 1, 'budget'],
  ['a deadline that has passed cannot be committed to', true, noon, 'deadline'],
  ['the Worker\'s own reason comes before the deadline', 'capacity', noon, 'capacity'],
] as const)('A-169: %s', (_why, answer, nowMs, reason) => {
  expect(whyDeclined(contract, answer, nowMs)).toBe(reason)
})
