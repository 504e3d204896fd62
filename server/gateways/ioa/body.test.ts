import { describe, expect, it } from 'vitest'
import { parseBody } from './body.ts'

const fields = { name: 'string', tags: 'strings', content: 'object', identities: 'objects' } as const
const parse = (text: string | Uint8Array) => parseBody(typeof text === 'string' ? Buffer.from(text) : text, fields)
const valuesOf = (text: string) => {
  const body = parse(text)
  return body.ok ? { ...body.value.values } : body.error
}

describe('a body', () => {
  it.each<[string, string | Uint8Array]>([
    ['that is empty', ''],
    ['with something after the value', '{} {}'],
    ['that is no object', '[]'],
    ['that is a text', '"a"'],
    ['with an unknown member', '{"name":"a","more":1}'],
    ['with a member of Object.prototype', '{"constructor":{}}'],
    ['with __proto__', '{"__proto__":{"name":"a"}}'],
    ['whose text is a number', '{"name":1}'],
    ['whose list holds a number', '{"tags":["a",1]}'],
    ['whose object is a list', '{"content":[]}'],
    ['whose object is a text', '{"content":"a"}'],
    ['whose list of objects holds a text', '{"identities":["a"]}'],
    ['that names a member twice', '{"name":"a","name":"b"}'],
    ['that names a member twice in different case', '{"name":"a","Name":"b"}'],
    ['with a text that no store keeps', String.raw`{"name":"a\u0000"}`],
    ['with half of a character', String.raw`{"name":"\ud800"}`],
    ['that is not UTF-8', Buffer.of(0x7b, 0xff, 0x7d)],
    ['that starts with a byte order mark', '\ufeff{}'],
    ['that is nested too deep', `{"content":{"a":${'['.repeat(100)}${']'.repeat(100)}}}`],
  ])('%s is 422 in words', (_, text) => {
    expect(parse(text)).toEqual({ ok: false, error: { status: 422, detail: expect.any(String) } })
  })

  it('that is null counts as an empty object, and a member that is null as absent', () => {
    expect([valuesOf('null'), valuesOf('{"name":null,"tags":null}')]).toEqual([{}, {}])
  })

  it('is read whatever the case of its names', () => {
    expect(valuesOf('{"NAME":"a","Tags":[]}')).toEqual({ name: 'a', tags: [] })
  })

  it('gives the exact text of a member', () => {
    const body = parse('{ "Content" : {"n": 12345678901234567890, "e":1.0E2} }')
    expect(body.ok && [body.value.textOf('content'), body.value.textOf('name')]).toEqual(['{"n": 12345678901234567890, "e":1.0E2}', undefined])
  })
})
