import { expect, test } from 'vitest'
import { STAND_IN_EXTENSION, standInOf } from './stand-in.ts'

const documentHash = `sha256:${'a'.repeat(64)}`
const extensions = { [STAND_IN_EXTENSION]: { version: '1.0.0', critical: false, data: { because: 'restricted', documentHash } } }

test('an Event that stands in for another says why', () => {
  expect(standInOf({ extensions })).toEqual({ because: 'restricted', documentHash })
  expect(standInOf({})).toBeUndefined()
})

test('A-26, A-134: what answers a Command is an original, whatever it says of itself', () => {
  expect(standInOf({ extensions, commandHash: documentHash })).toBeUndefined()
})
