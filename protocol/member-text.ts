// The exact text of one member of a JSON object.
import { closingQuote } from './strict-json.ts'

const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/**
 * The exact text of one member's value in a JSON object, or undefined when there is no such member. A signature covers
 * what was sent, so a nested Command is cut out of its frame rather than written anew.
 *
 * `objectText` must have passed the strict parser: nothing is checked again here.
 */
export function memberText(objectText: string, member: string): string | undefined {
  let at = skipSpace(objectText, objectText.indexOf('{') + 1)
  while (objectText.charCodeAt(at) === QUOTE) {
    const nameEnd = afterString(objectText, at)
    const name: unknown = JSON.parse(objectText.slice(at, nameEnd))
    const colon = skipSpace(objectText, nameEnd)
    const start = skipSpace(objectText, colon + 1)
    const end = afterValue(objectText, start)
    if (name === member) return objectText.slice(start, end)
    const next = skipSpace(objectText, end)
    if (objectText.charCodeAt(next) !== COMMA) return undefined
    at = skipSpace(objectText, next + 1)
  }
  return undefined
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (text.charCodeAt(at) <= 0x20) at++
  return at
}

const afterString = (text: string, from: number): number => closingQuote(text, from) + 1

function afterValue(text: string, from: number): number {
  const first = text.charCodeAt(from)
  if (first === QUOTE) return afterString(text, from)
  if (first === OPEN_OBJECT || first === OPEN_ARRAY) return afterContainer(text, from)
  let at = from
  while (!endsScalar(text.charCodeAt(at))) at++
  return at
}

function afterContainer(text: string, from: number): number {
  let depth = 0
  let at = from
  do {
    const unit = text.charCodeAt(at)
    if (unit === QUOTE) {
      at = afterString(text, at)
      continue
    }
    if (unit === OPEN_OBJECT || unit === OPEN_ARRAY) depth++
    else if (unit === CLOSE_OBJECT || unit === CLOSE_ARRAY) depth--
    at++
  } while (depth > 0)
  return at
}

const endsScalar = (unit: number): boolean => unit === COMMA || unit === CLOSE_OBJECT || unit <= 0x20
