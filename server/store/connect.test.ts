import { describe, expect, it } from 'vitest'
import type { Sql } from './connect.ts'
import { encodeBytea, parseSafeInteger, requireSupportedServer } from './connect.ts'

const server = (number: number, version: string, encoding = 'UTF8') => (async () => [{ number, version, encoding }]) as unknown as Sql

describe('connect', () => {
  it.each([['0', 0], ['9007199254740991', 2 ** 53 - 1], ['-9007199254740991', 1 - 2 ** 53]])('reads the bigint %s', (text, value) => {
    expect(parseSafeInteger(text)).toBe(value)
  })

  it.each(['9007199254740992', '-9007199254740992', '9223372036854775807'])('refuses the bigint %s rather than round it', (text) => {
    expect(() => parseSafeInteger(text)).toThrow(expect.objectContaining({ code: 'integer-unsafe' }))
  })

  it('encodes bytes, here a part of a larger buffer, and what is encoded once more as itself', () => {
    const encoded = encodeBytea(new Uint8Array([1, 2, 0, 255, 3]).subarray(2, 4))
    expect(encoded).toBe('\\x00ff')
    expect(encodeBytea(encoded)).toBe(encoded)
  })

  it('refuses PostgreSQL 14 and takes 15', async () => {
    await expect(requireSupportedServer(server(140_019, '14.19'))).rejects.toMatchObject({ name: 'StoreFault', code: 'server-too-old' })
    await expect(requireSupportedServer(server(150_000, '15.0'))).resolves.toBeUndefined()
  })

  it('refuses a database that would convert text', async () => {
    await expect(requireSupportedServer(server(150_000, '15.0', 'LATIN1'))).rejects.toMatchObject({ code: 'encoding-unsupported' })
  })
})
