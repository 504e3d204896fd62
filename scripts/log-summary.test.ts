import { expect, it } from 'vitest'
import { summaryOf } from './log-summary.ts'

it('Messages of open Spaces are not counted as Events, which are signed', () => {
  const reports = [
    { spaceId: 'g', events: 5, commands: 4, messages: 0, stateHash: 'h', differences: [] },
    { spaceId: 'o', events: 0, commands: 0, messages: 7, differences: ['one', 'two'] },
  ]
  expect(summaryOf(reports)).toBe('2 Spaces, 5 signed Events, 4 Commands and 7 unsigned Messages of open Spaces verified, 2 differences')
})
