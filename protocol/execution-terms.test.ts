import { describe, expect, it } from 'vitest'
import { executionConditions } from './execution-terms.ts'
import type { ExecutionTerms } from './generated/types.ts'

const terms: ExecutionTerms = {
  ownershipEpoch: 3,
  contractVersion: 2,
  resources: [{ resource: 'urn:example:production', operations: ['deploy', 'read'] }, { resource: 'urn:example:bank', operations: ['pay'] }],
  budget: { currency: 'EUR', financialLimit: 12.5, modelTokenLimit: 1000, toolCallLimit: 5, computeSecondsLimit: 6, wallClockSecondsLimit: 7, externalSideEffectLimit: 1 },
  expiresAt: '2026-12-01T10:00:00Z',
}

describe('the conditions of an execution Approval', () => {
  it('A-196: say owner, contract, time, operations, resources and all six limits', () => {
    expect(executionConditions(terms)).toEqual([
      'Only for its present owner (Ownership Epoch 3) under contract version 2.',
      'Until 2026-12-01T10:00:00Z.',
      'On urn:example:production: deploy, read.',
      'On urn:example:bank: pay.',
      'For at most 12.5 EUR, 1000 model tokens, 5 tool calls, 6 compute seconds, 7 wall-clock seconds, 1 external side effects.',
    ])
  })

  it.each<readonly [string, Partial<ExecutionTerms>]>([
    ['owner', { ownershipEpoch: 4 }],
    ['contract', { contractVersion: 3 }],
    ['time', { expiresAt: '2026-12-01T10:00:01Z' }],
    ['resource', { resources: [{ resource: 'urn:example:staging', operations: ['deploy'] }] }],
    ['operation', { resources: [{ resource: 'urn:example:production', operations: ['deploy', 'destroy'] }, { resource: 'urn:example:bank', operations: ['pay'] }] }],
    ['currency', { budget: { ...terms.budget, currency: 'USD' } }],
    ['limit', { budget: { ...terms.budget, externalSideEffectLimit: 2 } }],
  ])('A-196: another %s makes other conditions', (_, change) => {
    expect(executionConditions({ ...terms, ...change })).not.toEqual(executionConditions(terms))
  })
})
