// What a test saw the authority do, kept in the test's own report, so that `npm run evidence` counts behaviour and not titles.
import { TestRunner } from 'vitest'

declare module 'vitest' {
  interface TaskMeta {
    evidence?: string[]
  }
}

/** The fixture saw a Command accepted or refused, an Event folded in, a state left for another, or a code sent. */
export type Sighting =
  | readonly ['accepted', kind: string]
  /** `state` of the WorkItem that the Command is about, `work:queued`, or else of the Mission, `mission:active`. */
  | readonly ['refused', kind: string, code: string, state: string]
  | readonly ['event', kind: string]
  /** One of the two machines went from a state to a state (`none` before the first) by an Event of this kind. */
  | readonly ['moved', machine: 'mission' | 'work', from: string, kind: string, to: string]
  /** An Event of this kind was withheld or refused: it is out of order, misshapen or wrongly signed. */
  | readonly ['event-refused', kind: string]
  | readonly ['code', code: string]

/** Adds to the evidence of the running test; does nothing outside of one. */
export function saw(...sighting: Sighting): void {
  const meta = TestRunner.getCurrentTest()?.meta
  if (!meta) return
  const text = sighting.join(' ')
  meta.evidence ??= []
  if (!meta.evidence.includes(text)) meta.evidence.push(text)
}
