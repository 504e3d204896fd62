import { describe, expect, it } from 'vitest'
import { createTurns } from './turns.ts'

describe('taking turns', () => {
  it('runs one task at a time, in order, with a pause before each', async () => {
    const happened: string[] = []
    const inTurn = createTurns(async () => happened.push('pause'))
    await Promise.all([1, 2].map((task) => inTurn(() => happened.push(`task ${task}`))))
    expect(happened).toEqual(['pause', 'task 1', 'pause', 'task 2'])
  })

  it('goes on after a task that failed, and tells its caller', async () => {
    const inTurn = createTurns(() => Promise.resolve())
    await expect(inTurn(() => { throw new Error('broken') })).rejects.toThrow('broken')
    expect(await inTurn(() => 'next')).toBe('next')
  })
})
