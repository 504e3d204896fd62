// A policy that an administrator is still changing: figures and lists as typed, their faults in words, and the document they become.
import type { Policy } from '../../protocol/generated/types.ts'
import { DEPTHS, FRESHNESS, GATES, LIMITS, type GateClass, type NumberField, type ServiceKind } from './policy-words.ts'

export interface PolicyDraft {
  readonly freshnessSeconds: string
  readonly maximumDepth: Readonly<Record<keyof Policy['maximumDepth'], string>>
  readonly limits: Readonly<Record<keyof Policy['limits'], string>>
  readonly risk: Policy['risk']
  /** Operations, separated by blanks, commas or lines. */
  readonly executionGates: Readonly<Record<GateClass, string>>
  /** A service that may do nothing is left out of the policy. */
  readonly services: readonly { readonly principalId: string; readonly kinds: readonly ServiceKind[] }[]
}

const mapped = <K extends string, A, B>(record: Readonly<Record<K, A>>, map: (value: A) => B): Record<K, B> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value as A)])) as Record<K, B>

export function draftOf({ freshnessSeconds, maximumDepth, limits, risk, executionGates, services }: Policy): PolicyDraft {
  return {
    freshnessSeconds: String(freshnessSeconds),
    maximumDepth: mapped(maximumDepth, String),
    limits: mapped(limits, String),
    risk,
    executionGates: mapped(executionGates, (operations) => operations.join(', ')),
    services,
  }
}

/** The policy that the draft becomes, as the version after `version`; undefined while something in it is at fault. */
export function policyOf(draft: PolicyDraft, version: number): Policy | undefined {
  if (Object.keys(draftFaults(draft)).length > 0) return undefined
  const { freshnessSeconds, maximumDepth, limits, risk, executionGates, services } = draft
  return {
    version: version + 1,
    freshnessSeconds: figure(freshnessSeconds),
    maximumDepth: mapped(maximumDepth, figure),
    limits: mapped(limits, figure),
    risk,
    executionGates: mapped(executionGates, operationsIn),
    services: services.filter(({ kinds }) => kinds.length > 0) as unknown as Policy['services'],
  }
}

const figure = (typed: string): number => Number(typed.trim())
const operationsIn = (typed: string): string[] => [...new Set(typed.split(/[\s,]+/).filter((word) => word !== ''))]

/** By the member that is at fault: `messagesPerMinute`, `payment`. */
export type PolicyFaults = Readonly<Record<string, string>>

export function draftFaults({ freshnessSeconds, maximumDepth, limits, executionGates }: PolicyDraft): PolicyFaults {
  const faults = [
    ...LIMITS.map((field) => [field.member, numberFault(field, limits[field.member])]),
    ...DEPTHS.map((field) => [field.member, numberFault(field, maximumDepth[field.member])]),
    ...GATES.map(({ member }) => [member, operationsFault(executionGates[member])]),
    [FRESHNESS.member, numberFault(FRESHNESS, freshnessSeconds)],
  ] as const
  return Object.fromEntries(faults.filter(([, fault]) => fault !== undefined)) as PolicyFaults
}

function numberFault({ least, most }: NumberField<string>, typed: string): string | undefined {
  const isInRange = /^\d+$/.test(typed.trim()) && figure(typed) >= least && figure(typed) <= most
  return isInRange ? undefined : `Give a whole number from ${least} to ${most.toLocaleString('en')}.`
}

const OPERATION = /^[a-z][a-z0-9._:-]*$/
const MOST_OPERATIONS = 200
const LONGEST_OPERATION = 128

function operationsFault(typed: string): string | undefined {
  const operations = operationsIn(typed)
  const unfit = operations.find((operation) => !OPERATION.test(operation) || operation.length > LONGEST_OPERATION)
  if (unfit !== undefined) return `“${unfit}” names no operation. One looks like payment.send: lower case, digits and . _ : -`
  return operations.length > MOST_OPERATIONS ? `At most ${MOST_OPERATIONS}; these are ${operations.length}.` : undefined
}
