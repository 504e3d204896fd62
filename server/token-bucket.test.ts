import { expect, test } from 'vitest'
import { TokenBucket, TokenBuckets } from './token-bucket.ts'

const take = (bucket: TokenBucket, times: number, at: number) => Array.from({ length: times }, () => bucket.take(at))

test('grants a burst, then says when to come back', () => {
  const bucket = new TokenBucket(10, 3, 0)
  expect(take(bucket, 5, 0)).toEqual(['granted', 'granted', 'granted', { retryAfterMs: 100 }, { retryAfterMs: 200 }])
})

test('a sender that waits as told is granted again', () => {
  const bucket = new TokenBucket(10, 1, 0)
  expect(take(bucket, 2, 0)).toEqual(['granted', { retryAfterMs: 100 }])
  expect(bucket.take(200)).toBe('granted')
})

test('fills up to the burst and no further', () => {
  const bucket = new TokenBucket(10, 2, 0)
  expect(take(bucket, 3, 1_000_000)).toEqual(['granted', 'granted', { retryAfterMs: 100 }])
})

test('a sender that overdraws a whole burst is exhausted', () => {
  const bucket = new TokenBucket(10, 2, 0)
  const answers = take(bucket, 6, 0)
  expect(answers.slice(2, 5).every((answer) => typeof answer === 'object')).toBe(true)
  expect(answers[5]).toBe('exhausted')
})

test('what costs more empties the bucket sooner', () => {
  const bucket = new TokenBucket(10, 5, 0)
  expect([bucket.take(0, 4), bucket.take(0, 4)]).toEqual(['granted', { retryAfterMs: 300 }])
})

test('each of many senders has a bucket of its own', () => {
  const buckets = new TokenBuckets({ perSecond: 10, burst: 1 })
  expect(['a', 'a', 'b', 'a', 'a'].map((sender) => buckets.waitMs(sender, 0))).toEqual([0, 100, 0, 200, 1000])
})

test('the sender that was quiet longest is forgotten first', () => {
  const buckets = new TokenBuckets({ perSecond: 10, burst: 1 }, 2)
  for (const sender of ['a', 'b', 'a', 'c']) buckets.waitMs(sender, 0)
  expect([buckets.waitMs('b', 0), buckets.waitMs('c', 0)]).toEqual([0, 100])
})
