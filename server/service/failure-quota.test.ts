import { beforeEach, describe, expect, it } from 'vitest'
import { FailureQuota } from './failure-quota.ts'

let nowMs: number
let quota: FailureQuota
const fail = (times: number, sender = 'a') => {
  for (let failure = 0; failure < times; failure++) quota.take(sender)
}

beforeEach(() => {
  nowMs = 0
  quota = new FailureQuota(() => nowMs)
})

describe('a sender', () => {
  it('waits after forty failures, alone, and for a quarter of a second each', () => {
    fail(39)
    expect(quota.waitMs('a')).toBe(0)
    fail(1)
    expect([quota.waitMs('a'), quota.waitMs('b')]).toEqual([250, 0])
    nowMs = 250
    expect(quota.waitMs('a')).toBe(0)
  })

  it('waits for all that it has overdrawn, so that failing side by side gains nothing', () => {
    fail(100)
    expect(quota.waitMs('a')).toBe(61 * 250)
  })

  it('that succeeds has used up nothing', () => {
    fail(39)
    for (let attempt = 0; attempt < 100; attempt++) {
      quota.take('a')
      quota.giveBack('a')
    }
    expect(quota.waitMs('a')).toBe(0)
  })

  it('that failed in nothing yet has its whole burst after a count was given back', () => {
    quota.take('a')
    quota.giveBack('a')
    fail(39)
    expect(quota.waitMs('a')).toBe(0)
  })

  it('has its whole burst again later, and no more', () => {
    fail(40)
    nowMs = 3_600_000
    fail(40)
    expect(quota.waitMs('a')).toBe(250)
  })
})

it('the sender that was quiet longest is forgotten before memory fills', () => {
  fail(40)
  for (let index = 0; index < 10_000; index++) fail(1, `sender ${index}`)
  expect(quota.waitMs('a')).toBe(0)
})
