// Input that nobody would send on purpose, made from input that somebody would.
import fc from 'fast-check'

/** Whole code points, U+0000 among them; what JSON can carry and a signature can cover. */
export const wildText = fc.string({ unit: 'binary', maxLength: 40 })

/** Identifiers that are none, or that only just are. */
const wildId = fc.constantFrom('', 'x', 'urn:', 'urn:x', 'urn:example:a\0b', 'urn:example:%00', 'urn:uuid:', `urn:${'x'.repeat(508)}`, `urn:${'x'.repeat(509)}`, 'javascript:alert(1)', 'file:///etc/passwd', 'urn:example:ü', 'constructor', '__proto__')

const wildNumber = fc.oneof(fc.constantFrom(-1, -0, 0, 0.5, 2 ** 31, 2 ** 53, 2 ** 53 - 1, 2 ** 63, 1e300, -1e300, 5e-324), fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }))

/** Any JSON value, with the ones that break programs more often than chance would have it. */
export const wildValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: wildId },
  { weight: 2, arbitrary: wildText },
  { weight: 2, arbitrary: wildNumber },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(null, true, false, [], {}, '9999-12-31T23:59:60Z', '0000-00-00T00:00:00Z', '2026-11-29T12:00:00+99:99', 'P1Y', '\u202e', 'x'.repeat(100_001)) },
  { weight: 1, arbitrary: fc.jsonValue({ stringUnit: 'binary', maxDepth: 3 }) },
)

export type Edit =
  | { readonly at: number; readonly kind: 'replace' | 'remove' | 'add' | 'repeat'; readonly value: unknown }
  | { readonly at: number; readonly kind: 'poison'; readonly value: string }

const anyEdit = (poison: readonly string[]): fc.Arbitrary<Edit> =>
  fc.oneof(
    { weight: 1, arbitrary: fc.record({ at: fc.nat(), kind: fc.constantFrom('replace' as const, 'replace' as const, 'remove' as const, 'add' as const, 'repeat' as const), value: wildValue }) },
    { weight: 1, arbitrary: fc.record({ at: fc.nat(), kind: fc.constant('poison' as const), value: fc.constantFrom(...poison) }) },
  )

/** What a text that is otherwise right may have in it; `poison` edits put it into one. */
const poison = ['\0', '\0', '\u0001', '\n', '\u2028', '\u202e', '\ufffe', "'", '\\', '%00', 'x'.repeat(600)]

/** Half a surrogate pair is JSON, yet no signature can cover it. */
export const edit = anyEdit([...poison, '\ud800', '\udc00'])
export const signableEdit = anyEdit(poison)
export const poisonedText = fc.tuple(fc.constantFrom('', ...poison, '\ud800'), fc.constantFrom('Nina', '')).map((parts) => parts.join(''))

/** A copy of a JSON value in which each edit has changed some member or item, wherever it lies. */
export function withEdits(value: unknown, edits: readonly Edit[]): unknown {
  const copy: Holder = structuredClone({ value })
  for (const { at, value: wild, kind } of edits) {
    const places = kind === 'poison' ? placesIn(copy).filter(({ holder, name }) => typeof holder[name] === 'string') : placesIn(copy)
    const place = places[at % Math.max(places.length, 1)]
    if (place === undefined) continue
    const { holder, name } = place
    if (kind === 'poison') holder[name] = poisoned(holder[name] as string, wild as string)
    else if (kind === 'remove' && !Array.isArray(holder) && holder !== copy) delete holder[name]
    else if (kind === 'add') addTo(holder[name], wild)
    else if (kind === 'repeat' && Array.isArray(holder[name])) holder[name] = [...(holder[name] as unknown[]), ...(holder[name] as unknown[])]
    else holder[name] = structuredClone(wild)
  }
  return copy.value
}

/** Before the last character, so that what something begins with stays right. */
function poisoned(text: string, drop: string): string {
  const last = [...text].at(-1) ?? ''
  return text.slice(0, text.length - last.length) + drop + last
}

type Holder = Record<string, unknown>
interface Place { readonly holder: Holder; readonly name: string }

