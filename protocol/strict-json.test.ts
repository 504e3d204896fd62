import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonValue, ParseFaultReason } from './strict-json.ts'
import { isJsonObject, parseStrictJson } from './strict-json.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)

function parsed(text: string) {
  const result = parseStrictJson(bytesOf(text))
  if (!result.ok) throw new Error(`refused: ${result.error.reason}`)
  return result.value
}

function refusal(input: string | Uint8Array, limits = {}): ParseFaultReason | undefined {
  const result = parseStrictJson(typeof input === 'string' ? bytesOf(input) : input, limits)
  return result.ok ? undefined : result.error.reason
}

describe('strict parsing (A-73)', () => {
  it.each([
    ['nothing', '', 'invalid-json'],
    ['white space only', ' \n', 'invalid-json'],
    ['two values', '{} {}', 'invalid-json'],
    ['a closing comma', '[1,]', 'invalid-json'],
    ['a comment', '{}//', 'invalid-json'],
    ['single quotes', "{'a':1}", 'invalid-json'],
    ['a raw control character', '"\u0001"', 'invalid-json'],
    ['a leading zero', '01', 'invalid-json'],
    ['the name NaN', 'NaN', 'invalid-json'],
    ['a byte order mark', '\ufeff{}', 'byte-order-mark'],
    ['a repeated name', '{"a":1,"a":2}', 'duplicate-member'],
    ['a repeated name with equal values', '{"a":1,"a":1}', 'duplicate-member'],
    ['a name repeated after unescaping', '{"a":1,"\\u0061":2}', 'duplicate-member'],
    ['a repeated name deep inside', '[{"x":[{"b":{},"c":0,"b":{"d":1}}]}]', 'duplicate-member'],
    ['a repeated empty name', '{"":1,"":2}', 'duplicate-member'],
    ['a repeated __proto__', '{"__proto__":1,"__proto__":2}', 'duplicate-member'],
    ['a repeated index-like name', '{"1":1,"0":2,"1":3}', 'duplicate-member'],
    ['a repeated lone surrogate as name', '{"\\ud800":1,"\\uD800":2}', 'duplicate-member'],
  ] as const)('refuses %s', (_fault, text, reason) => {
    expect(refusal(text)).toBe(reason)
  })

  it.each([
    ['a bad continuation byte', [0x22, 0xc3, 0x28, 0x22]],
    ['an overlong slash', [0x22, 0xc0, 0xaf, 0x22]],
    ['an encoded surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['a cut sequence', [0x22, 0xe2, 0x82]],
  ])('refuses %s as UTF-8', (_fault, bytes) => {
    expect(refusal(Uint8Array.from(bytes))).toBe('invalid-utf8')
  })

  it('takes colons, braces and quotes inside strings for text', () => {
    expect(parsed('{"a:{\\"":"}:]\\\\","b":[":"]}').value).toEqual({ 'a:{"': '}:]\\', b: [':'] })
  })

  it('accepts the same name in different objects', () => {
    expect(parsed('{"a":{"a":1},"b":{"a":2}}').value).toEqual({ a: { a: 1 }, b: { a: 2 } })
  })

  it('counts containers and refuses one level too many before any recursion', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    expect(refusal(nested(64))).toBeUndefined()
    expect(refusal(nested(65))).toBe('too-deep')
    expect(refusal(nested(3), { maxDepth: 2 })).toBe('too-deep')
    expect(refusal(nested(100_000))).toBe('too-deep')
  })

  it('refuses by size before decoding', () => {
    expect(refusal('[1,2]', { maxBytes: 5 })).toBeUndefined()
    expect(refusal('[1,2]', { maxBytes: 4 })).toBe('too-large')
    expect(refusal(new Uint8Array(256 * 1024 + 1))).toBe('too-large')
  })
})

describe('parsed objects', () => {
  it('have no prototype, whatever their members are called', () => {
    const { value } = parsed('{"__proto__":{"admin":true},"constructor":1,"toJSON":2}')
    if (!isJsonObject(value)) throw new Error('not an object')
    expect(Object.getPrototypeOf(value)).toBeNull()
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor', 'toJSON'])
    expect(Object.getPrototypeOf(value['__proto__'])).toBeNull()
    expect('hasOwnProperty' in value).toBe(false)
  })

  it('equal what JSON.parse gives for any JSON text', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        const result = parsed(text)
        expect(JSON.stringify(result.value)).toBe(JSON.stringify(JSON.parse(text)))
        expect(result.text).toBe(text)
      }),
    )
  })

  it('keep lone surrogates and numbers beyond binary64 for stage 5 (A-79)', () => {
    expect(parsed('["\\ud800",1e400,-1e400]').value).toEqual(['\ud800', Infinity, -Infinity])
  })
})

describe('the view for schemas (G-7)', () => {
  const view = (token: string): { value: JsonValue; seen: JsonValue } => {
    const { value, schemaView } = parsed(`{"n":[${token} ]}`)
    return { value: (value as { n: JsonValue[] }).n[0]!, seen: (schemaView as { n: JsonValue[] }).n[0]! }
  }

  it.each(['0', '-0', '7', '1.0', '1e2', '100e-2', '1.50e1', '9007199254740991', '9007199254740991.0', '0.0e-5', '2.5'])(
    'is the value itself for %s',
    (token) => {
      const { value, seen } = view(token)
      expect(seen).toBe(value)
    },
  )

  it.each(['9007199254740991.1', '1.00000000000000000001', '1e-400', '-1e-400', '10.00000000000000000001e1'])(
    'is no integer for %s, although binary64 rounds it to one',
    (token) => {
      const { value, seen } = view(token)
      expect(Number.isInteger(value)).toBe(true)
      expect(Number.isInteger(seen)).toBe(false)
      expect(Math.sign(seen as number)).toBe(token.startsWith('-') ? -1 : 1)
    },
  )

  it.each(['1e400', '-1e400'])('is a finite number of great size for %s', (token) => {
    const { seen } = view(token)
    expect(Math.abs(seen as number)).toBe(Number.MAX_VALUE)
  })

  it('shares the tree unless a number needs another spelling', () => {
    const usual = parsed('{"a":[1,2.5]}')
    expect(usual.schemaView).toBe(usual.value)
    const odd = parsed('{"a":[1.00000000000000000001,"1.00000000000000000001"],"b":-2}')
    expect(odd.value).toEqual({ a: [1, '1.00000000000000000001'], b: -2 })
    expect(odd.schemaView).toEqual({ a: [0.5, '1.00000000000000000001'], b: -2 })
  })

  it('agrees with exact arithmetic on whether a written number is an integer', () => {
    const token = fc
      .tuple(fc.bigInt({ min: 0n, max: 10n ** 20n }), fc.stringMatching(/^[0-9]{0,25}$/), fc.integer({ min: -30, max: 30 }))
      .map(([whole, fraction, exponent]) => ({ whole, fraction, exponent }))
    fc.assert(
      fc.property(token, ({ whole, fraction, exponent }) => {
        const written = `${whole}${fraction === '' ? '' : `.${fraction}`}e${exponent}`
        const scaled = BigInt(`${whole}${fraction}`) * 10n ** BigInt(60 + exponent - fraction.length)
        const { value, seen } = view(written)
        expect(seen !== value).toBe(Number.isInteger(value) && scaled % 10n ** 60n !== 0n)
      }),
    )
  })

  it('takes linear time over a long run of zeros', () => {
    const digits = `1.${'0'.repeat(200_000)}1`
    expect(view(digits).seen).toBe(0.5)
  })
})
