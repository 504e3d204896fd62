import jcs from 'canonicalize'
import type { Result } from './result.ts'
import { err, ok } from './result.ts'
import { encodeUtf8 } from './utf8.ts'

/** The value holds a non-finite number or a lone surrogate, which the I-JSON model lacks. */
export type CanonicalFault = { readonly reason: 'outside-data-model'; readonly message: string }

/** RFC 8785 text of a value from the strict parser or of a document of our own. Throws outside the data model. */
export function canonicalText(value: unknown): string {
  const ordered = inMemberOrder(value)
  // RFC 8785 writes strings and numbers as ECMAScript does, so that only the order of members is left to see to.
  const text = ordered === undefined ? jcs(value) : JSON.stringify(ordered)
  if (text === undefined) throw new TypeError('the value has no JSON form')
  return text
}

/** RFC 8785 bytes of a document of our own; throws where `canonicalize` would refuse. */
export const encodeCanonical = (value: unknown): Uint8Array => encodeUtf8(canonicalText(value))

/** RFC 8785 bytes of a received value (stage 5). Numbers and times are not rewritten beyond binary64. */
export function canonicalize(value: unknown): Result<Uint8Array, CanonicalFault> {
  try {
    return ok(encodeCanonical(value))
  } catch (cause) {
    return err({ reason: 'outside-data-model', message: cause instanceof Error ? cause.message : String(cause) })
  }
}

/**
 * The value with the members of every object in canonical order; the value itself where they are so already. `undefined`
 * for what a plain JSON tree does not hold: such values are the library's to write or to refuse.
 */
function inMemberOrder(value: unknown): unknown {
  if (typeof value === 'string') return value.isWellFormed() ? value : undefined
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  if (typeof value === 'boolean' || value === null) return value
  if (typeof value !== 'object') return undefined
  return Array.isArray(value) ? elementsInOrder(value) : membersInOrder(value as Record<string, unknown>)
}

function elementsInOrder(array: readonly unknown[]): readonly unknown[] | undefined {
  let ordered: unknown[] | undefined
  for (let index = 0; index < array.length; index++) {
    const inOrder = inMemberOrder(array[index])
    if (inOrder === undefined) return undefined
    if (inOrder !== array[index]) (ordered ??= [...array])[index] = inOrder
  }
  return ordered ?? array
}

function membersInOrder(object: Readonly<Record<string, unknown>>): object | undefined {
  const names = Object.keys(object)
  let isInOrder = true
  for (let index = 1; index < names.length && isInOrder; index++) isInOrder = names[index - 1]! < names[index]!
  if (!isInOrder) names.sort()
  // What is in order already is not copied, as most of our own documents are.
  let ordered: Record<string, unknown> | undefined = isInOrder ? undefined : {}
  for (const name of names) {
    const member = inMemberOrder(object[name])
    if (member === undefined || !isOrderable(name)) return undefined
    if (member !== object[name]) ordered ??= membersBefore(object, name)
    if (ordered) ordered[name] = member
  }
  return ordered ?? object
}

/** Those of an object in order. */
function membersBefore(object: Readonly<Record<string, unknown>>, end: string): Record<string, unknown> {
  const before: Record<string, unknown> = {}
  for (const name of Object.keys(object)) {
    if (name === end) break
    before[name] = object[name]
  }
  return before
}

const FIRST_ABOVE_DIGITS = 0x3a

/** An object keeps its names in the order of their arrival, but for those that look like numbers; and one name is its prototype. */
const isOrderable = (name: string): boolean => name.charCodeAt(0) >= FIRST_ABOVE_DIGITS && name !== '__proto__' && name.isWellFormed()
