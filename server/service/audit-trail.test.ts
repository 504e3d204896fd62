import { beforeEach, describe, expect, it } from 'vitest'
import { silentLog } from '../log.ts'
import { StillClock } from '../testing/authority-fixture.ts'
import type { AuditedRefusal } from './audit-trail.ts'
import { AuditTrail } from './audit-trail.ts'
import type { Directory } from './ports.ts'

type Entry = Parameters<Directory['addAuditEntry']>[0]
let clock: StillClock
let kept: Entry[]
let trail: AuditTrail

beforeEach(() => {
  clock = new StillClock()
  kept = []
  trail = new AuditTrail({ addAuditEntry: async (entry) => void kept.push(entry) }, clock, silentLog())
})

const refusal = (changes: Partial<AuditedRefusal> = {}): AuditedRefusal => ({ stage: 'schema', reason: 'invalid', door: 'http', sender: '192.0.2.1', isVerified: false, detail: {}, ...changes })

/** How many of these are kept, recorded one after another. */
async function keptOf(count: number, changes: Partial<AuditedRefusal> = {}): Promise<number> {
  const before = kept.length
  for (let recorded = 0; recorded < count; recorded++) {
    trail.record(refusal(changes))
    await trail.settled()
  }
  return kept.length - before
}

describe('the audit trail', () => {
  it('keeps a burst of one sender, then an entry every ten seconds, and says how many it lost (A-106)', async () => {
    expect(await keptOf(100)).toBe(60)
    clock.advance(9)
    expect(await keptOf(1)).toBe(0)
    clock.advance(1)
    expect(await keptOf(5)).toBe(1)
    expect(kept.at(-1)).toEqual({ at: clock.now(), stage: 'schema', reason: 'invalid', door: 'http', detail: { entriesLostBefore: 41 } })
  })

  it('hears others while one sender floods it', async () => {
    await keptOf(1000)
    expect(await keptOf(1, { sender: '192.0.2.2' })).toBe(1)
    expect(await keptOf(1, { sender: 'urn:example:olga', isVerified: true })).toBe(1)
  })

  it('keeps a bounded number of strangers together, and still those who signed', async () => {
    for (let sender = 0; sender < 400; sender++) await keptOf(1, { sender: `stranger ${sender}` })
    expect(kept).toHaveLength(300)
    expect(await keptOf(1, { sender: 'urn:example:olga', isVerified: true })).toBe(1)
    clock.advance(1)
    expect([await keptOf(1, { sender: 'one' }), await keptOf(1, { sender: 'two' })]).toEqual([1, 0])
  })

  it('drops what the database has no time for', async () => {
    trail = new AuditTrail({ addAuditEntry: (entry) => (kept.push(entry), Promise.resolve()) }, clock, silentLog())
    for (let sender = 0; sender < 100; sender++) trail.record(refusal({ sender: `urn:example:${sender}`, isVerified: true }))
    expect(kept).toHaveLength(64)
    await trail.settled()
    expect(await keptOf(1, { sender: 'urn:example:olga', isVerified: true })).toBe(1)
    expect(kept.at(-1)?.detail).toEqual({ entriesLostBefore: 36 })
  })
})
