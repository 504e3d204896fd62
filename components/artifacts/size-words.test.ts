import { describe, expect, it } from 'vitest'
import { sizeWords } from './size-words.ts'

describe('sizes in words', () => {
  it.each([[0, '0 bytes'], [1, '1 byte'], [1023, '1023 bytes'], [1024, '1.0 KiB'], [10 * 1024, '10 KiB'], [1.4 * 1024 ** 2, '1.4 MiB'], [64 * 1024 ** 2, '64 MiB'], [3 * 1024 ** 4, '3072 GiB']])(
    '%d is %s', (bytes, words) => {
      expect(sizeWords(bytes)).toBe(words)
    })
})
