import { expect, it } from 'vitest'
import type { Cursor } from './cursor.ts'
import { encodeCursor, parseCursor } from './cursor.ts'

it.each<Cursor>([
  { kind: 'space', id: 'urn:uuid:1', position: 0 },
  { kind: 'node', id: 'https://a.example/b/c?d#é\n', position: 12 },
  { kind: 'branch', id: 'a', position: 3, head: 'b/4' },
])('$kind survives the way to the client and back', (cursor) => {
  const text = encodeCursor(cursor)
  expect([parseCursor(text), /^[!-~]+$/.test(text)]).toEqual([cursor, true])
})

it.each(['', '17', 'space/a', 'space/a/-1', 'space/a/1/b', 'branch/a/1', 'space/a/1234567890123456', 'all/a/1', 'space/%/1', 'space/a/1\n'])('"%s" is none of ours', (text) => {
  expect(parseCursor(text)).toBeUndefined()
})
