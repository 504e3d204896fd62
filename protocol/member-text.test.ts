import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { memberText } from './member-text.ts'

describe('memberText', () => {
  test.each([
    ['{"command":{"a":1}}', '{"a":1}'],
    [' {\n"frameId" : "x" ,\t"command" : { "a" : [1, "}"] } } ', '{ "a" : [1, "}"] }'],
    ['{"a":{"command":1},"command":2}', '2'],
    ['{"a":"\\"command\\":3","command":"\\\\"}', '"\\\\"'],
    ['{"\\u0063ommand":{"b":"\\ud800"}}', '{"b":"\\ud800"}'],
    ['{"command":-1.50e+3 ,"z":0}', '-1.50e+3'],
    ['{"command":true}', 'true'],
    ['{"command":[]}', '[]'],
  ])('finds the value in %s', (text, expected) => {
    expect(memberText(text, 'command')).toBe(expected)
  })

  test.each(['{}', ' { } ', '{"commands":1}', '{"a":["command",{"command":1}]}'])('finds nothing in %s', (text) => {
    expect(memberText(text, 'command')).toBeUndefined()
  })

  test('agrees with the parser on any object and any spacing', () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue())
    fc.assert(
      fc.property(object, fc.jsonValue(), fc.nat(4), (others, command, indent) => {
        const text = JSON.stringify({ ...others, command }, undefined, indent)
        const found = memberText(text, 'command')
        expect(found).toBeDefined()
        expect(JSON.parse(found!)).toEqual(JSON.parse(JSON.stringify(command)))
        expect(text).toContain(found)
      }),
    )
  })
})
