import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dataOf, maximumLineBytes, openingOf, oversizedType, piecesOf } from './sse-frame.ts'

/** As any reader of event streams puts data together. */
const received = (frame: Uint8Array) => {
  const lines = Buffer.from(frame).toString().split('\n')
  expect(lines.slice(-2)).toEqual(['', ''])
  return { longest: Math.max(...lines.map((line) => Buffer.byteLength(line))), text: lines.slice(0, -2).map((line) => line.replace(/^data: /, '')).join('\n') }
}
const message = (content: object) => ({ id: 'm', space_id: 's', sender: 'n', created_at: '2026-11-30T00:00:00Z', content, refs: { messages: ['a'], nodes: [] }, meta: { a: 1 } })

describe('a frame', () => {
  it('is one line of the stored bytes, made once', () => {
    const bytes = Buffer.from(JSON.stringify(message({ text: 'é\n' })))
    expect(dataOf(bytes).toString()).toBe(`data: ${bytes.toString()}\n\n`)
    expect(dataOf(bytes)).toBe(dataOf(bytes))
  })

  it('names its event and where the stream stands', () => {
    expect(openingOf('fork', 'space/a/1').toString()).toBe('id: space/a/1\nevent: fork\n')
  })

  it('IOA repair: a large Message arrives in lines below 64 KiB and is the same JSON', () => {
    const large = message({ list: Array.from({ length: 30 }, (_, index) => `${index}"\\{[,:`.repeat(1_000)), numbers: Array.from({ length: 2_000 }, (_, index) => index * 1.5) })
    const { longest, text } = received(dataOf(Buffer.from(JSON.stringify(large))))
    expect([JSON.parse(text), longest <= maximumLineBytes, text.includes('\n')]).toEqual([large, true, true])
  })

  it('IOA repair: a Message with a string that no line holds is announced, so that it can be read', () => {
    const bytes = Buffer.from(JSON.stringify(message({ text: 'x'.repeat(70_000) })))
    const { longest, text } = received(dataOf(bytes))
    const { content: _content, meta: _meta, ...kept } = message({})
    expect([JSON.parse(text), longest < 1_000]).toEqual([{ ...kept, content_type: oversizedType, content: { bytes: bytes.length } }, true])
  })
})

describe('pieces', () => {
  it('joined by line feeds are the same JSON, whatever it is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 40 }), (value, maximum) => {
        const json = Buffer.from(JSON.stringify(value))
        const pieces = piecesOf(json, maximum)
        if (pieces === undefined) {
          expect(longestToken(JSON.stringify(value))).toBeGreaterThan(maximum)
          return
        }
        expect(Buffer.concat(pieces).equals(json)).toBe(true)
        expect(pieces.every((piece) => piece.length <= maximum)).toBe(true)
        expect(JSON.stringify(JSON.parse(pieces.map((piece) => Buffer.from(piece).toString()).join('\n')))).toBe(json.toString())
      }),
      { numRuns: 500 },
    )
  })
})

/** Longest stretch between places where a line may end. */
const longestToken = (json: string) => Math.max(...json.replace(/"(?:[^"\\]|\\.)*"/g, (text) => 'x'.repeat(Buffer.byteLength(text))).split(/(?<=[[\]{},:])/).map((part) => part.length))