/** Every member and item below this one, outermost first. */
function placesIn(holder: Holder): Place[] {
  return Object.keys(holder).flatMap((name) => {
    const inner = holder[name]
    return [{ holder, name }, ...(typeof inner === 'object' && inner !== null ? placesIn(inner as Holder) : [])]
  })
}

function addTo(target: unknown, wild: unknown): void {
  if (Array.isArray(target)) target.push(structuredClone(wild))
  else if (typeof target === 'object' && target !== null) (target as Holder)[typeof wild === 'string' ? [...wild].slice(0, 50).join('') : 'more'] = structuredClone(wild)
}

/** What strict parsers and lenient ones read differently, and what neither should read at all. */
const splinter = fc.oneof(
  fc.constantFrom('"', '{', '}', '[', ']', ',', ':', '\\', '\0', '\\u0000', '\\ud800', '\\udc00\\ud800', '\uFEFF', '\u2028', '1e999', '-1e999', '-0', '1E400', '9007199254740993', '0.1e1', '00', 'null', 'NaN', '"__proto__":{},', '"kind":"mission.cancel",', '"payload":{},', '//', '/**/', ' ', '\n', '\t'),
  fc.constantFrom('['.repeat(70), '{"a":'.repeat(70), '['.repeat(100_000), '1'.repeat(400)),
  wildText,
)

export type ByteEdit =
  | { readonly type: 'flip'; readonly at: number; readonly mask: number }
  | { readonly type: 'insert' | 'overwrite'; readonly at: number; readonly bytes: Uint8Array }
  | { readonly type: 'cut'; readonly at: number; readonly count: number }
  | { readonly type: 'truncate'; readonly at: number }
  | { readonly type: 'repeat'; readonly at: number; readonly value: string }

const bytes = fc.oneof({ weight: 4, arbitrary: splinter.map((text) => new TextEncoder().encode(text)) }, { weight: 1, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 8 }) })

export const byteEdit: fc.Arbitrary<ByteEdit> = fc.oneof(
  fc.record({ type: fc.constant('flip' as const), at: fc.nat(), mask: fc.integer({ min: 1, max: 255 }) }),
  fc.record({ type: fc.constantFrom('insert' as const, 'overwrite' as const), at: fc.nat(), bytes }),
  fc.record({ type: fc.constant('cut' as const), at: fc.nat(), count: fc.integer({ min: 1, max: 30 }) }),
  fc.record({ type: fc.constant('truncate' as const), at: fc.nat() }),
  fc.record({ type: fc.constant('repeat' as const), at: fc.nat(), value: fc.oneof(wildValue.map((value) => JSON.stringify(value)), fc.constantFrom('1e999', '"\\ud800"')) }),
)

/** The bytes after each edit in turn. `repeat` gives one of the document's member names a second value. */
export function withByteEdits(original: Uint8Array, edits: readonly ByteEdit[]): Buffer {
  return edits.reduce<Buffer>((before, edit) => {
    const at = edit.at % (before.length + 1)
    const [head, tail] = [before.subarray(0, at), before.subarray(at)]
    switch (edit.type) {
      case 'flip':
        return Buffer.concat([head, tail.subarray(0, 1).map((byte) => byte ^ edit.mask), tail.subarray(1)])
      case 'insert':
        return Buffer.concat([head, edit.bytes, tail])
      case 'overwrite':
        return Buffer.concat([head, edit.bytes, tail.subarray(edit.bytes.length)])
      case 'cut':
        return Buffer.concat([head, tail.subarray(edit.count)])
      case 'truncate':
        return head
      case 'repeat':
        return withRepeatedMember(before, edit.at, edit.value)
    }
  }, Buffer.from(original))
}

function withRepeatedMember(document: Buffer, at: number, value: string): Buffer {
  const text = document.toString('latin1')
  const members = [...text.matchAll(/"[A-Za-z]+":/g)]
  const member = members[at % Math.max(members.length, 1)]
  return member === undefined ? document : Buffer.concat([document.subarray(0, member.index), Buffer.from(`${member[0]}${value},`), document.subarray(member.index)])
}
