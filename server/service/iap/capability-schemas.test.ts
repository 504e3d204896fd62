import { describe, expect, it } from 'vitest'
import { CapabilitySchemas } from './capability-schemas.ts'

const flat = (count: number, name = 'p') => ({ properties: Object.fromEntries(Array.from({ length: count }, (_, index) => [`${name}${index}`, { type: 'string' }])) })

describe('schemas of capabilities', () => {
  it('hold values to what they say, whichever draft they name', () => {
    const schemas = new CapabilitySchemas(100)
    const schema = { $schema: 'http://json-schema.org/draft-07/schema#', $defs: { n: { type: 'number' } }, properties: { n: { $ref: '#/$defs/n' } }, required: ['n'] }
    expect([schemas.faultOf(schema, { n: 1 }), schemas.faultOf(schema, { n: 'x' }), schemas.faultOf(schema, {})]).toEqual([undefined, '/n does not satisfy type', 'it does not satisfy required'])
  })

  it.each([
    ['no schema', { type: 'objec' }],
    ['with a reference elsewhere', { $ref: 'https://example.org/schema' }],
    ['asynchronous', { $async: true }],
    ['with too many parts to compile', flat(300)],
    ['too long', { description: 'x'.repeat(20_000) }],
  ])('are not usable: %s', (_name, schema) => expect(new CapabilitySchemas(100).isUsable(schema)).toBe(false))

  it('take no longer than a moment each, so that no HANDSHAKE holds the router up', () => {
    const schemas = new CapabilitySchemas(100)
    schemas.isUsable({})
    const startedMs = performance.now()
    for (let each = 0; each < 40; each++) expect(schemas.isUsable({ minLength: each })).toBe(true)
    // An Ajv for each that knows its meta-schema took a tenth of a second.
    expect(performance.now() - startedMs).toBeLessThan(1_000)
  })

  it('that took too long three times are tried no more', () => {
    const schemas = new CapabilitySchemas(30)
    const schema = { type: 'string', pattern: '^(a+)+$' }
    const slow = `${'a'.repeat(40)}!`
    for (let strike = 0; strike < 3; strike++) expect(schemas.faultOf(schema, slow)).toBe('it could not be checked in time')
    const startedMs = performance.now()
    for (let more = 0; more < 100; more++) expect(schemas.faultOf(schema, slow)).toBe('it could not be checked in time')
    expect(performance.now() - startedMs).toBeLessThan(1_000)
  })
})
