// The transcript format: who sends what to an I.A.P. router and what must come back. Any router can be held to one.
import type { FlowState } from '../../protocol/iap/flow.ts'

/** A JSON file. Texts may hold `{{name}}`: an agent's id, a captured value, `run` (unique to the run) or `task.…` (a task id of the run). */
export interface Transcript {
  readonly title: string
  /** Boxes of the checklist in docs/iap.md, for example `IAP 1.4`. */
  readonly proves: readonly string[]
  /** By the name that the steps use. `as`: a further connection of another one, with its id and token. */
  readonly agents: Readonly<Record<string, { readonly as?: string }>>
  readonly steps: readonly TranscriptStep[]
}

/** What a value must be: objects may have more members, lists are as long as given, and an object with a `$…` member is a rule. */
export type Matcher = unknown
/** `$type`: as typeof says, or `array`. `$capture`: anything, kept under the name. `$in`: one of these. `$not`: does not match. `$absent`: not there. `$contains`: some element matches. */
export type MatcherRule = '$type' | '$capture' | '$in' | '$not' | '$absent' | '$contains'

export type TranscriptStep = { readonly agent: string } & (
  /** A connection with the agent's token, without a HANDSHAKE. */
  | { readonly open: true }
  /** A connection, a HANDSHAKE with these members, and its HANDSHAKE_ACK. */
  | { readonly join: Readonly<Record<string, unknown>> }
  /** A message; what the envelope lacks is filled in, but for the members in `omit`. `name` lets it be sent again. */
  | { readonly send: Readonly<Record<string, unknown>>; readonly omit?: readonly string[]; readonly name?: string }
  | { readonly sendText: string }
  /** The same bytes again. */
  | { readonly resend: string }
  /** The next message that matches; others wait for their own step. `measure` names the time since the last step that sent something. */
  | { readonly expect: Matcher; readonly withinMs?: number; readonly measure?: string }
  /** Nothing received so far and not yet expected matches. Put `sync` before it, so that what was on its way is there. */
  | { readonly expectNone: Matcher }
  /** A question and its answer: everything that the router sent before has arrived after it. */
  | { readonly sync: true }
  /** The router closes the connection, with this code if one is given. */
  | { readonly expectClose: number | true }
  /** What the agent's session and tasks come to, as FlowState. */
  | { readonly expectFlow: FlowState }
  /** The connection breaks without a word. */
  | { readonly cut: true }
)

export interface TranscriptOutcome {
  readonly title: string
  readonly passed: boolean
  /** The step that failed, counted from 0, and why. */
  readonly failure?: { readonly step: number; readonly reason: string }
  readonly measures: readonly { readonly name: string; readonly ms: number }[]
}
