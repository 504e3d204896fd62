// The Organization's policy as people read it: lines under headings, from which the page and the comparison of two versions are made.
import type { Policy } from '../../protocol/generated/types.ts'
import type { NameHints } from '../signing/signer.ts'

export type RiskClass = keyof Policy['risk']
export type GateClass = keyof Policy['executionGates']
export type ServiceKind = Policy['services'][number]['kinds'][number]

/** A number of the policy; `least` and `most` are those of the schema. */
export interface NumberField<M extends string> { readonly member: M; readonly label: string; readonly least: number; readonly most: number; readonly hint?: string }

export const LIMITS: readonly NumberField<keyof Policy['limits']>[] = [
  { member: 'messagesPerMinute', label: 'Messages a minute', least: 1, most: 100_000 },
  { member: 'proposalsPerMinute', label: 'Proposals a minute', least: 1, most: 100_000 },
  { member: 'queuedWorkItems', label: 'Work waiting for one agent', least: 1, most: 10_000 },
  { member: 'activeWorkItems', label: 'Work under way by one agent', least: 1, most: 10_000 },
  { member: 'openClarifications', label: 'Open clarifications', least: 1, most: 1_000, hint: 'Nothing counts these yet.' },
]

export const DEPTHS: readonly NumberField<keyof Policy['maximumDepth']>[] = [
  { member: 'childMissions', label: 'Child missions below a mission', least: 0, most: 32 },
  { member: 'delegation', label: 'Work below work, delegated', least: 0, most: 32 },
]

export const FRESHNESS: NumberField<'freshnessSeconds'> = { member: 'freshnessSeconds', label: 'A signed command is taken for', least: 10, most: 3_600 }

export const RISKS: readonly { readonly member: RiskClass; readonly label: string }[] = [
  { member: 'none', label: 'Work without side effects' },
  { member: 'reversible', label: 'Work that can be undone' },
  { member: 'external', label: 'Work with effects outside' },
  { member: 'high_risk', label: 'Work of high risk' },
  { member: 'destructive', label: 'Work that destroys something' },
]

export const GATES: readonly { readonly member: GateClass; readonly label: string }[] = [
  { member: 'payment', label: 'Payment' },
  { member: 'production_deployment', label: 'Deployment to production' },
  { member: 'destructive_change', label: 'Destructive change' },
  { member: 'external_communication', label: 'Communication with others' },
  { member: 'sensitive_data', label: 'Sensitive data' },
]

export const SERVICE_KINDS: readonly { readonly kind: ServiceKind; readonly label: string }[] = [
  { kind: 'mission.assign_coordinator', label: 'put an agent in charge' },
  { kind: 'mission.cancel', label: 'cancel a mission' },
  { kind: 'mission.terminate', label: 'end a mission that cannot go on' },
  { kind: 'policy.grant_cooperation_override', label: 'lift a limit once' },
  { kind: 'ext.missionweaveprotocol.core.group_archive', label: 'archive a finished mission' },
]

export interface PolicyLine { readonly key: string; readonly label: string; readonly value: string; readonly hint?: string }
export interface PolicySection { readonly title: string; readonly about: string; readonly lines: readonly PolicyLine[] }

export const SECTIONS = {
  limits: { title: 'How much at once', about: 'For each member in each mission. What goes beyond is refused; a grant lifts a limit once.' },
  depth: { title: 'How deep', about: 'Levels that child missions and delegated work may go down.' },
  risk: { title: 'What a person approves first', about: 'By the risk that the work declares. What is under way is not held up by a new policy.' },
  gates: { title: 'Operations that wait for approval', about: 'Named as in work contracts, such as payment.send. Work that may use one is approved by a person before it starts.' },
  services: { title: 'What services may do', about: 'In every mission, without being a member. No service can approve, work or talk.' },
  freshness: { title: 'How fresh', about: 'A signature whose time is further from the server’s is refused, so that it cannot be kept back and used later.' },
} as const

const grouped = new Intl.NumberFormat('en')

/** `names` are those of services, by id. Everything that the policy says stands in one of the lines. */
export function policySections(policy: Policy, names: NameHints): readonly PolicySection[] {
  const { limits, maximumDepth, risk, executionGates, services, freshnessSeconds } = policy
  return [
    { ...SECTIONS.risk, lines: RISKS.map(({ member, label }) => ({ key: `risk.${member}`, label, value: riskWords(risk[member]) })) },
    { ...SECTIONS.gates, lines: GATES.map(({ member, label }) => ({ key: `gates.${member}`, label, value: executionGates[member].join(', ') || 'none' })) },
    { ...SECTIONS.limits, lines: LIMITS.map(({ member, label, hint }) => ({ key: `limits.${member}`, label, value: grouped.format(limits[member]), ...(hint !== undefined && { hint }) })) },
    { ...SECTIONS.depth, lines: DEPTHS.map(({ member, label }) => ({ key: `depth.${member}`, label, value: levels(maximumDepth[member]) })) },
    { ...SECTIONS.services, lines: services.map(({ principalId, kinds }) => ({ key: `services.${principalId}`, label: names[principalId] ?? principalId, value: kindWords(kinds) })) },
    { ...SECTIONS.freshness, lines: [{ key: 'freshness', label: FRESHNESS.label, value: `${grouped.format(freshnessSeconds)} seconds` }] },
  ]
}

export interface PolicyDifference { readonly key: string; readonly section: string; readonly label: string; readonly before: string; readonly after: string }

/** What `after` says otherwise than `before`, in the order of the page. */
export function policyDifferences(before: Policy, after: Policy, names: NameHints): readonly PolicyDifference[] {
  const [old, fresh] = [linesOf(before, names), linesOf(after, names)]
  return [...new Map([...old, ...fresh]).values()].flatMap(({ key, section, label }) => {
    const values = { before: old.get(key)?.value ?? 'nothing', after: fresh.get(key)?.value ?? 'nothing' }
    return values.before === values.after ? [] : [{ key, section, label, ...values }]
  })
}

function linesOf(policy: Policy, names: NameHints): ReadonlyMap<string, PolicyLine & { readonly section: string }> {
  return new Map(policySections(policy, names).flatMap(({ title, lines }) => lines.map((line) => [line.key, { ...line, section: title }] as const)))
}

function riskWords({ executionApproval, rootHumanApproval }: Policy['risk'][RiskClass]): string {
  const words = [executionApproval && 'a person approves its start', rootHumanApproval && 'the root owner approves a child mission'].filter((word) => word !== false)
  return words.join('; ') || 'goes its way'
}

const levels = (depth: number): string => (depth === 0 ? 'none' : `${depth} level${depth === 1 ? '' : 's'}`)

const kindWords = (kinds: readonly ServiceKind[]): string => SERVICE_KINDS.flatMap(({ kind, label }) => (kinds.includes(kind) ? [label] : [])).join(', ')
