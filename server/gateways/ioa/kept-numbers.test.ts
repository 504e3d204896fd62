import { describe, expect, it } from 'vitest'
import { lostNumber } from './kept-numbers.ts'

describe('numbers of a signed document (hazard 1.4)', () => {
  it.each(['0', '-0', '0.0', '1', '-1.50', '1.0', '1E2', '100', '0.1', '9007199254740992', '-9007199254740991', '12345678901234567000', '1e21', '1.7976931348623157e308', '5e-324', '0.30000000000000004'])('keep %s', (number) => {
    expect(lostNumber(`{"a":[${number}]}`)).toBeUndefined()
  })

  it.each(['9007199254740993', '-9007199254740993', '12345678901234567890', '1e400', '1e-400', '3.141592653589793238', '0.1000000000000000000000001'])('lose %s', (number) => {
    expect(lostNumber(`{"a":1, "b":{"c":[2,${number} ]}}`)).toBe(number)
  })

  it('are looked for outside of texts and names alone, and in linear time', () => {
    expect(lostNumber(String.raw`{"9007199254740993":"9007199254740993 \" 9007199254740993"}`)).toBeUndefined()
    const startedMs = performance.now()
    expect(lostNumber(`{"a":"${'9'.repeat(200_000)}","b":1${'0'.repeat(200_000)}1}`)).toBeDefined()
    expect(lostNumber(`[${'1.5,'.repeat(60_000)}2]`)).toBeUndefined()
    expect(performance.now() - startedMs).toBeLessThan(2_000)
  })
})
