import { describe, expect, it } from 'vitest'
import type { Ruling } from '../authority/policy-ruling.ts'
import type { Store } from '../service/ports.ts'
import { newId, sampleBatch } from './batch-samples.ts'

const refusal = (changes: Partial<Ruling> = {}): Ruling => ({
  area: 'authorization',
  outcome: 'refused',
  at: '2026-11-29T10:00:00.000Z',
  actor: { type: 'agent', id: newId() },
  actionId: newId(),
  kind: 'work.start',
  reason: 'No.',
  policyVersion: 3,
  code: 'AUTH_FORBIDDEN',
  ...changes,
})

function permission(sequence: number): Ruling {
  const { code: _code, ...ruling } = refusal({ area: 'redaction', outcome: 'allowed', kind: 'message.redacted', eventId: newId(), sequence })
  return ruling
}

export function describeRulings(store: () => Store): void {
  const list = async (spaceId: string, range: { before?: number; limit?: number } = {}) => store().rulings.list({ spaceId, limit: 10, ...range })
  const plain = async (spaceId: string) => (await list(spaceId)).map(({ spaceId: _spaceId, entry: _entry, ...ruling }) => ruling)

  describe('rulings', () => {
    it('are written with their Events or not at all (A-126)', async () => {
      const spaceId = newId()
      const first = [permission(1), permission(1)]
      // The rulings of one batch are numbered in no certain order.
      const ids = (rulings: readonly Ruling[]) => rulings.map(({ actionId }) => actionId).sort()
      expect(await store().log.append(sampleBatch(spaceId, 0, { rulings: first }))).toEqual({ ok: true })
      expect(await plain(spaceId)).toEqual(expect.arrayContaining(first))
      expect(await store().log.append(sampleBatch(spaceId, 0, { rulings: [permission(1)] }))).toEqual({ ok: false, conflict: 'head' })
      const repeated = sampleBatch(spaceId, 1, { rulings: [permission(2)] })
      const taken = sampleBatch(newId(), 0)
      await store().log.append(taken)
      expect(await store().log.append({ ...repeated, receipts: [{ ...taken.receipts[0]!, spaceId, sequence: 2 }] })).toMatchObject({ ok: false })
      expect(ids(await plain(spaceId))).toEqual(ids(first))
    })

    it('are forgotten once they are old, if they refused something; what let an Event through stays (A-126)', async () => {
      const spaceId = newId()
      const [old, young] = [refusal({ at: '2019-01-01T00:00:00.000Z' }), refusal({ at: '2019-01-02T00:00:00.000Z' })]
      const allowed = { ...permission(1), at: '2018-01-01T00:00:00.000Z' }
      await store().log.append(sampleBatch(spaceId, 0, { rulings: [allowed] }))
      for (const ruling of [old, young]) await store().rulings.add(spaceId, ruling)
      await store().rulings.forgetRefusals('2019-01-02T00:00:00.000Z')
      expect(await plain(spaceId)).toEqual([young, allowed])
    })

    it('are added beside and read newest first, page by page, in one Space or in all', async () => {
      const [spaceId, other] = [newId(), newId()]
      const added = [refusal(), refusal({ code: 'RATE_LIMITED', area: 'escalation' }), refusal({ reason: 'nul \0' })]
      for (const ruling of added) await store().rulings.add(spaceId, ruling)
      await store().rulings.add(other, refusal())
      const [newest, ...older] = await list(spaceId, { limit: 2 })
      expect([newest?.reason, older.map(({ code }) => code)]).toEqual(['nul \uFFFD', ['RATE_LIMITED']])
      expect((await list(spaceId, { before: older[0]!.entry })).map(({ actionId }) => actionId)).toEqual([added[0]!.actionId])
      expect((await store().rulings.list({ limit: 2 })).map((ruling) => ruling.spaceId)).toEqual([other, spaceId])
    })

    it('are read by their outcome', async () => {
      const spaceId = newId()
      await store().log.append(sampleBatch(spaceId, 0, { rulings: [permission(1)] }))
      await store().rulings.add(spaceId, refusal())
      const outcomes = async (outcome: Ruling['outcome']) => (await store().rulings.list({ spaceId, outcome, limit: 10 })).map((ruling) => ruling.outcome)
      expect([await outcomes('allowed'), await outcomes('refused')]).toEqual([['allowed'], ['refused']])
    })
  })
}
