import { expect, test } from 'vitest'
import { AddressQuota } from './address-quota.ts'

test('bounds one address and leaves the others alone', () => {
  const quota = new AddressQuota(2, 10)
  expect(quota.take('a')).toBeDefined()
  expect(quota.take('a')).toBeDefined()
  expect(quota.take('a')).toBeUndefined()
  expect(quota.take('b')).toBeDefined()
})

test('bounds all addresses together', () => {
  const quota = new AddressQuota(2, 2)
  quota.take('a')
  quota.take('b')
  expect(quota.take('c')).toBeUndefined()
})

test('a place is given back once, however often it is said', () => {
  const quota = new AddressQuota(2, 2)
  const first = quota.take('a')!
  quota.take('a')
  first()
  first()
  expect(quota.count).toBe(1)
  expect(quota.take('a')).toBeDefined()
  expect(quota.take('a')).toBeUndefined()
})
