import { describe, expect, it } from 'vitest'
import { faultOfSchema } from './content-schema.ts'

const fault = (schema: object) => faultOfSchema(JSON.stringify(schema))

describe('a schema that comes with a Message', () => {
  it.each([
    ['plain', { type: 'object', required: ['x'] }],
    ['of draft-07', { $schema: 'http://json-schema.org/draft-07/schema#', definitions: { a: { type: 'string' } }, $ref: '#/definitions/a' }],
    ['of 2019-09', { $schema: 'https://json-schema.org/draft/2019-09/schema', $defs: { a: true }, $ref: '#/$defs/a' }],
    ['with escapes in its references', { $defs: { 'a/b~': {} }, properties: { x: { $ref: '#/$defs/a~1b~0' } } }],
    ['with anchors', { $defs: { a: { $anchor: 'here' } }, $ref: '#here' }],
    ['that names itself', { $id: 'https://example.org/tree', properties: { children: { items: { $ref: '#' } }, next: { $ref: 'https://example.org/tree' } } }],
    ['about data that looks like a reference', { const: { $ref: 'file:///etc/passwd' } }],
  ])('is one: %s (IOA 3.25)', (_name, schema) => expect(fault(schema)).toBeUndefined())

  it.each([
    ['an unknown type', { type: 'objec' }],
    ['a wrong keyword deep inside', { properties: { a: { items: { minLength: -1 } } } }],
    ['a pattern that is none', { properties: { a: { pattern: '(' } } }],
    ['a reference to nowhere', { $ref: '#/$defs/missing' }],
    ['a reference to an anchor that is not there', { $ref: '#missing' }],
    ['a reference out of the document', { allOf: [{ $ref: 'https://example.org/other' }] }],
    ['a reference to a file', { $ref: 'file:///etc/passwd' }],
    ['a reference into what every object inherits', { $ref: '#/constructor' }],
    ['an enum without measure', { $schema: 'http://json-schema.org/draft-07/schema#', properties: { a: { enum: Array.from({ length: 6_000 }, (_, index) => index) } } }],
    ['an asynchronous schema', { $async: true }],
  ])('is none: %s (IOA 3.25)', (_name, schema) => expect(fault(schema)).toBeDefined())

  it('is judged in milliseconds, however much there would be to compile, so that no sender holds the server up (hazard 8.9)', () => {
    const properties = Object.fromEntries(Array.from({ length: 2_500 }, (_, index) => [`p${index}`, { type: 'string' }]))
    const startedMs = performance.now()
    for (let variant = 0; variant < 5; variant++) expect(fault({ title: String(variant), properties })).toBeUndefined()
    // The compiler took more than a second for each.
    expect(performance.now() - startedMs).toBeLessThan(2_000)
  })
})
