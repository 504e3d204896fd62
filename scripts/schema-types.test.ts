import { describe, expect, test } from 'vitest'
import { collectDefinitions, emitDefinitions } from './schema-types.mjs'

const base = 'https://schemas.example/'

function emit(...documents: object[]): string {
  return emitDefinitions(collectDefinitions(documents))
}

function typeOf(schema: object): string {
  const [declaration = ''] = emit({ $id: `${base}a`, title: 'Subject', ...schema }).split('\n\n')
  return declaration.replace(/^export type Subject =\s*/, '').trimEnd()
}

describe('types from schemas', () => {
  test.each<[string, object, string]>([
    ['scalars', { type: 'string', format: 'uri' }, 'string'],
    ['integers', { type: 'integer', minimum: 1 }, 'number'],
    ['enums', { type: 'string', enum: ['a', 'b'] }, `'a' | 'b'`],
    ['arrays without tuples', { type: 'array', minItems: 1, items: { type: 'boolean' } }, 'boolean[]'],
    ['arrays of unions', { type: 'array', items: { type: 'string', enum: ['a', 'b'] } }, `('a' | 'b')[]`],
    ['arrays of objects', { type: 'array', items: { type: 'object' } }, '(Record<string, unknown>)[]'],
    ['open objects', { type: 'object' }, 'Record<string, unknown>'],
    ['maps', { type: 'object', additionalProperties: { type: 'number' } }, 'Record<string, number>'],
    [
      'closed objects',
      { type: 'object', additionalProperties: false, required: ['a'], properties: { a: { const: 1 }, b: true } },
      '{\n  a: 1\n  b?: unknown\n}',
    ],
    [
      'objects whose choice is only about presence',
      { type: 'object', properties: { a: { const: false } }, anyOf: [{ required: ['a'] }] },
      '{\n  a?: false\n}',
    ],
    [
      'conditions, which narrow no type',
      {
        type: 'object',
        properties: { a: { type: 'string' } },
        allOf: [{ if: {}, then: { properties: { a: false } } }],
      },
      '{\n  a?: string\n}',
    ],
    ['choices', { type: 'object', oneOf: [{ type: 'string' }, { const: 'x' }] }, `string | 'x'`],
  ])('%s', (_what, schema, expected) => {
    expect(typeOf(schema)).toBe(expected)
  })

  test('references reach into other files by name, and all members required makes them required', () => {
    const library = {
      $id: `${base}library`,
      $defs: {
        pointInTime: { type: 'string' },
        limit: { title: 'Hard Limit', type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } },
      },
    }
    const user = {
      $id: `${base}user`,
      title: 'User',
      type: 'object',
      properties: {
        at: { $ref: 'library#/$defs/pointInTime' },
        some: { $ref: 'library#/$defs/limit', required: ['a'] },
        all: { $ref: 'library#/$defs/limit', required: ['a', 'b'] },
      },
    }
    const source = emit(library, user)
    expect(source).toContain('export type PointInTime = string\n')
    expect(source).toContain('  at?: PointInTime\n  some?: HardLimit\n  all?: Required<HardLimit>\n')
  })

  test('what it cannot say, it refuses to guess', () => {
    expect(() => typeOf({ type: 'object', patternProperties: {} })).toThrow('patternProperties')
    expect(() => typeOf({ type: 'object', properties: { a: { type: ['string', 'null'] } } })).toThrow('string,null')
    expect(() => typeOf({ type: 'array', items: { $ref: 'nowhere' } })).toThrow('leads nowhere')
  })

  test('two definitions of one name are a mistake', () => {
    expect(() => emit({ $id: `${base}a`, $defs: { x: true } }, { $id: `${base}b`, $defs: { x: true } })).toThrow(
      'are both named X',
    )
  })
})
