import { afterEach, describe, expect, it, vi } from 'vitest'
import { exampleCommandPayloads } from '../../protocol/testing/example-payloads.ts'
import { dropDraft, keepDraft, keptDraft, openDraft } from './kept-draft.ts'
import { draftOf } from './policy-draft.ts'

const { policy } = exampleCommandPayloads['ext.countersign.policy.change']
const typed = { draft: { ...draftOf(policy), freshnessSeconds: '12x' }, reason: 'Because' }

/** The storage of a new tab. */
function tab(): ReadonlyMap<string, string> {
  const held = new Map<string, string>()
  vi.stubGlobal('sessionStorage', {
    getItem: (name: string) => held.get(name) ?? null,
    setItem: (name: string, value: string) => held.set(name, value),
    removeItem: (name: string) => held.delete(name),
  })
  return held
}

afterEach(() => vi.unstubAllGlobals())

describe('a half-typed policy', () => {
  it('is there again after the page was left, faults and reason included', () => {
    tab()
    keepDraft(policy, typed)
    expect(openDraft(policy)).toEqual(typed)
  })

  it('is not carried over to another version', () => {
    tab()
    keepDraft(policy, typed)
    const next = { ...policy, version: policy.version + 1 }
    expect([keptDraft(next), openDraft(next)]).toEqual([undefined, { draft: draftOf(next), reason: '' }])
  })

  it.each([
    ['it is dropped', () => dropDraft(policy)],
    ['it says again what is in force', () => keepDraft(policy, { draft: draftOf(policy), reason: '' })],
  ])('is forgotten once %s', (_, end) => {
    const held = tab()
    keepDraft(policy, typed)
    end()
    expect([keptDraft(policy), held.size]).toEqual([undefined, 0])
  })

  it('is still one where the tab keeps nothing', () => {
    vi.stubGlobal('sessionStorage', undefined)
    expect(() => keepDraft(policy, typed)).not.toThrow()
    expect(openDraft(policy)).toEqual({ draft: draftOf(policy), reason: '' })
  })
})
