import { describe, expect, it } from 'vitest'
import type { Command } from '../../protocol/generated/types.ts'
import { ada, ben, CAPABILITY, hashOf, registry, urnOf, wim } from '../testing/cast.ts'
import { workId } from '../testing/work-scenario.ts'
import { canonicalForm } from './reference-forms.ts'

const system = { type: 'system', id: registry.id }
const text = (words: string) => [{ type: 'text', text: words }]
const message = urnOf('message')
const grant = { grantId: urnOf('grant'), granteeAgentId: wim.id, targetWorkItemId: workId('a'), maxDescendantDepth: 1, expiresAt: '2026-11-30T12:00:00Z' }
const fence = { workItemId: workId('a'), ownershipEpoch: 1, executionLeaseId: urnOf('lease') }

const cases: [kind: Command['kind'], reference: Record<string, unknown>, canonical: Record<string, unknown>][] = [
  ['membership.change', { principal: wim, roles: ['worker'], provisional: false, visibilityAfterSequence: 4 }, { member: wim, role: 'worker', visibilityStartSequence: 5 }],
  ['membership.change', { principal: ben, roles: ['observer'], visibilityAfterSequence: null }, { member: ben, role: 'observer' }],
  ['membership.end', { principal: wim }, { member: wim, reason: 'No reason was given.' }],
  ['mission.assign_coordinator', { coordinatorId: wim.id, leaseSeconds: 300 }, { coordinatorAgentId: wim.id, leaseSeconds: 300, reason: 'No reason was given.' }],
  ['message.post', { messageId: message, content: 'Hello', mentions: [ada, system] }, { messageId: message, content: text('Hello'), mentions: [ada, registry] }],
  ['mission.submit_for_approval', { artifactHashes: [hashOf('list')] }, { artifactHashes: [hashOf('list')], summary: 'No summary was given.', openRisks: ['Whether there are open risks was not said.'], dropped: [] }],
  ['work.unblock', { workItemId: workId('a') }, { workItemId: workId('a'), resolution: 'No resolution was given.' }],
  ['membership.grant_delegation', { ...grant, allowedCapabilities: [{ id: CAPABILITY, minimumVersion: 2 }, { id: 'release.report' }], budget: { currency: 'EUR', financialMicrounits: 2_500_000, modelTokens: 100, toolCalls: 5, computeSeconds: 0, wallClockSeconds: 0, externalActions: 1 } }, { ...grant, allowedCapabilities: [{ id: CAPABILITY, version: '2.0.0' }, { id: 'release.report', version: '1.0.0' }], budget: { currency: 'EUR', financialLimit: 2.5, modelTokenLimit: 100, toolCallLimit: 5, computeSecondsLimit: 0, wallClockSecondsLimit: 0, externalSideEffectLimit: 1 } }],
  ['ext.missionweaveprotocol.core.resource_usage_record', { ...fence, usageDelta: { financialMicrounits: 0, modelTokens: 7, toolCalls: 0, computeSeconds: 0, wallClockSeconds: 0, externalActions: 1 } }, { ...fence, usageDelta: { financial: 0, modelTokens: 7, toolCalls: 0, computeSeconds: 0, wallClockSeconds: 0, externalSideEffects: 1 } }],
  ['message.correct', { amendmentId: urnOf('fix'), messageId: message, replacementContent: '13', reason: 'A slip.' }, { amendmentId: urnOf('fix'), messageId: message, replacementContent: text('13'), reason: 'A slip.' }],
]

describe.each(cases)('%s as the reference writes it', (kind, reference, canonical) => {
  it('A-246: means the canonical payload, which itself stays as it is', () => {
    expect(canonicalForm({ kind }, reference)).toEqual({ ok: true, value: { payload: canonical } })
    expect(canonicalForm({ kind }, canonical)).toEqual({ ok: true, value: { payload: canonical } })
  })

  it('A-246: with any other member is in neither form and is left for the schema to refuse', () => {
    for (const more of [{ more: 1 }, { role: 'worker', reason: 'Mixed.', coordinatorAgentId: wim.id, references: [] }]) {
      const mixed = { ...reference, ...more }
      expect(canonicalForm({ kind }, mixed)).toEqual({ ok: true, value: { payload: mixed } })
    }
  })
})

it('A-198: amounts in both forms, or money without its currency, are left for the schema and the accounts to refuse', () => {
  const both = { ...fence, usageDelta: { financial: 1, currency: 'EUR', financialMicrounits: 5 } }
  expect(canonicalForm({ kind: 'ext.missionweaveprotocol.core.resource_usage_record' }, both)).toEqual({ ok: true, value: { payload: both } })
  const spent = { ...fence, usageDelta: { financialMicrounits: 1 } }
  expect(canonicalForm({ kind: 'ext.missionweaveprotocol.core.resource_usage_record' }, spent)).toMatchObject({ value: { payload: { usageDelta: { financial: 0.000001 } } } })
})

it('A-134: the Conversation in the payload becomes that of the Command, and may not contradict it', () => {
  const posted = { messageId: message, content: 'Hello', conversationId: urnOf('talk') }
  expect(canonicalForm({ kind: 'message.post' }, posted)).toMatchObject({ ok: true, value: { conversationId: urnOf('talk') } })
  expect(canonicalForm({ kind: 'message.post', conversationId: urnOf('other') }, posted)).toEqual({ ok: true, value: { payload: posted, conversationId: urnOf('other') } })
})

it('A-128: several roles, or a provisional Membership, have no canonical form', () => {
  for (const payload of [{ principal: wim, roles: ['worker', 'reviewer'] }, { principal: wim, roles: ['worker'], provisional: true }]) {
    expect(canonicalForm({ kind: 'membership.change' }, payload)).toEqual({ ok: true, value: { payload } })
  }
})

it.each<[kind: Command['kind'], member: string]>([
  ['mission.create', 'coordinatorId'],
  ['mission.approve', 'approvalId'],
  ['mission.request_changes', 'feedback'],
  ['approval.grant_execution', 'approvalId'],
  ['work.submit', 'artifactIds'],
  ['work.checkpoint', 'checkpoint'],
  ['work.block', 'checkpoint'],
])('A-246: %s in the form of the reference says too little, and the refusal says what is missing', (kind, member) => {
  expect(canonicalForm({ kind }, { [member]: 'x' })).toMatchObject({ ok: false, error: { code: 'INVALID_COMMAND', message: expect.stringContaining(`this form of ${kind} cannot be taken: it`) } })
})
