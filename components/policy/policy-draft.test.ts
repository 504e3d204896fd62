import { describe, expect, it } from 'vitest'
import type { Policy } from '../../protocol/generated/types.ts'
import { exampleCommandPayloads } from '../../protocol/testing/example-payloads.ts'
import { withChanges } from '../../protocol/testing/with-changes.ts'
import { validateCommandPayload } from '../../protocol/validate.ts'
import { draftFaults, draftOf, policyOf } from './policy-draft.ts'
import { DEPTHS, FRESHNESS, LIMITS, policyDifferences, policySections } from './policy-words.ts'

const CHANGE = 'ext.countersign.policy.change'
const { policy } = exampleCommandPayloads[CHANGE]
const [service] = policy.services
const names = { [service!.principalId]: 'Watchdog' }

const changed = (changes: Record<string, unknown>) => withChanges(policy, changes) as unknown as Policy
const isValid = (candidate: Policy) => validateCommandPayload(CHANGE, { policy: candidate, reason: 'So.' }) === undefined

describe('a draft of a policy', () => {
  it('becomes the same policy again, as the next version', () => {
    expect(policyOf(draftOf(policy), policy.version)).toEqual({ ...policy, version: policy.version + 1 })
  })

  it.each([
    ...LIMITS.map((field) => [`limits.${field.member}`, field] as const),
    ...DEPTHS.map((field) => [`maximumDepth.${field.member}`, field] as const),
    [FRESHNESS.member, FRESHNESS] as const,
  ])('takes for %s exactly what the schema takes', (path, { member, least, most }) => {
    for (const [figure, isTaken] of [[least, true], [most, true], [least - 1, false], [most + 1, false]] as const) {
      const candidate = changed({ [path]: figure })
      expect([figure, isValid(candidate)]).toEqual([figure, isTaken])
      expect(Object.keys(draftFaults(draftOf(candidate)))).toEqual(isTaken ? [] : [member])
    }
  })

  it.each(['Payment', '1pay', 'pay(all)', 'p'.repeat(129)])('says that "%s" names no operation, as the schema does', (operation) => {
    const candidate = changed({ 'executionGates.payment': [operation] })
    expect([isValid(candidate), Object.keys(draftFaults(draftOf(candidate)))]).toEqual([false, ['payment']])
  })

  it('takes operations between any separators, each once, and leaves out services that may do nothing', () => {
    const draft = draftOf(policy)
    const next = policyOf({ ...draft, executionGates: { ...draft.executionGates, payment: 'pay.invoice,\n pay.refund  pay.invoice' }, services: [{ principalId: service!.principalId, kinds: [] }] }, 1)
    expect(next).toMatchObject({ executionGates: { payment: ['pay.invoice', 'pay.refund'] }, services: [] })
    expect(isValid(next!)).toBe(true)
  })

  it('becomes nothing while something is at fault', () => {
    expect(policyOf({ ...draftOf(policy), freshnessSeconds: '1.5' }, 1)).toBeUndefined()
  })
})

describe('a policy in words', () => {
  it('calls services by their names, and by their ids where they have none', () => {
    const services = (hints: Record<string, string>) => policySections(policy, hints).find(({ title }) => title === 'What services may do')!.lines
    expect(services(names)).toMatchObject([{ label: 'Watchdog', value: 'cancel a mission' }])
    expect(services({})[0]!.label).toBe(service!.principalId)
  })

  it.each<[string, Record<string, unknown>, string, string]>([
    ['a limit', { 'limits.messagesPerMinute': 6000 }, 'Messages a minute', '60 → 6,000'],
    ['a depth', { 'maximumDepth.childMissions': 0 }, 'Child missions below a mission', '2 levels → none'],
    ['the freshness', { freshnessSeconds: 60 }, 'A signed command is taken for', '300 seconds → 60 seconds'],
    ['a risk rule', { 'risk.none': { executionApproval: false, rootHumanApproval: false } }, 'Work without side effects', 'a person approves its start; the root owner approves a child mission → goes its way'],
    ['operations', { 'executionGates.payment': [] }, 'Payment', 'pay.invoice → none'],
    ['a service', { services: [] }, 'Watchdog', 'cancel a mission → nothing'],
    ['rights of a service', { 'services.0.kinds': ['mission.cancel', 'mission.terminate'] }, 'Watchdog', 'cancel a mission → cancel a mission, end a mission that cannot go on'],
  ])('tells how %s differs', (_, changes, label, words) => {
    const found = policyDifferences(policy, changed({ ...changes, version: 2 }), names)
    expect(found.map((difference) => [difference.label, `${difference.before} → ${difference.after}`])).toEqual([[label, words]])
  })

  it('tells a difference of every member that the schema has', () => {
    const leaves = (value: unknown, path: string): string[] =>
      typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value).flatMap(([name, member]) => leaves(member, path === '' ? name : `${path}.${name}`)) : [path]
    const other = (value: unknown) => (typeof value === 'number' ? value + 1 : typeof value === 'boolean' ? !value : [])
    const at = (path: string) => path.split('.').reduce<unknown>((node, name) => (node as Record<string, unknown>)[name], policy)
    const full = changed(Object.fromEntries(leaves(policy.executionGates, 'executionGates').map((path) => [path, ['pay.invoice']])))
    const untold = leaves(full, '').filter((path) => policyDifferences(full, withChanges(full, { [path]: other(at(path)) }) as unknown as Policy, names).length === 0)
    expect(untold).toEqual(['version'])
  })
})
