// The evidence matrix: for each subject the tests that show it and the tests that show its refusal.
import {
  CODES, COMMAND_KINDS, commandsAnsweredBy, EVENT_KINDS, isCore, MISSION_ROWS, ROWS_WITHOUT_A_MOVE, RULES, RULES_OF_OBJECTS, WORK_ROWS,
} from './catalogue.ts'
import type { TransitionRow } from './catalogue.ts'
import type { Difference } from './differences.ts'
import { DIFFERENCES } from './differences.ts'
import type { Proof } from './proofs.ts'
import { UNTESTABLE } from './untestable.ts'

export interface Finding {
  readonly section: Section
  readonly subject: string
  readonly positive: readonly Proof[]
  /** Absent where a refusal has no meaning: a code is itself one, a rule is named by either kind of test. */
  readonly negative?: readonly Proof[]
  /** Why no test can show it. */
  readonly reason?: string
  /** The file in docs/decisions that settles what the specification leaves open. */
  readonly decidedBy?: string
}
export type Section = 'core Commands' | 'core Events' | 'extension Commands' | 'extension Events' | 'Mission rows' | 'WorkItem rows' | 'error codes' | 'rules' | 'rules of objects' | 'differences from the public reference'

export const isMissing = ({ positive, negative, reason, decidedBy }: Finding): boolean =>
  reason === undefined && decidedBy === undefined && (positive.length === 0 || negative?.length === 0)

/** `decisions` are the names of the files in docs/decisions. */
export function findingsOf(proofs: readonly Proof[], decisions: readonly string[]): readonly Finding[] {
  const sightings = indexSightings(proofs)
  return [
    ...COMMAND_KINDS.map((kind) => commandFinding(kind, sightings)),
    ...EVENT_KINDS.map((kind) => eventFinding(kind, sightings)),
    ...[...MISSION_ROWS, ...WORK_ROWS].map((row) => rowFinding(row, sightings, proofs)),
    ...ROWS_WITHOUT_A_MOVE.map((rule): Finding => ({ section: rule === 'A-116' ? 'Mission rows' : 'WorkItem rows', subject: rule, positive: naming(rule, proofs) })),
    ...CODES.map((code): Finding => ({ section: 'error codes', subject: code, positive: distinct([...withCode(code, sightings), ...proofs.filter(({ title }) => title.includes(code))]) })),
    ...RULES.map((rule): Finding => ({ section: 'rules', subject: rule, positive: naming(rule, proofs), ...(Object.hasOwn(UNTESTABLE, rule) && { reason: UNTESTABLE[rule]! }) })),
    ...RULES_OF_OBJECTS.map((rule): Finding => ({ section: 'rules of objects', subject: rule, positive: naming(rule, proofs) })),
    ...DIFFERENCES.map((difference) => differenceFinding(difference, proofs, decisions)),
  ]
}

interface Sighted { readonly proof: Proof; readonly words: readonly string[] }

/** Sightings by their first word. */
function indexSightings(proofs: readonly Proof[]): ReadonlyMap<string, readonly Sighted[]> {
  const index = new Map<string, Sighted[]>()
  for (const proof of proofs) {
    for (const words of proof.sightings) {
      const sighted = index.get(words[0]!) ?? []
      sighted.push({ proof, words })
      index.set(words[0]!, sighted)
    }
  }
  return index
}

type Index = ReadonlyMap<string, readonly Sighted[]>

const tests = (index: Index, word: string, holds: (words: readonly string[]) => boolean): readonly Proof[] =>
  distinct((index.get(word) ?? []).flatMap(({ proof, words }) => (holds(words) ? [proof] : [])))

const distinct = (proofs: readonly Proof[]): readonly Proof[] => [...new Set(proofs)]
const naming = (rule: string, proofs: readonly Proof[]): readonly Proof[] => proofs.filter(({ rules }) => rules.has(rule))

function commandFinding(kind: string, index: Index): Finding {
  return {
    section: isCore(kind) ? 'core Commands' : 'extension Commands',
    subject: kind,
    positive: tests(index, 'accepted', ([, accepted]) => accepted === kind),
    negative: tests(index, 'refused', ([, refused]) => refused === kind),
  }
}

/** Refused as a document, or the Command that would have brought it about was refused and left no trace. */
function eventFinding(kind: string, index: Index): Finding {
  const commands = commandsAnsweredBy(kind)
  return {
    section: isCore(kind) ? 'core Events' : 'extension Events',
    subject: kind,
    positive: tests(index, 'event', ([, seen]) => seen === kind),
    negative: distinct([
      ...tests(index, 'event-refused', ([, refused]) => refused === kind),
      ...tests(index, 'refused', ([, refused]) => refused !== undefined && commands.includes(refused)),
    ]),
  }
}

/** Positive when every one of its origins was left; negative when the Command was refused in a state that is no origin, and not for an outdated revision. */
function rowFinding({ rule, machine, from, events, to, command }: TransitionRow, index: Index, proofs: readonly Proof[]): Finding {
  const moves = from.map((origin) => tests(index, 'moved', ([, of, left, kind, reached]) => of === machine && left === origin && events.includes(kind!) && to.includes(reached!)))
  const refusals = tests(index, 'refused', ([, kind, code, state]) => kind === command && code !== 'REVISION_CONFLICT' && isElsewhere(state!, machine, from))
  const named = naming(rule, proofs)
  const isWhole = moves.every((origin) => origin.length > 0)
  return {
    section: machine === 'mission' ? 'Mission rows' : 'WorkItem rows',
    subject: `${rule} ${from.join('/')} → ${to.join('/')} (${command ?? events.join('/')})`,
    positive: isWhole ? distinct([...named, ...moves.flat()]) : [],
    negative: command === undefined ? named : refusals,
  }
}

/** Whole when each of its tests has passed and the decision is written down. */
function differenceFinding({ row, asks, tests: parts = [], decision }: Difference, proofs: readonly Proof[], decisions: readonly string[]): Finding {
  const shown = parts.map((part) => proofs.filter(({ title }) => title.includes(part)))
  const note = decisions.find((name) => decision !== undefined && name.startsWith(`${decision}-`))
  const isWhole = shown.every((found) => found.length > 0) && (decision === undefined || note !== undefined)
  return {
    section: 'differences from the public reference',
    subject: `${row} ${asks}`,
    positive: isWhole ? distinct(shown.flat()) : [],
    ...(isWhole && note !== undefined && { decidedBy: note }),
  }
}

function isElsewhere(place: string, machine: TransitionRow['machine'], from: readonly string[]): boolean {
  const [of, state] = place.split(':')
  return of === machine && !from.includes(state!)
}

const withCode = (code: string, index: Index): readonly Proof[] => [
  ...tests(index, 'refused', ([, , refused]) => refused === code),
  ...tests(index, 'code', ([, sent]) => sent === code),
]
