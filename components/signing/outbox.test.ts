import { describe, expect, it } from 'vitest'
import { encodeCanonical } from '../../protocol/canonical-json.ts'
import { createOutbox, type OutboxEntry, type OutboxStorage } from './outbox.ts'
import { bytesOf, createDraft, IDS } from './signing-fixture.ts'

function memoryStorage(): OutboxStorage & { readonly content: Map<string, string> } {
  const content = new Map<string, string>()
  return {
    content,
    get length() {
      return content.size
    },
    key: (at) => [...content.keys()][at] ?? null,
    getItem: (key) => content.get(key) ?? null,
    setItem: (key, value) => void content.set(key, value),
    removeItem: (key) => void content.delete(key),
  }
}

const entry = (actionId: string, signedAt: string, principalId = IDS.me): OutboxEntry => ({ actionId, principalId, kind: 'mission.create', signedAt, text: '{}' })

describe('outbox', () => {
  it('gives the signed bytes back unchanged', () => {
    const bytes = encodeCanonical({ title: 'Ünïcode \u2028 "quoted" 👍', command: new TextDecoder().decode(bytesOf(createDraft)) })
    const outbox = createOutbox(memoryStorage())
    outbox.keep({ ...entry(IDS.action, '1'), text: new TextDecoder().decode(bytes) })
    expect(new TextEncoder().encode(outbox.list(IDS.me)[0]?.text)).toEqual(bytes)
  })

  it('lists the oldest first, only those of one person, until they are settled', () => {
    const outbox = createOutbox(memoryStorage())
    outbox.keep(entry('second', '2026-11-29T12:00:02Z'))
    outbox.keep(entry('first', '2026-11-29T12:00:01Z'))
    outbox.keep(entry('foreign', '2026-11-29T12:00:00Z', IDS.coordinator))
    expect(outbox.list(IDS.me).map((kept) => kept.actionId)).toEqual(['first', 'second'])
    outbox.settle('first')
    expect(outbox.list(IDS.me).map((kept) => kept.actionId)).toEqual(['second'])
  })

  it('says so when the browser will not keep it', () => {
    const full: OutboxStorage = {
      ...memoryStorage(),
      setItem: () => {
        throw new DOMException('full', 'QuotaExceededError')
      },
    }
    expect(createOutbox(full).keep(entry(IDS.action, '1'))).toBe(false)
  })

  it('skips what another program wrote into the same storage', () => {
    const storage = memoryStorage()
    storage.content.set('countersign.outbox.broken', '{"actionId":')
    storage.content.set('countersign.outbox.partial', '{"actionId":"x"}')
    storage.content.set('something-else', 'true')
    expect(createOutbox(storage).list(IDS.me)).toEqual([])
  })
})
