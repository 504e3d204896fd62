// Judges each dependency's licence against a list of allowed SPDX identifiers.
import parseSpdx from 'spdx-expression-parse'
import type { Dependency, Inventory } from './inventory.ts'

export type Verdict = 'allowed' | 'denied' | 'unreadable'
export interface LicenceFinding {
  readonly dependency: Dependency
  readonly verdict: Verdict
  readonly reason: string
  /** What would have to be allowed for this dependency to pass; empty when it passes or declares nothing. */
  readonly missing: readonly string[]
}
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
  if (licence === '') return { dependency, verdict: 'unreadable', reason: 'declares no licence', missing: [] }
  if (permitted.has(licence)) return { dependency, verdict: 'allowed', reason: 'on the list', missing: [] }
  const expression = parse(licence)
  if (!expression) return { dependency, verdict: 'unreadable', reason: `“${licence}” is not an SPDX expression`, missing: [licence] }
  const missing = notPermitted(expression, permitted)
  if (missing.length === 0) return { dependency, verdict: 'allowed', reason: 'on the list', missing }
  return { dependency, verdict: 'denied', reason: `${missing.join(', ')} not on the list`, missing }
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

const refusingWord = /\b(?:remove|replace|reject|refuse|deny|forbid|ban|drop|except|without)\b/i
/** A negation within two words before something that allows, or before an identifier such as MPL-2.0. */
const negation = /(?:\b(?:not|never|no|nor|cannot)|n['’]t)\b(?:\W+[\w.-]+){0,2}\W+(?:allow|accept|permit|approv|ship|use|includ|fine|ok|[a-z][\w.]*-\d)/i
const isRefusal = (sentence: string) => refusingWord.test(sentence) || negation.test(sentence)

/**
 * Which of the missing licences a person's comment allows, for example “allow MPL-2.0 and LGPL-3.0-or-later”. A sentence
 * that refuses anything allows nothing: whoever means less than all of it writes two sentences.
 */
export function licencesAllowedBy(comment: string, { findings }: LicenceReport): readonly string[] {
  const missing = [...new Set(findings.flatMap((finding) => finding.missing))].sort()
  const allowing = comment.split(/(?<=[.!?;])\s+|\n+/).filter((sentence) => !isRefusal(sentence)).join('\n')
  return missing.filter((licence) => new RegExp(`(?<![A-Za-z0-9.-])${licence.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![A-Za-z0-9-])`).test(allowing))
}
