// Whether the schema that comes with a Message is one. It is kept and applied to nothing, so it is never compiled: a compiler
// takes seconds for what anybody may send.
import { createHash } from 'node:crypto'
import { Ajv } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { JsonObject, JsonValue } from '../../../protocol/strict-json.ts'
import { isJsonObject } from '../../../protocol/strict-json.ts'
import { RecentMap } from '../../recent-map.ts'

const maximumSchemaLength = 64 * 1024
const maximumChoices = 1_000

const options = { logger: false, strict: false, validateFormats: false } as const

/** Each judges by its own meta-schema, which is compiled once, and keeps nothing of what it has judged. */
const dialects = [
  { uri: /^https:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/, judge: new Ajv2020(options) },
  { uri: /^https:\/\/json-schema\.org\/draft\/2019-09\/schema#?$/, judge: new Ajv2019(options) },
  { uri: /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/, judge: new Ajv(options) },
]

/** By digest: Messages of one kind come with the same schema again and again. */
const judged = new RecentMap<string, string>(1_000)

/** Why this text is no JSON Schema, or nothing. Draft 2020-12 unless `$schema` names 2019-09 or draft-07. Time is linear in its length. */
export function faultOfSchema(text: string): string | undefined {
  if (text.length > maximumSchemaLength) return `content_schema has more than ${maximumSchemaLength} characters`
  const digest = createHash('sha256').update(text).digest('base64')
  const fault = judged.get(digest) ?? judge(text)
  judged.set(digest, fault)
  return fault === '' ? undefined : fault
}

function judge(text: string): string {
  const schema = JSON.parse(text) as JsonValue
  if (!isJsonObject(schema)) return 'content_schema is not an object'
  const { $schema = 'https://json-schema.org/draft/2020-12/schema' } = schema
  const dialect = dialects.find(({ uri }) => typeof $schema === 'string' && uri.test($schema))
  if (!dialect) return 'content_schema names a dialect that is not known here'
  if (!areChoicesFew(schema)) return `content_schema has an enum of more than ${maximumChoices} values`
  // The judge's own words would tell of this server's paths and memory.
  const isSchema = !Object.hasOwn(schema, '$async') && dialect.judge.validateSchema(schema) === true && hasUsablePatterns(schema) && isSelfContained(schema)
  return isSchema ? '' : 'content_schema is no JSON Schema'
}

/** Keywords whose values are data, whatever they look like. */
const data: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples'])
const names = ['$id', '$anchor', '$dynamicAnchor'] as const
const references = ['$ref', '$dynamicRef', '$recursiveRef'] as const

function* schemasIn(value: JsonValue): Iterable<JsonObject> {
  if (Array.isArray(value)) for (const item of value) yield* schemasIn(item)
  if (!isJsonObject(value)) return
  yield value
  for (const [name, member] of Object.entries(value)) if (!data.has(name)) yield* schemasIn(member)
}

/** Draft-07 wants the values of an enum to differ, and each is held against each. */
function areChoicesFew(root: JsonObject): boolean {
  for (const { enum: choices } of schemasIn(root)) if (Array.isArray(choices) && choices.length > maximumChoices) return false
  return true
}

function hasUsablePatterns(root: JsonObject): boolean {
  for (const { pattern, patternProperties } of schemasIn(root)) {
    const named = isJsonObject(patternProperties) ? Object.keys(patternProperties) : []
    if (![...(typeof pattern === 'string' ? [pattern] : []), ...named].every(isPattern)) return false
  }
  return true
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, 'u') instanceof RegExp
  } catch {
    return false
  }
}

/** No schema is loaded from elsewhere: a reference that the document itself does not resolve is a fault of it. */
function isSelfContained(root: JsonObject): boolean {
  const known = new Set<string>()
  const wanted = new Set<string>()
  for (const schema of schemasIn(root)) {
    for (const name of names) if (typeof schema[name] === 'string') known.add(name === '$id' ? schema[name].replace(/#$/, '') : schema[name])
    for (const name of references) if (typeof schema[name] === 'string') wanted.add(schema[name])
  }
  const ids = [...known].filter((id) => id.includes('/') || id.includes(':'))
  return [...wanted].every((reference) => {
    const [document = '', fragment = ''] = reference.split('#', 2)
    const isHere = document === '' || known.has(document) || dialects.some(({ uri }) => uri.test(document)) || ids.some((id) => sameDocument(id, document))
    return isHere && (fragment === '' || known.has(fragment) || document !== '' || leadsSomewhere(root, fragment) || (ids.length > 0 && fragment.startsWith('/')))
  })
}

/** Whether a relative reference may mean this identifier. */
const sameDocument = (id: string, document: string): boolean => !document.includes(':') && id.endsWith(document)

/** Follows a JSON pointer. */
function leadsSomewhere(root: JsonObject, fragment: string): boolean {
  if (!fragment.startsWith('/')) return false
  let at: JsonValue | undefined = root
  for (const step of fragment.slice(1).split('/')) {
    const name = decoded(step).replaceAll('~1', '/').replaceAll('~0', '~')
    at = Array.isArray(at) ? at[Number(name)] : isJsonObject(at) && Object.hasOwn(at, name) ? at[name] : undefined
    if (at === undefined) return false
  }
  return isJsonObject(at) || typeof at === 'boolean'
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}
