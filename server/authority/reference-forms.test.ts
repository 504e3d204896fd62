import { describe, expect, it } from 'vitest'
import type { Command } from '../../protocol/generated/types.ts'
import { ada, ben, registry, urnOf, wim } from '../testing/cast.ts'
import { canonicalForm } from './reference-forms.ts'

const system = { type: 'system', id: registry.id }
const text = (words: string) => [{ type: 'text', text: words }]
const message = urnOf('message')

const cases: [kind: Command['kind'], reference: Record<string, unknown>, canonical: Record<string, unknown>][] = [
  ['membership.change', { principal: wim, roles: ['worker'], provisional: false, visibilityAfterSequence: 4 }, { member: wim, role: 'worker', visibilityStartSequence: 5 }],
  ['membership.change', { principal: ben, roles: ['observer'], visibilityAfterSequence: null }, { member: ben, role: 'observer' }],
  ['membership.end', { principal: wim }, { member: wim, reason: 'No reason was given.' }],
  ['mission.assign_coordinator', { coordinatorId: wim.id, leaseSeconds: 300 }, { coordinatorAgentId: wim.id, leaseSeconds: 300, reason: 'No reason was given.' }],
  ['message.post', { messageId: message, content: 'Hello', mentions: [ada, system] }, { messageId: message, content: text('Hello'), mentions: [ada, registry] }],
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
