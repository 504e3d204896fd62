// Judges each dependency's licence against a list of allowed SPDX identifiers.
import parseSpdx from 'spdx-expression-parse'
import type { Dependency, Inventory } from './inventory.ts'

export type Verdict = 'allowed' | 'denied' | 'unreadable'
export interface LicenceFinding { readonly dependency: Dependency; readonly verdict: Verdict; readonly reason: string }
export interface LicenceReport { readonly allowed: readonly string[]; readonly findings: readonly LicenceFinding[] }

/** What a release may ship when nobody said otherwise: permissive licences only. */
export const defaultAllowedLicences = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'CC0-1.0', 'ISC', 'MIT', 'MIT-0', 'Python-2.0', 'Unlicense'] as const

type Expression = ReturnType<typeof parseSpdx>

export function checkLicences({ dependencies }: Inventory, allowed: readonly string[]): LicenceReport {
  const permitted = new Set(allowed)
  return { allowed: [...permitted].sort(), findings: dependencies.map((dependency) => judge(dependency, permitted)) }
}

function judge(dependency: Dependency, permitted: ReadonlySet<string>): LicenceFinding {
  const { licence } = dependency
  if (licence === '') return { dependency, verdict: 'unreadable', reason: 'declares no licence' }
  if (permitted.has(licence)) return { dependency, verdict: 'allowed', reason: 'on the list' }
  const expression = parse(licence)
  if (!expression) return { dependency, verdict: 'unreadable', reason: `“${licence}” is not an SPDX expression` }
  const missing = notPermitted(expression, permitted)
  return missing.length === 0 ? { dependency, verdict: 'allowed', reason: 'on the list' } : { dependency, verdict: 'denied', reason: `${missing.join(', ')} not on the list` }
}

function parse(licence: string): Expression | undefined {
  try {
    return parseSpdx(licence)
  } catch {
    return undefined
  }
}

/** Identifiers that stand in the way: both sides of AND count; of OR the side with fewer obstacles. */
function notPermitted(expression: Expression, permitted: ReadonlySet<string>): readonly string[] {
  if ('conjunction' in expression) {
    const left = notPermitted(expression.left, permitted)
    const right = notPermitted(expression.right, permitted)
    if (expression.conjunction === 'and') return [...new Set([...left, ...right])]
    return left.length <= right.length ? left : right
  }
  const id = 'plus' in expression && expression.plus ? `${expression.license}+` : expression.license
  return permitted.has(id) || permitted.has(expression.license) ? [] : [id]
}

/** RFC 4180 table, one row per dependency. */
export function licencesCsv({ findings }: LicenceReport): string {
  const rows = findings.map(({ dependency, verdict, reason }) => [dependency.name, dependency.version, dependency.licence, verdict, reason])
  return [['name', 'version', 'licence', 'verdict', 'reason'], ...rows].map((row) => row.map(quote).join(',')).join('\r\n') + '\r\n'
}

function quote(field: string): string {
  return /[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field
}

/** Licence identifiers that a person's comment asks to allow, for example “allow MPL-2.0 and LGPL-3.0-or-later”. */
export function licencesNamedIn(comment: string): readonly string[] {
  const words = comment.match(/[A-Za-z0-9][A-Za-z0-9.-]*[A-Za-z0-9]/g) ?? []
  return [...new Set(words.filter((word) => /\d/.test(word) && parse(word) !== undefined))]
}
