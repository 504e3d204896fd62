// What the test reports of the last run prove: passed tests, the rules that they name and what they saw.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/** A test that passed. */
export interface Proof {
  /** File, relative to the project, and full title. */
  readonly file: string
  readonly title: string
  readonly rules: ReadonlySet<string>
  readonly sightings: readonly (readonly string[])[]
}

interface VitestReport {
  readonly testResults: readonly {
    readonly name: string
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string; readonly meta?: { readonly evidence?: readonly string[] } }[]
  }[]
}

/** The vitest projects whose reports are read. */
export const PROJECTS = ['unit', 'long', 'int'] as const

/** Reads `test-results/<project>.json`; throws when one is not there. */
export function readProofs(root: string): readonly Proof[] {
  return PROJECTS.flatMap((project) => {
    const path = join(root, 'test-results', `${project}.json`)
    if (!existsSync(path)) throw new Error(`${relative(root, path)} is missing: run the tests first`)
    const { testResults } = JSON.parse(readFileSync(path, 'utf8')) as VitestReport
    return testResults.flatMap(({ name, assertionResults }) =>
      assertionResults.filter(({ status }) => status === 'passed').map(({ fullName, meta }) => proofOf(relative(root, name), fullName, meta?.evidence ?? [])),
    )
  })
}

/** Names of the files in docs/decisions. */
export const readDecisions = (root: string): readonly string[] => readdirSync(join(root, 'docs', 'decisions'))

function proofOf(file: string, title: string, evidence: readonly string[]): Proof {
  return { file, title, rules: rulesIn(title), sightings: evidence.map((text) => text.split(' ')) }
}

/** Rules named in a title: `A-150`, `R-WIT-1`, and every rule of a range, `A-147 to A-166`. */
export function rulesIn(title: string): ReadonlySet<string> {
  const rules = new Set<string>(title.match(/\bR-[A-Z]+-\d+\b/g))
  for (const [, first, last] of title.matchAll(/\bA-(\d+)\b(?:(?:\s+to\s+|\s*[–…]\s*)A-(\d+)\b)?/g)) {
    for (let rule = Number(first); rule <= Number(last ?? first); rule += 1) rules.add(`A-${rule}`)
  }
  return rules
}
