import type { Result } from './result.ts'
import { err, ok } from './result.ts'

/** A JSON value as this product holds it: objects have no prototype, numbers are binary64. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject
export type JsonObject = { [member: string]: JsonValue }

/**
 * `value` is what gets signed and used; it may hold Infinity and lone surrogates, which only stage 5 judges.
 * `schemaView` is what schemas judge: the same tree, unless a number as written differs from its binary64 value.
 * `text` is the decoded document.
 */
export type ParsedJson = { readonly value: JsonValue; readonly schemaView: JsonValue; readonly text: string }

export type ParseFaultReason =
  | 'too-large'
  | 'invalid-utf8'
  | 'byte-order-mark'
  | 'invalid-json'
  | 'too-deep'
  | 'duplicate-member'

export type ParseFault = { readonly reason: ParseFaultReason; readonly message: string }

export type ParseLimits = { readonly maxBytes?: number; readonly maxDepth?: number }

const DEFAULT_MAX_BYTES = 256 * 1024
export const DEFAULT_MAX_DEPTH = 64

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Whether a JSON value is an object, as opposed to an array or a scalar. */
export const isJsonObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Parses exactly one JSON value from UTF-8 bytes: no byte order mark, no trailing data, no member name twice
 * in an object once escapes are decoded, at most `maxDepth` nested containers and `maxBytes` bytes.
 */
export function parseStrictJson(bytes: Uint8Array, limits: ParseLimits = {}): Result<ParsedJson, ParseFault> {
  const maxBytes = limits.maxBytes ?? DEFAULT_MAX_BYTES
  if (bytes.length > maxBytes) return fault('too-large', `the document exceeds ${maxBytes} bytes`)
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    return fault('invalid-utf8', 'the bytes are not UTF-8')
  }
  if (text.charCodeAt(0) === 0xfeff) return fault('byte-order-mark', 'the document starts with a byte order mark')
  let plain: unknown
  try {
    plain = JSON.parse(text)
  } catch {
    return fault('invalid-json', 'the bytes are not exactly one JSON value')
  }
  const maxDepth = limits.maxDepth ?? DEFAULT_MAX_DEPTH
  const scan = scanStructure(text, maxDepth)
  if (scan === undefined) return fault('too-deep', `containers are nested deeper than ${maxDepth}`)
  const tree = withoutPrototypes(plain)
  // JSON.parse keeps one of several equal names, so a repeated name makes the tree hold fewer members than the text.
  if (tree.members !== scan.members) return fault('duplicate-member', 'an object repeats a member name')
  const schemaView =
    scan.oddNumbers.length === 0 ? tree.value : withoutPrototypes(JSON.parse(respell(text, scan.oddNumbers))).value
  return ok({ value: tree.value, schemaView, text })
}

const fault = (reason: ParseFaultReason, message: string) => err({ reason, message })

/** A number token whose written value is not the one that binary64 keeps, and the spelling that schemas shall see. */
type OddNumber = { readonly start: number; readonly end: number; readonly spelling: string }
type Structure = { members: number; readonly oddNumbers: OddNumber[] }

const QUOTE = 0x22
const COMMA = 0x2c
const MINUS = 0x2d
const DIGIT_0 = 0x30
const DIGIT_9 = 0x39
const COLON = 0x3a
const OPEN_ARRAY = 0x5b
const BACKSLASH = 0x5c
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** One pass over text that JSON.parse has accepted: counts members, bounds depth, finds odd numbers. */
function scanStructure(text: string, maxDepth: number): Structure | undefined {
  const found: Structure = { members: 0, oddNumbers: [] }
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === QUOTE) at = closingQuote(text, at)
    else if (unit === COLON) found.members++
    else if (unit === OPEN_OBJECT || unit === OPEN_ARRAY) {
      if (++depth > maxDepth) return undefined
    } else if (unit === CLOSE_OBJECT || unit === CLOSE_ARRAY) depth--
    else if (unit === MINUS || (unit >= DIGIT_0 && unit <= DIGIT_9)) {
      const end = endOfNumber(text, at)
      const spelling = schemaSpelling(text.slice(at, end))
      if (spelling !== undefined) found.oddNumbers.push({ start: at, end, spelling })
      at = end - 1
    }
  }
  return found
}

/** Index of the quote that ends the string which opens at `open`, in text that JSON.parse accepts. */
export function closingQuote(text: string, open: number): number {
  let at = text.indexOf('"', open + 1)
  while (isEscaped(text, at)) at = text.indexOf('"', at + 1)
  return at
}

/** Whether an odd number of backslashes stands before the character. */
function isEscaped(text: string, at: number): boolean {
  let first = at
  while (text.charCodeAt(first - 1) === BACKSLASH) first--
  return (at - first) % 2 === 1
}

function endOfNumber(text: string, start: number): number {
  let end = start + 1
  while (end < text.length) {
    const unit = text.charCodeAt(end)
    if (unit <= 0x20 || unit === COMMA || unit === CLOSE_ARRAY || unit === CLOSE_OBJECT) break
    end++
  }
  return end
}

/**
 * Schemas judge numbers as written. A fraction that rounds to an integer must not pass as one, and a number beyond
 * binary64 is a legal number of great size whose fault belongs to stage 5. Everything else keeps its spelling.
 */
function schemaSpelling(token: string): string | undefined {
  const value = Number(token)
  if (!Number.isFinite(value)) return value > 0 ? '1.7976931348623157e308' : '-1.7976931348623157e308'
  if (!Number.isInteger(value) || isWrittenInteger(token)) return undefined
  return token.startsWith('-') ? '-0.5' : '0.5'
}

const POINT_OR_EXPONENT = /[.eE]/
const DECIMAL = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** Whether the decimal token denotes an integer: after moving the point, no digit but zero follows it. */
function isWrittenInteger(token: string): boolean {
  if (!POINT_OR_EXPONENT.test(token)) return true
  const [, whole = '', fraction = '', exponent = '0'] = DECIMAL.exec(token) ?? []
  const digits = whole + fraction
  let significant = digits.length
  while (significant > 0 && digits.charCodeAt(significant - 1) === DIGIT_0) significant--
  return significant === 0 || significant - whole.length <= Number(exponent)
}

function respell(text: string, numbers: readonly OddNumber[]): string {
  let respelled = ''
  let copied = 0
  for (const { start, end, spelling } of numbers) {
    respelled += text.slice(copied, start) + spelling
    copied = end
  }
  return respelled + text.slice(copied)
}

/** Rebuilds a tree with null-prototype objects, so that no member name can reach Object.prototype; counts members. */
function withoutPrototypes(plain: unknown): { value: JsonValue; members: number } {
  let members = 0
  const rebuild = (node: unknown): JsonValue => {
    if (Array.isArray(node)) return node.map(rebuild)
    if (typeof node !== 'object' || node === null) return node as JsonValue
    // Objects made like this keep hidden classes, unlike those of `Object.create(null)`, whatever reads them later.
    const object = Object.setPrototypeOf({}, null) as JsonObject
    for (const name of Object.keys(node)) {
      members++
      object[name] = rebuild((node as Readonly<Record<string, unknown>>)[name])
    }
    return object
  }
  const value = rebuild(plain)
  return { value, members }
}
