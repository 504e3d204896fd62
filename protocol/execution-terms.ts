// What an execution Approval allows, in the words that its signer reads and signs.
import type { Budget, ExecutionTerms } from './generated/types.ts'

const LIMITS: readonly (readonly [member: Exclude<keyof Budget, 'currency'>, unit: string])[] = [
  ['financialLimit', 'money'],
  ['modelTokenLimit', 'model tokens'],
  ['toolCallLimit', 'tool calls'],
  ['computeSecondsLimit', 'compute seconds'],
  ['wallClockSecondsLimit', 'wall-clock seconds'],
  ['externalSideEffectLimit', 'external side effects'],
]

/**
 * The `conditions` of an Approval with these terms. An Approval has no members for terms of its own, so they are bound by
 * its signature as text: authority and signer derive the same lines, and one that differs is another Approval.
 */
export function executionConditions({ ownershipEpoch, contractVersion, resources, budget, expiresAt }: ExecutionTerms): string[] {
  const limits = LIMITS.filter(([member]) => budget[member] !== undefined).map(([member, unit]) => limitWords(budget, member, unit))
  return [
    `Only for its present owner (Ownership Epoch ${ownershipEpoch}) under contract version ${contractVersion}.`,
    `Until ${expiresAt}.`,
    ...resources.map(({ resource, operations }) => `On ${resource}: ${operations.join(', ')}.`),
    `For at most ${limits.join(', ')}.`,
  ]
}

function limitWords(budget: Budget, member: Exclude<keyof Budget, 'currency'>, unit: string): string {
  return member === 'financialLimit' ? `${budget.financialLimit} ${budget.currency}` : `${budget[member]} ${unit}`
}
