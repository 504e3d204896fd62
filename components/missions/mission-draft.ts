// A mission that somebody is still writing down: pure values, their faults in words, and the payload they become.
import type { AcceptanceCriterion, Budget, MissionCreatePayload } from '../../protocol/generated/types.ts'
import { criterionFault } from './criterion.ts'

/** Budget figures as typed; an empty one sets no limit. */
export interface BudgetDraft {
  readonly currency: string
  readonly financialLimit: string
  readonly modelTokenLimit: string
  readonly toolCallLimit: string
  readonly computeSecondsLimit: string
  readonly wallClockSecondsLimit: string
  readonly externalSideEffectLimit: string
}

export interface MissionDraft {
  /** Chosen when the draft begins: sending the draft twice cannot found two missions. */
  readonly missionId: string
  readonly groupId: string
  readonly title: string
  readonly objective: string
  readonly criteria: readonly AcceptanceCriterion[]
  readonly coordinatorAgentId: string
  /** Local date and time as the browser's control writes it, `2026-11-30T18:00`. */
  readonly deadline: string
  readonly coordinatorLeaseSeconds: number
  readonly budget: BudgetDraft
}

export type DraftField = 'title' | 'objective' | 'criteria' | 'coordinatorAgentId' | 'deadline' | 'budget'
export type DraftFaults = Partial<Record<DraftField, string>>

const DEFAULT_BUDGET: BudgetDraft = {
  currency: 'EUR',
  financialLimit: '50',
  modelTokenLimit: '1000000',
  toolCallLimit: '1000',
  computeSecondsLimit: '7200',
  wallClockSecondsLimit: '86400',
  externalSideEffectLimit: '100',
}

/** The five whole-number dimensions with their words. */
export const COUNTED_LIMITS = [
  { member: 'modelTokenLimit', label: 'Model tokens', unit: 'tokens' },
  { member: 'toolCallLimit', label: 'Tool calls', unit: 'calls' },
  { member: 'computeSecondsLimit', label: 'Compute time', unit: 'seconds' },
  { member: 'wallClockSecondsLimit', label: 'Wall-clock time', unit: 'seconds' },
  { member: 'externalSideEffectLimit', label: 'External side effects', unit: 'effects' },
] as const

/** How long a coordinator may stay silent, unless somebody chooses otherwise. */
export const USUAL_LEASE_SECONDS = 3_600

export const LEASES = [
  { seconds: 900, label: '15 minutes' },
  { seconds: 3_600, label: '1 hour' },
  { seconds: 14_400, label: '4 hours' },
  { seconds: 86_400, label: '1 day' },
] as const

export const emptyCriterion = (): AcceptanceCriterion => ({ criterionId: '', description: '', evidenceRequired: ['artifact_integrity'] })

/** A fresh draft due one day from `nowMs`. `ids` are two new ids. */
export function emptyDraft(ids: { readonly missionId: string; readonly groupId: string }, nowMs: number): MissionDraft {
  return {
    ...ids,
    title: '',
    objective: '',
    criteria: [emptyCriterion()],
    coordinatorAgentId: '',
    deadline: localDateTime(nowMs + 86_400_000),
    coordinatorLeaseSeconds: USUAL_LEASE_SECONDS,
    budget: DEFAULT_BUDGET,
  }
}

/** The example that the demonstration agents know how to work on. */
export function withExample(draft: MissionDraft): MissionDraft {
  return {
    ...draft,
    title: 'Release review of this repository',
    objective:
      'Review this repository before its release: list every dependency with its licence, check the licences against the policy, check every link in the Markdown files, and join the findings in one report.',
    criteria: [
      { criterionId: 'inventory', description: 'Every dependency is listed with its version and licence.', evidenceRequired: ['artifact_integrity'] },
      { criterionId: 'licences', description: 'Every licence is allowed by the policy, or its exception is named.', evidenceRequired: ['policy_check'] },
      { criterionId: 'links', description: 'Every link in the Markdown files leads somewhere.', evidenceRequired: ['deterministic_test'] },
      { criterionId: 'report', description: 'One report joins inventory, licence findings and link findings.', evidenceRequired: ['artifact_integrity'] },
    ],
  }
}

/** What keeps the draft from being signed, by field, each with what would be right. Empty when nothing does. */
export function draftFaults(draft: MissionDraft, nowMs: number): DraftFaults {
  const { title, objective, criteria, coordinatorAgentId, deadline } = draft
  const due = Date.parse(deadline)
  const faults: Record<DraftField, string | undefined> = {
    title: title.trim() === '' ? 'Give the mission a title.' : tooLong(title, 200),
    objective: objective.trim() === '' ? 'Say what the mission is for.' : tooLong(objective, 10_000),
    criteria: criteria.length === 0 ? 'Add at least one criterion, or nobody can tell when the mission is done.' : criteria.map((one) => criterionFault(one, criteria)?.words).find((words) => words !== undefined),
    coordinatorAgentId: coordinatorAgentId === '' ? 'Choose the agent that plans and hands out the work.' : undefined,
    deadline: Number.isNaN(due) ? 'Give a date and a time.' : due <= nowMs ? 'The deadline has passed. Choose a later one.' : undefined,
    budget: budgetFault(draft.budget),
  }
  return Object.fromEntries(Object.entries(faults).filter(([, fault]) => fault !== undefined))
}

const tooLong = (text: string, most: number): string | undefined => (text.length > most ? `Shorten it to ${most} characters; it has ${text.length}.` : undefined)

function budgetFault(budget: BudgetDraft): string | undefined {
  for (const { member, label } of COUNTED_LIMITS) {
    const text = budget[member].trim()
    if (text !== '' && !(/^\d+$/.test(text) && Number.isSafeInteger(Number(text)))) return `${label}: give a whole number, or leave it empty for no limit.`
  }
  const cost = budget.financialLimit.trim()
  if (cost !== '' && !/^\d+(?:\.\d{1,2})?$/.test(cost)) return 'Cost: give an amount such as 50 or 49.90, or leave it empty for no limit.'
  if (cost !== '' && !/^[A-Z]{3}$/.test(budget.currency)) return 'Cost: give the currency as three capital letters, such as EUR.'
  if (Object.keys(budgetOf(budget)).length === 0) return 'Set at least one limit.'
  return undefined
}

/** The payload of `mission.create`; the draft must have no faults. */
export function payloadOf(draft: MissionDraft): MissionCreatePayload {
  return {
    missionId: draft.missionId,
    groupId: draft.groupId,
    title: draft.title.trim(),
    objective: draft.objective.trim(),
    definitionOfDone: draft.criteria.map((criterion) => ({ ...criterion, description: criterion.description.trim() })),
    coordinatorAgentId: draft.coordinatorAgentId,
    deadline: new Date(draft.deadline).toISOString(),
    coordinatorLeaseSeconds: draft.coordinatorLeaseSeconds,
    budget: budgetOf(draft.budget),
    approvalPolicy: { finalHumanApproval: true, highRiskExecutionApproval: false, policyVersion: '1.0.0' },
  }
}

function budgetOf(budget: BudgetDraft): Budget {
  const limits: Record<string, number> = {}
  for (const { member } of COUNTED_LIMITS) if (budget[member].trim() !== '') limits[member] = Number(budget[member])
  if (budget.financialLimit.trim() === '') return limits
  return { ...limits, currency: budget.currency, financialLimit: Number(budget.financialLimit) }
}

/** Milliseconds since 1970 as the text of a local date and time control, to the minute. */
function localDateTime(ms: number): string {
  const date = new Date(ms)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}T${two(date.getHours())}:${two(date.getMinutes())}`
}
