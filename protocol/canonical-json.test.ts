import jcs from 'canonicalize'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalize, canonicalText, encodeCanonical } from './canonical-json.ts'
import { parseStrictJson } from './strict-json.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)

function canonicalOf(text: string): string {
  const parsed = parseStrictJson(bytesOf(text))
  if (!parsed.ok) throw new Error(parsed.error.reason)
  return canonicalText(parsed.value.value)
}

describe('canonical JSON (RFC 8785, A-11)', () => {
  it('orders members by UTF-16 code units, as in section 3.2.3', () => {
    const names = ['\u20ac', '\r', '\ufb33', '1', '\ud83d\ude00', '\u0080', '\u00f6']
    const text = JSON.stringify(Object.fromEntries(names.map((name, at) => [name, at])))
    expect(Object.keys(JSON.parse(canonicalOf(text)) as object)).toHaveLength(7)
    expect(canonicalOf(text)).toBe('{"\\r":1,"1":3,"\u0080":5,"\u00f6":6,"\u20ac":0,"\ud83d\ude00":4,"\ufb33":2}')
  })

  it.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['ffefffffffffffff', '-1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['c340000000000000', '-9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef4f', '999999999999999900000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ])('prints the double %s as appendix B does', (hex, text) => {
    const bits = new DataView(new ArrayBuffer(8))
    bits.setBigUint64(0, BigInt(`0x${hex}`))
    expect(canonicalText(bits.getFloat64(0))).toBe(text)
  })

  it('prints every finite double so that reading it back gives the same double', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        const text = canonicalText(number)
        expect(Number(text) === number).toBe(true)
        expect(canonicalOf(text)).toBe(text)
      }),
      { numRuns: 5000 },
    )
  })

  it('is idempotent and blind to member order and white space', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false, maxDepth: 5 }), (value) => {
        const loose = JSON.stringify(value, null, 3)
        const once = canonicalOf(loose)
        expect(canonicalOf(once)).toBe(once)
        expect(canonicalOf(JSON.stringify(reversed(value)))).toBe(once)
      }),
    )
  })

  it('writes what the reference library writes, or refuses where it does', () => {
    const names = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('10', '9', '', 'a', '__proto__', '\ud800', '-1'))
    const values = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof({ depthSize: 'small' }, fc.string({ unit: 'binary' }), fc.double(), fc.constantFrom(null, true, undefined, -0, '\udc00', new Date(0)), fc.array(tie('value')), fc.dictionary(names, tie('value'), { noNullPrototype: false })),
    })).value
    const attempt = (write: (value: unknown) => string | undefined, value: unknown) => {
      try {
        return write(value) ?? 'refused'
      } catch {
        return 'refused'
      }
    }
    fc.assert(fc.property(values, (value) => void expect(attempt(canonicalText, value)).toBe(attempt(jcs, value))), { numRuns: 5000 })
  })

  it('keeps members that other objects inherit', () => {
    expect(canonicalOf('{"toJSON":1,"__proto__":{"constructor":null}}')).toBe('{"__proto__":{"constructor":null},"toJSON":1}')
  })

  it.each(['"\\ud800"', '"\\udc00\\ud800"', '{"\\udfff":1}', '[1e400]', '-1e400'])('refuses %s at stage 5 (A-77)', (text) => {
    const parsed = parseStrictJson(bytesOf(text))
    if (!parsed.ok) throw new Error(parsed.error.reason)
    const result = canonicalize(parsed.value.value)
    expect(result.ok ? undefined : result.error.reason).toBe('outside-data-model')
  })

  it('throws instead, for documents of our own', () => {
    expect(() => encodeCanonical({ a: NaN })).toThrow()
    expect(() => encodeCanonical(undefined)).toThrow(TypeError)
    expect(encodeCanonical({ b: 1, a: 'é' })).toEqual(bytesOf('{"a":"é","b":1}'))
  })
})

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reversed(member)]),
  )
}
