import { describe, expect, it } from 'vitest'
import { assertNever, err, invariant, InvariantViolation, ok } from './result.ts'

describe('results', () => {
  it('carry either a value or an error', () => {
    expect(ok(1)).toEqual({ ok: true, value: 1 })
    expect(err('taken')).toEqual({ ok: false, error: 'taken' })
  })

  it('keep broken promises of our own code apart as faults', () => {
    expect(() => invariant(false, 'head moved backwards')).toThrow(new InvariantViolation('head moved backwards'))
    expect(() => invariant(0 === 0, 'never')).not.toThrow()
    expect(() => assertNever('x' as never)).toThrow(InvariantViolation)
  })
})
