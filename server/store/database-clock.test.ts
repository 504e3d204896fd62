import { afterEach, describe, expect, it } from 'vitest'
import { DatabaseClock } from './database-clock.ts'

const NOON_MS = Date.UTC(2026, 10, 29, 12)

/** Clocks under control: every question to the database takes the next of these round trips. */
function sources(...roundTripsMs: number[]) {
  const world = { monotonicMs: 1000, databaseAheadMs: NOON_MS - 1000 }
  return {
    world,
    monotonicMs: () => world.monotonicMs,
    async databaseMs() {
      const roundTripMs = roundTripsMs.shift() ?? 0
      // The answer is made late in the round trip, which is where the error comes from.
      world.monotonicMs += roundTripMs
      return world.monotonicMs + world.databaseAheadMs
    },
  }
}

describe('database clock', () => {
  let clock: DatabaseClock | undefined
  afterEach(() => clock?.stop())

  it('tells the database time from the local clock between measurements', async () => {
    const time = sources()
    clock = await DatabaseClock.start(time)
    expect(clock.now()).toBe('2026-11-29T12:00:00.000Z')
    time.world.monotonicMs += 1234.9
    expect(clock.now()).toBe('2026-11-29T12:00:01.234Z')
  })

  it('believes the sample with the shortest round trip', async () => {
    const time = sources(80, 2, 40)
    clock = await DatabaseClock.start(time)
    const trueMs = time.world.monotonicMs + time.world.databaseAheadMs
    expect(Math.abs(clock.nowMs() - trueMs)).toBeLessThanOrEqual(1)
  })

  it('follows the database forward, and waits rather than run backwards (7.2)', async () => {
    const time = sources()
    clock = await DatabaseClock.start(time)
    time.world.databaseAheadMs += 5000
    await clock.measure()
    expect(clock.nowMs()).toBe(NOON_MS + 5000)
    time.world.databaseAheadMs -= 5000
    await clock.measure()
    expect(clock.nowMs()).toBe(NOON_MS + 5000)
    time.world.monotonicMs += 5001
    expect(clock.nowMs()).toBe(NOON_MS + 5001)
  })

  it('keeps its offset when the database cannot be asked', async () => {
    const time = sources()
    clock = await DatabaseClock.start(time)
    time.databaseMs = async () => {
      throw new RangeError('down')
    }
    await expect(clock.measure()).rejects.toThrow(RangeError)
    time.world.monotonicMs += 10
    expect(clock.nowMs()).toBe(NOON_MS + 10)
  })
})
