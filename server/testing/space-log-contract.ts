import { describe, expect, it } from 'vitest'
import type { LogEntry, Store } from '../service/ports.ts'
import { newHash, newId, noRows, sampleAdmission, sampleBatch, sampleEntry, sampleReceipt } from './batch-samples.ts'

const plain = (entry: LogEntry) => ({ ...entry, bytes: Buffer.from(entry.bytes).toString('hex') })
const sequences = (entries: readonly LogEntry[]) => entries.map((entry) => entry.sequence)

export function describeSpaceLog(store: () => Store): void {
  describe('append', () => {
    it.each([
      ['JSON with escapes and every script', new TextEncoder().encode('{"a":"q\\"b\\\\n\\u0000","é":"漢🙂{},\'"}')],
      ['what looks like an encoded byte string', new TextEncoder().encode('\\x00\\000')],
      ['a byte order mark and what no text should hold', new TextEncoder().encode('\ufeff\u0001\ufffe\u{10ffff}')],
    ])('keeps %s of Events, Commands and records (A-222, A-82)', async (_name, bytes) => {
      const spaceId = newId()
      const batch = sampleBatch(spaceId, 0, {
        count: 2,
        events: [sampleEntry(spaceId, 1), { ...sampleEntry(spaceId, 2), bytes }],
        receipts: [{ ...sampleReceipt(spaceId, 1), actionId: 'urn:x:quote"back\\slash{brace},comma', commandBytes: bytes }, sampleReceipt(spaceId, 2)],
      })
      expect(await store().log.append(batch)).toEqual({ ok: true })

      const entries = await store().log.read(spaceId, 0, 10)
      expect(entries.map(plain)).toEqual(batch.events.map(plain))
      const receipt = await store().log.findReceipt(batch.receipts[0]!.actorId, batch.receipts[0]!.actionId)
      expect({ ...receipt, commandBytes: [...receipt!.commandBytes] }).toEqual({ ...batch.receipts[0], commandBytes: [...bytes] })
      const record = batch.admissions[0]!
      expect(await store().log.findAdmission(record.organizationId, record.signingHash)).toEqual(record)
    })

    it.each([
      ['bytes that are not UTF-8', Uint8Array.from({ length: 256 }, (_, index) => index)],
      ['a zero byte', new TextEncoder().encode('a\0b')],
    ])('throws for %s, which no document holds, and writes nothing', async (_name, bytes) => {
      const spaceId = newId()
      const asEvent = sampleBatch(spaceId, 0, { events: [{ ...sampleEntry(spaceId, 1), bytes }] })
      const asCommand = sampleBatch(spaceId, 0, { receipts: [{ ...sampleReceipt(spaceId, 1), commandBytes: bytes }] })
      for (const batch of [asEvent, asCommand]) {
        await expect(store().log.append(batch)).rejects.toThrow('a document is UTF-8')
        await expectNothing(store(), batch)
      }
    })

    it('writes batches that come at the same time as one that holds no document or leaves a gap', async () => {
      const spaceIds = Array.from({ length: 5 }, newId)
      const batches = spaceIds.map((spaceId) => sampleBatch(spaceId, 0, { events: [sampleEntry(spaceId, 1)] }))
      batches[2] = { ...batches[2]!, events: [{ ...batches[2]!.events[0]!, bytes: Uint8Array.of(0xff) }] }
      batches[3] = { ...batches[3]!, events: [{ ...batches[3]!.events[0]!, sequence: 2 }] }
      const settled = await Promise.allSettled(batches.map((batch) => store().log.append(batch)))
      expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected', 'fulfilled'])
      expect(await Promise.all(spaceIds.map((spaceId) => store().log.head(spaceId)))).toEqual([1, 1, 0, 0, 1])
    })

    it('keeps empty and large contents apart in one batch', async () => {
      const spaceId = newId()
      const sizes = [0, 1, 200_000, 3]
      const events = sizes.map((size, index) => ({ ...sampleEntry(spaceId, index + 1), bytes: new Uint8Array(size).fill(index + 1) }))
      await store().log.append(sampleBatch(spaceId, 0, { events, receipts: [], admissions: [] }))
      expect((await store().log.read(spaceId, 0, 10)).map((entry) => [entry.bytes.length, entry.bytes[0]])).toEqual([[0, undefined], [1, 2], [200_000, 3], [3, 4]])
    })

    it('accepts exactly one of two writers on the same head', async () => {
      const spaceId = newId()
      for (const head of [0, 1, 2, 3]) {
        const outcomes = await Promise.all([1, 2, 3].map(() => store().log.append(sampleBatch(spaceId, head))))
        expect(outcomes.filter((outcome) => outcome.ok)).toHaveLength(1)
        expect(outcomes.filter((outcome) => !outcome.ok)).toEqual([{ ok: false, conflict: 'head' }, { ok: false, conflict: 'head' }])
      }
      expect(sequences(await store().log.read(spaceId, 0, 10))).toEqual([1, 2, 3, 4])
    })

    it('refuses a head that the Space never had', async () => {
      const spaceId = newId()
      expect(await store().log.append(sampleBatch(spaceId, 7))).toEqual({ ok: false, conflict: 'head' })
      expect(await store().log.head(spaceId)).toBe(0)
      await store().log.append(sampleBatch(spaceId, 0, { count: 3 }))
      expect(await store().log.append(sampleBatch(spaceId, 2))).toEqual({ ok: false, conflict: 'head' })
      expect(await store().log.append(sampleBatch(spaceId, 0))).toEqual({ ok: false, conflict: 'head' })
      expect(await store().log.head(spaceId)).toBe(3)
    })

    it.each(['action-id', 'event-id', 'admission', 'admission record id'] as const)('leaves nothing of a batch that repeats an %s (A-83)', async (repeated) => {
      const first = sampleBatch(newId(), 0)
      await store().log.append(first)
      const spaceId = newId()
      const second = sampleBatch(spaceId, 0, { count: 2 })
      const batch = {
        ...second,
        ...(repeated === 'action-id' && { receipts: [second.receipts[0]!, { ...first.receipts[0]!, spaceId, sequence: 2 }] }),
        ...(repeated === 'event-id' && { events: [second.events[0]!, { ...second.events[1]!, eventId: first.events[0]!.eventId }] }),
        ...(repeated === 'admission' && { admissions: [second.admissions[0]!, { ...first.admissions[0]!, admissionRecordId: newId() }] }),
        ...(repeated === 'admission record id' && { admissions: [second.admissions[0]!, { ...first.admissions[0]!, signingHash: newHash() }] }),
      }
      const conflict = repeated === 'admission record id' ? 'admission' : repeated
      expect(await store().log.append(batch)).toEqual({ ok: false, conflict })
      await expectNothing(store(), batch)
      expect(await store().log.append(second)).toEqual({ ok: true })
    })

    it('leaves nothing of a batch whose read-model rows break a rule', async () => {
      const spaceId = newId()
      const batch = sampleBatch(spaceId, 0, { count: 2, rows: { ...noRows, edges: [{ child: 1, parent: 2, provenance: 'reply' }] } })
      await expect(store().log.append(batch)).rejects.toThrow()
      await expectNothing(store(), batch)
    })

    it('A-110: writes a batch with the Space that it founds, all or nothing', async () => {
      const [spaceId, child, other] = [newId(), newId(), newId()]
      const first = (id: string, changes = {}) => ({ ...sampleBatch(id, 0, { receipts: [], ...changes }), expectedHead: 0 as const })
      await store().log.append(sampleBatch(spaceId, 0))
      expect(await store().log.append(sampleBatch(spaceId, 1, { founded: [first(child)] }))).toEqual({ ok: true })
      expect(await Promise.all([spaceId, child].map((id) => store().log.head(id)))).toEqual([2, 1])

      const again = sampleBatch(spaceId, 2, { founded: [first(other), first(child)] })
      expect(await store().log.append(again)).toEqual({ ok: false, conflict: 'space-id' })
      const late = sampleBatch(spaceId, 1, { founded: [first(other)] })
      expect(await store().log.append(late)).toEqual({ ok: false, conflict: 'head' })
      const repeated = sampleBatch(spaceId, 2, { founded: [first(other, { events: [{ ...sampleEntry(other, 1), eventId: (await store().log.read(spaceId, 0, 1))[0]!.eventId }] })] })
      expect(await store().log.append(repeated)).toEqual({ ok: false, conflict: 'event-id' })
      expect(await Promise.all([spaceId, child, other].map((id) => store().log.head(id)))).toEqual([2, 1, 0])
      await expectNothing(store(), { ...sampleBatch(other, 0), admissions: again.admissions })
    })

    it('keeps a reaction from the commit that calls for it to the commit that records it', async () => {
      const [source, target] = [newId(), newId()]
      const [kept, dropped] = [1, 2].map((n) => ({ targetSpaceId: target, eventId: newId(), reaction: JSON.stringify({ n, text: 'a\u0000b' }) }))
      const waiting = async () => (await store().log.pendingReactions(10_000)).filter(({ targetSpaceId }) => targetSpaceId === target)
      const batch = sampleBatch(source, 0, { reactions: [kept!, dropped!] })
      expect(await store().log.append({ ...batch, expectedHead: 0 })).toEqual({ ok: true })
      expect(await waiting()).toEqual(expect.arrayContaining([kept, dropped]))

      expect(await store().log.append(sampleBatch(target, 7, { settled: [kept!] }))).toEqual({ ok: false, conflict: 'head' })
      expect(await waiting()).toHaveLength(2)
      expect(await store().log.append(sampleBatch(target, 0, { settled: [kept!] }))).toEqual({ ok: true })
      expect(await waiting()).toEqual([dropped])
      await store().log.dropReactions([dropped!])
      await store().log.dropReactions([])
      expect(await waiting()).toEqual([])
    })

    it('tells of all waiting reactions in one order, page by page', async () => {
      const [source, target] = [newId(), newId()]
      const kept = Array.from({ length: 5 }, () => ({ targetSpaceId: target, eventId: newId(), reaction: '{}' }))
      await store().log.append(sampleBatch(source, 0, { reactions: kept }))
      const pages: string[] = []
      for (let after: { targetSpaceId: string; eventId: string } | undefined; ; ) {
        const page = await store().log.pendingReactions(2, after)
        pages.push(...page.filter(({ targetSpaceId }) => targetSpaceId === target).map(({ eventId }) => eventId))
        after = page.at(-1)
        if (after === undefined) break
      }
      expect(pages).toEqual(kept.map(({ eventId }) => eventId).sort())
      await store().log.dropReactions(kept)
    })

    it('leaves no reaction of a batch that was refused', async () => {
      const [source, target] = [newId(), newId()]
      await store().log.append(sampleBatch(source, 3, { reactions: [{ targetSpaceId: target, eventId: newId(), reaction: '{}' }] }))
      expect((await store().log.pendingReactions(10_000)).some(({ targetSpaceId }) => targetSpaceId === target)).toBe(false)
    })

    it('throws for a batch with a gap, which is a fault of the caller', async () => {
      const spaceId = newId()
      await expect(store().log.append(sampleBatch(spaceId, 0, { events: [sampleEntry(spaceId, 2)] }))).rejects.toThrow('without a gap')
    })

    it('gives one Action ID to one of many Spaces that claim it at once (7.1)', async () => {
      const receipt = sampleReceipt(newId(), 1)
      const claims = Array.from({ length: 8 }, () => {
        const spaceId = newId()
        return sampleBatch(spaceId, 0, { receipts: [{ ...receipt, spaceId }] })
      })
      const outcomes = await Promise.all(claims.map((batch) => store().log.append(batch)))
      expect(outcomes.filter((outcome) => outcome.ok)).toHaveLength(1)
      const winner = claims[outcomes.findIndex((outcome) => outcome.ok)]!
      expect((await store().log.findReceipt(receipt.actorId, receipt.actionId))?.spaceId).toBe(winner.spaceId)
    })

    it('lets many Spaces grow at once, each in a sequence of its own, without a lost batch (A-21)', async () => {
      const spaces = Array.from({ length: 8 }, newId)
      await Promise.all(
        spaces.map(async (spaceId) => {
          for (const head of [0, 2, 4]) expect(await store().log.append(sampleBatch(spaceId, head, { count: 2 }))).toEqual({ ok: true })
        }),
      )
      expect(await Promise.all(spaces.map((spaceId) => store().log.head(spaceId)))).toEqual(spaces.map(() => 6))
    })
  })

  describe('reads of the log', () => {
    it('returns entries in order, after a position and up to a limit', async () => {
      const spaceId = newId()
      await store().log.append(sampleBatch(spaceId, 0, { count: 12 }))
      await store().log.append(sampleBatch(newId(), 0))
      expect(sequences(await store().log.read(spaceId, 0, 100))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
      expect(sequences(await store().log.read(spaceId, 8, 3))).toEqual([9, 10, 11])
      expect(await store().log.read(spaceId, 12, 3)).toEqual([])
      expect(sequences(await store().log.readAt(spaceId, [11, 2, 99]))).toEqual([2, 11])
      expect(await store().log.readAt(spaceId, [])).toEqual([])
    })

    it('finds receipts and records one by one and for a whole batch', async () => {
      const spaceId = newId()
      const organizationId = newId()
      const batch = sampleBatch(spaceId, 0, { count: 3, admissions: [1, 2, 3].map(() => sampleAdmission(organizationId)) })
      await store().log.append(batch)
      const [first, , third] = batch.receipts
      const found = await store().log.findReceipts([first!, third!, { actorId: first!.actorId, actionId: third!.actionId }])
      expect(found.map((receipt) => receipt.actionId).sort()).toEqual([first!.actionId, third!.actionId].sort())
      expect((await store().log.findReceiptAt(spaceId, 3))?.actionId).toBe(third!.actionId)
      expect(await store().log.findReceiptAt(spaceId, 4)).toBeUndefined()
      expect(await store().log.findReceipt(newId(), first!.actionId)).toBeUndefined()

      const records = await store().log.findAdmissions(organizationId, [batch.admissions[1]!.signingHash, newHash()])
      expect(records).toEqual([batch.admissions[1]])
      expect(await store().log.findAdmission(newId(), batch.admissions[1]!.signingHash)).toBeUndefined()
      expect(await store().log.findReceipts([])).toEqual([])
      expect(await store().log.findAdmissions(organizationId, [])).toEqual([])
    })

    it('finds the record of a Command, of which there is one', async () => {
      const [spaceId, organizationId] = [newId(), newId()]
      const receipt = sampleReceipt(spaceId, 1)
      const record = { ...sampleAdmission(organizationId), signingHash: receipt.signingHash }
      await store().log.append(sampleBatch(spaceId, 0, { receipts: [receipt], admissions: [record] }))
      expect(await store().log.findAdmission(organizationId, record.signingHash)).toEqual(record)
      expect(await store().log.findAdmission(newId(), record.signingHash)).toBeUndefined()
      const again = { ...sampleReceipt(spaceId, 2), signingHash: receipt.signingHash }
      expect(await store().log.append(sampleBatch(spaceId, 1, { receipts: [again], admissions: [{ ...record, admissionRecordId: newId() }] }))).toEqual({ ok: false, conflict: 'admission' })
    })

    it('lists the Spaces of one kind in ascending order', async () => {
      const organization = newId()
      const missions = Array.from({ length: 5 }, newId)
      await store().log.append(sampleBatch(organization, 0, { spaceKind: 'organization' }))
      for (const spaceId of missions) await store().log.append(sampleBatch(spaceId, 0))
      const listed = await store().log.listSpaces('mission')
      expect(listed).toEqual([...listed].sort())
      expect(listed).toEqual(expect.arrayContaining(missions))
      expect(listed).not.toContain(organization)
      expect(await store().log.listSpaces('organization')).toContain(organization)
    })

    it('tells which ids are taken, by Spaces of every kind', async () => {
      const [organization, mission] = [newId(), newId()]
      await store().log.append(sampleBatch(organization, 0, { spaceKind: 'organization' }))
      await store().log.append(sampleBatch(mission, 0))
      expect([...(await store().log.takenIds([organization, newId(), mission]))].sort()).toEqual([organization, mission].sort())
    })
  })

  describe('clock and wake-ups', () => {
    it('tells RFC 3339 time in UTC with milliseconds that never runs backwards', async () => {
      const times = Array.from({ length: 1000 }, () => store().clock.nowMs())
      expect(times).toEqual([...times].sort((a, b) => a - b))
      expect(store().clock.now()).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    })

    it('wakes every listener of this node until it unsubscribes', () => {
      const heard: string[] = []
      const unsubscribe = store().wakeUps.subscribe((spaceId) => heard.push(spaceId))
      store().wakeUps.publish('urn:x:one')
      unsubscribe()
      store().wakeUps.publish('urn:x:two')
      expect(heard).toEqual(['urn:x:one'])
    })
  })
}

async function expectNothing(store: Store, batch: ReturnType<typeof sampleBatch>): Promise<void> {
  const receipts = await store.log.findReceipts(batch.receipts.filter((receipt) => receipt.spaceId === batch.spaceId))
  expect(receipts.filter((receipt) => receipt.spaceId === batch.spaceId)).toEqual([])
  expect(await store.log.findAdmission(batch.admissions[0]!.organizationId, batch.admissions[0]!.signingHash)).toBeUndefined()
  expect(await store.log.read(batch.spaceId, 0, 10)).toEqual([])
  expect(await store.log.head(batch.spaceId)).toBe(0)
  expect(await store.readModels.dump(batch.spaceId)).toBe(await store.readModels.dump(newId()))
}
