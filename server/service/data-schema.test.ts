import { describe, expect, it } from 'vitest'
import { DATA_SCHEMA } from '../testing/documents.ts'
import { readDataSchema } from './data-schema.ts'

const fits = (schema: object | boolean, data: unknown) => readDataSchema(JSON.stringify(schema))?.(data)

describe('a schema of an Extension Profile', () => {
  it('A-243: says which data fits', () => {
    const schema = readDataSchema(DATA_SCHEMA)
    expect([{ celsius: 4 }, { celsius: '4' }, {}, { celsius: 4, more: 1 }, null].map((data) => schema?.(data))).toEqual([true, false, false, false, false])
    expect(fits({ $schema: 'https://json-schema.org/draft/2020-12/schema', $id: 'urn:example:schema', $defs: { a: { const: 1 } }, $ref: '#/$defs/a' }, 1)).toBe(true)
  })

  it.each<[string, string]>([
    ['no JSON', '{'],
    ['no schema', '[]'],
    ['no valid schema', '{ "type": "temperature" }'],
    ['a keyword that means nothing here', '{ "maximumTemperature": 4 }'],
    ['another dialect', '{ "$schema": "http://json-schema.org/draft-07/schema#", "type": "object" }'],
    ['a reference to another document', '{ "$ref": "https://example.org/other.json" }'],
    ['a pattern', '{ "type": "string", "pattern": "^(a+)+$" }'],
    ['patterns for names', '{ "type": "object", "patternProperties": { "^(a+)+$": true } }'],
    ['an answer that is a promise', '{ "$async": true, "type": "object" }'],
  ])('A-243: is not taken with %s', (_, text) => {
    expect(readDataSchema(text)).toBeUndefined()
  })

  it('A-243: does not fit data on which it never comes to an end', () => {
    expect(fits({ $ref: '#' }, {})).not.toBe(true)
  })
})
