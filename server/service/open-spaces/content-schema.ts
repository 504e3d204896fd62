// Whether the schema that comes with a Message is one. It is kept and applied to nothing, so nothing is ever held against it.
import { createHash } from 'node:crypto'
import { Ajv } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { RecentMap } from './recent-map.ts'

const maximumSchemaLength = 64 * 1024

/** No schema is loaded from elsewhere: a reference that the document itself does not resolve is a fault of it. */
const options = { logger: false, strict: false, validateFormats: false, inlineRefs: false, addUsedSchema: false } as const

const dialects = [
  { uri: /^https:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/, create: () => new Ajv2020(options) },
  { uri: /^https:\/\/json-schema\.org\/draft\/2019-09\/schema#?$/, create: () => new Ajv2019(options) },
  { uri: /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/, create: () => new Ajv(options) },
]

/** By digest: Messages of one kind come with the same schema again and again. */
const judged = new RecentMap<string, string>(1_000)

/** Why this text is no JSON Schema, or nothing. Draft 2020-12 unless `$schema` names 2019-09 or draft-07. */
export function faultOfSchema(text: string): string | undefined {
  if (text.length > maximumSchemaLength) return `content_schema has more than ${maximumSchemaLength} characters`
  const digest = createHash('sha256').update(text).digest('base64')
  const fault = judged.get(digest) ?? judge(text)
  judged.set(digest, fault)
  return fault === '' ? undefined : fault
}

function judge(text: string): string {
  const schema: unknown = JSON.parse(text)
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return 'content_schema is not an object'
  const { $schema = 'https://json-schema.org/draft/2020-12/schema' } = schema as { $schema?: unknown }
  const dialect = dialects.find(({ uri }) => typeof $schema === 'string' && uri.test($schema))
  if (!dialect) return 'content_schema names a dialect that is not known here'
  if (Object.hasOwn(schema, '$async')) return 'content_schema is no JSON Schema'
  try {
    dialect.create().compile(schema)
    return ''
  } catch {
    // The compiler's own words would tell of this server's paths and memory.
    return 'content_schema is no JSON Schema'
  }
}
