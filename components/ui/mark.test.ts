import { describe, expect, it } from 'vitest'
import { MARK_SHAPES, markOf } from './mark.ts'

const ids = Array.from({ length: 600 }, (_, at) => `urn:uuid:00000000-0000-4000-8000-${String(at).padStart(12, '0')}`)

describe('markOf', () => {
  it('gives one id one mark', () => {
    expect(markOf(ids[7]!)).toEqual(markOf(ids[7]!))
  })

  it('spreads neighbouring ids over every shape and many initials', () => {
    const marks = ids.map(markOf)
    expect(new Set(marks.map((mark) => mark.shape)).size).toBe(MARK_SHAPES.length)
    expect(new Set(marks.map((mark) => mark.initials)).size).toBeGreaterThan(300)
    expect(new Set(marks.map((mark) => JSON.stringify(mark))).size).toBeGreaterThan(500)
  })
})
