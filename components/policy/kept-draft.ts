// A half-typed policy outlives leaving the page: it is kept in the tab until it is signed or dropped.
import type { Policy } from '../../protocol/generated/types.ts'
import { draftOf, type PolicyDraft } from './policy-draft.ts'

export interface TypedPolicy {
  readonly draft: PolicyDraft
  readonly reason: string
}

const STORED = 'countersign.draft.policy'

const untouched = (base: Policy): TypedPolicy => ({ draft: draftOf(base), reason: '' })

/** What was typed on this very version; undefined where nothing was. What was typed on another is not carried over. */
export function keptDraft(base: Policy): TypedPolicy | undefined {
  try {
    const stored = JSON.parse(sessionStorage.getItem(STORED) ?? 'null') as (TypedPolicy & { readonly version: number }) | null
    return stored?.version === base.version ? { draft: { ...draftOf(base), ...stored.draft }, reason: stored.reason } : undefined
  } catch {
    return undefined
  }
}

/** Keeps what differs from `base`, and nothing where nothing does. */
export function keepDraft(base: Policy, typed: TypedPolicy): void {
  try {
    if (JSON.stringify(typed) === JSON.stringify(untouched(base))) sessionStorage.removeItem(STORED)
    else sessionStorage.setItem(STORED, JSON.stringify({ version: base.version, ...typed }))
  } catch {
    // A draft that cannot be kept is still a draft.
  }
}

export const openDraft = (base: Policy): TypedPolicy => keptDraft(base) ?? untouched(base)

/** It was signed, or is not wanted. */
export const dropDraft = (base: Policy): void => keepDraft(base, untouched(base))
