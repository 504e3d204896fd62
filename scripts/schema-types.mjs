/**
 * Turns JSON Schemas into TypeScript declarations.
 *
 * Covers the subset of Draft 2020-12 that `schemas/` uses and throws on anything else. Conditional rules, `not` and
 * numeric or length bounds narrow no type: a validated value is what carries those guarantees.
 */

/** Types that say more than their schema can: a pattern becomes a template literal. */
const TYPE_OVERRIDES = { ExtensionKind: '`ext.${string}`' }

/** Longer unions take one line per member. */
const LONGEST_UNION = 90

const KEYWORDS_OF_TYPES = '$ref type const enum properties required additionalProperties items oneOf anyOf'
const OTHER_KEYWORDS =
  '$schema $id $defs title description allOf not format pattern minLength maxLength minimum maximum minItems maxItems uniqueItems propertyNames'
const KNOWN_KEYWORDS = new Set(`${KEYWORDS_OF_TYPES} ${OTHER_KEYWORDS}`.split(' '))

/**
 * Collects every definition of the given schema documents, named after its `title` or its `$defs` key.
 *
 * @param {object[]} documents parsed schemas, each with an absolute `$id`
 * @returns {Map<string, { name: string, schema: object }>} absolute reference → definition
 */
export function collectDefinitions(documents) {
  const definitions = new Map()
  const names = new Map()
  const add = (reference, key, schema) => {
    const name = pascalCase(schema.title ?? key)
    if (names.has(name)) throw new Error(`${reference} and ${names.get(name)} are both named ${name}`)
    names.set(name, reference)
    definitions.set(reference, { name, schema })
  }
  for (const document of documents) {
    if (isShape(document)) add(document.$id, undefined, document)
    for (const [key, schema] of Object.entries(document.$defs ?? {})) add(`${document.$id}#/$defs/${key}`, key, schema)
  }
  return definitions
}

/**
 * One exported declaration per definition. Objects become type aliases rather than interfaces, because only those
 * are assignable to the `Record<string, unknown>` of an open object.
 *
 * @param {ReturnType<typeof collectDefinitions>} definitions
 * @returns {string} TypeScript source
 */
export function emitDefinitions(definitions) {
  const declarations = []
  for (const [reference, { name, schema }] of definitions) {
    const base = reference.split('#')[0]
    const comment = schema.description === undefined ? '' : `/** ${schema.description} */\n`
    const type = TYPE_OVERRIDES[name] ?? typeOf(schema, base, definitions)
    declarations.push(`${comment}export type ${name} =${type.startsWith('\n') ? '' : ' '}${type}\n`)
  }
  return declarations.join('\n')
}

function typeOf(schema, base, definitions) {
  if (schema === true) return 'unknown'
  const unknown = Object.keys(schema).find((keyword) => !KNOWN_KEYWORDS.has(keyword))
  if (unknown !== undefined) throw new Error(`schema-types: ${unknown} is not supported (${base})`)
  if (schema.$ref !== undefined) return referenceType(schema, base, definitions)
  if ('const' in schema) return literal(schema.const)
  if (schema.enum !== undefined) return union(schema.enum.map(literal))
  const alternatives = schema.oneOf ?? (schema.properties === undefined ? schema.anyOf : undefined)
  if (alternatives !== undefined) return union(alternatives.map((each) => typeOf(each, base, definitions)))
  switch (schema.type) {
    case 'string':
    case 'boolean':
      return schema.type
    case 'integer':
    case 'number':
      return 'number'
    case 'array':
      return arrayType(schema, base, definitions)
    case 'object':
      return objectType(schema, base, definitions)
    default:
      throw new Error(`schema-types: type ${schema.type} is not supported (${base})`)
  }
}

/** Rules beside a `$ref` only narrow it; where they demand every member, the type says so. */
function referenceType(schema, base, definitions) {
  const target = definitions.get(new URL(schema.$ref, base).href)
  if (target === undefined) throw new Error(`schema-types: ${schema.$ref} in ${base} leads nowhere`)
  const members = Object.keys(target.schema.properties ?? {})
  const isComplete = schema.required !== undefined && members.every((member) => schema.required.includes(member))
  return isComplete ? `Required<${target.name}>` : target.name
}

function arrayType(schema, base, definitions) {
  const element = typeOf(schema.items, base, definitions)
  return /^[\w']+$/.test(element) ? `${element}[]` : `(${element})[]`
}

function objectType(schema, base, definitions) {
  if (schema.properties === undefined) {
    const values = schema.additionalProperties ?? true
    return `Record<string, ${typeOf(values, base, definitions)}>`
  }
  const required = new Set(schema.required)
  const members = Object.entries(schema.properties).map(([member, value]) => {
    const type = typeOf(value, base, definitions).replaceAll('\n', '\n  ')
    return `  ${member}${required.has(member) ? '' : '?'}: ${type}\n`
  })
  return `{\n${members.join('')}}`
}

function union(types) {
  const line = types.join(' | ')
  return line.length <= LONGEST_UNION ? line : types.map((type) => `\n  | ${type}`).join('')
}

function literal(value) {
  return typeof value === 'string' ? `'${value}'` : JSON.stringify(value)
}

function isShape(document) {
  return document.type !== undefined || document.oneOf !== undefined
}

function pascalCase(text) {
  return text
    .split(/[ _-]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}
