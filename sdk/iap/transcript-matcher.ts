// Holds a received value against what a transcript expects.
import type { Matcher, MatcherRule } from './transcript.ts'

const RULES: readonly MatcherRule[] = ['$type', '$capture', '$in', '$not', '$absent', '$contains']
type Bag = Readonly<Record<string, unknown>>

const isBag = (value: unknown): value is Bag => typeof value === 'object' && value !== null && !Array.isArray(value)

/** What was captured on the way when the value matches, else `undefined`. */
export function match(matcher: Matcher, value: unknown): Bag | undefined {
  const captured: Record<string, unknown> = {}
  return fits(matcher, value, captured) ? captured : undefined
}

/** Puts known values into texts, at any depth. A text that is one `{{name}}` alone becomes the value itself; unknown names throw RangeError. */
export function substitute(template: unknown, valueOf: (name: string) => unknown): unknown {
  if (typeof template === 'string') return filled(template, valueOf)
  if (Array.isArray(template)) return template.map((each) => substitute(each, valueOf))
  if (!isBag(template)) return template
  return Object.fromEntries(Object.entries(template).map(([key, value]) => [String(filled(key, valueOf)), substitute(value, valueOf)]))
}

function filled(text: string, valueOf: (name: string) => unknown): unknown {
  const known = (name: string): unknown => {
    const value = valueOf(name)
    if (value === undefined) throw new RangeError(`nothing is known as {{${name}}}`)
    return value
  }
  const whole = /^\{\{([\w.]+)\}\}$/.exec(text)
  return whole ? known(whole[1]!) : text.replace(/\{\{([\w.]+)\}\}/g, (_all, name: string) => String(known(name)))
}

function fits(matcher: Matcher, value: unknown, captured: Record<string, unknown>): boolean {
  if (Array.isArray(matcher)) return Array.isArray(value) && value.length === matcher.length && matcher.every((each, index) => fits(each, value[index], captured))
  if (!isBag(matcher)) return matcher === value
  if (RULES.some((rule) => rule in matcher)) return obeys(matcher, value, captured)
  return isBag(value) && Object.entries(matcher).every(([member, each]) => fits(each, value[member], captured))
}

function obeys(rules: Bag, value: unknown, captured: Record<string, unknown>): boolean {
  if ('$absent' in rules) return value === undefined
  if ('$type' in rules && (Array.isArray(value) ? 'array' : typeof value) !== rules.$type) return false
  if ('$in' in rules && !(rules.$in as readonly unknown[]).some((each) => fits(each, value, captured))) return false
  if ('$not' in rules && fits(rules.$not, value, captured)) return false
  if ('$contains' in rules && !(Array.isArray(value) && value.some((each) => fits(rules.$contains, each, captured)))) return false
  if ('$capture' in rules) {
    if (value === undefined) return false
    captured[String(rules.$capture)] = value
  }
  return true
}
