// Request bodies, read as strictly as the reference does: known members of the right type, and nothing after the value.
import { memberText } from '../../../protocol/member-text.ts'
import type { Result } from '../../../protocol/result.ts'
import { err, ok } from '../../../protocol/result.ts'
import type { JsonObject, JsonValue } from '../../../protocol/strict-json.ts'
import { isJsonObject, parseStrictJson } from '../../../protocol/strict-json.ts'
import type { Refusal } from './refusal.ts'
import { refusal, refused } from './refusal.ts'

interface Shapes {
  readonly string: string
  readonly strings: readonly string[]
  readonly object: JsonObject
  readonly objects: readonly JsonObject[]
}
type Shape = keyof Shapes
export type Fields = Readonly<Record<string, Shape>>

/** The members of a body: absent where they were missing or null. */
export interface Body<F extends Fields> {
  readonly values: { readonly [Name in keyof F]?: Shapes[F[Name]] }
  /** The exact text of a member, so that no number loses a digit; undefined where it is absent or null. */
  textOf(name: keyof F & string): string | undefined
}

/** Text that the store can keep and every JSON reader can read. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

const isText = (value: JsonValue): value is string => typeof value === 'string' && isStorable(value)
const fits: Record<Shape, (value: JsonValue) => boolean> = {
  string: isText,
  strings: (value) => Array.isArray(value) && value.every(isText),
  object: isJsonObject,
  objects: (value) => Array.isArray(value) && value.every(isJsonObject),
}
const nameOf: Record<Shape, string> = { string: 'text', strings: 'a list of texts', object: 'an object', objects: 'a list of objects' }

/** Reads a body; `null` counts as `{}`. Everything that does not fit is 422. */
export function parseBody<F extends Fields>(bytes: Uint8Array, fields: F): Result<Body<F>, Refusal> {
  const parsed = parseStrictJson(bytes, { maxBytes: bytes.length })
  if (!parsed.ok) return refused(422, `the body is not usable JSON: ${parsed.error.message}`)
  const { value, text } = parsed.value
  const members = membersOf(value ?? {}, fields)
  if (!members.ok) return members
  const { values, spellings } = members.value
  // What the table of fields asks for was judged one by one.
  return ok({ values: values as Body<F>['values'], textOf: (name) => (name in values ? memberText(text, spellings.get(name)!) : undefined) })
}

/** Reads an object inside a body by the same rules. */
export function parseMember<F extends Fields>(value: JsonValue, fields: F): Result<Body<F>['values'], Refusal> {
  const members = membersOf(value, fields)
  return members.ok ? ok(members.value.values as Body<F>['values']) : members
}

/** Names match whatever their case; `spellings` says how they were written. */
function membersOf(value: JsonValue, fields: Fields): Result<{ values: Readonly<Record<string, JsonValue>>; spellings: ReadonlyMap<string, string> }, Refusal> {
  if (!isJsonObject(value)) return refused(422, 'the body must be an object')
  const values: Record<string, JsonValue> = {}
  const spellings = new Map<string, string>()
  for (const [spelling, member] of Object.entries(value)) {
    const name = spelling.toLowerCase()
    const fault = faultOf(name, member, fields) ?? (spellings.has(name) ? refusal(422, `"${name}" is given twice`) : undefined)
    if (fault !== undefined) return err(fault)
    spellings.set(name, spelling)
    if (member !== null) values[name] = member
  }
  return ok({ values, spellings })
}

function faultOf(name: string, value: JsonValue, fields: Fields): Refusal | undefined {
  const shape = Object.hasOwn(fields, name) ? fields[name] : undefined
  if (shape === undefined) return refusal(422, `"${name.slice(0, 100).toWellFormed()}" is not a member that is known here`)
  return value === null || fits[shape](value) ? undefined : refusal(422, `"${name}" must be ${nameOf[shape]}`)
}
