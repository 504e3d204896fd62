import { expect, it } from 'vitest'
import { isOlder } from './install.mjs'

it.each([['18.20.4', true], ['20.9.0', true], ['20.19.0', false], ['20.20.2', false], ['22.0.0', false], ['100.0.0', false]])('Node %s is too old: %s', (version, expected) => {
  expect(isOlder(version, '20.19')).toBe(expected)
})
