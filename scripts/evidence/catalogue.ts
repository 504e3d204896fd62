// Everything that protocol 0.1 asks evidence for: kinds, rows of the two tables, codes, rules.
import { ERROR_CODES } from '../../protocol/error-codes.ts'
import {
  CORE_COMMAND_KINDS,
  CORE_EVENT_KINDS,
  EXTENSION_COMMAND_KINDS,
  EXTENSION_EVENT_KINDS,
  GROUP_ARCHIVE,
  PRIMARY_EVENT_OF,
} from '../../protocol/kinds.ts'

/** One row of the table of Missions (section 7) or of WorkItems (section 14). */
export interface TransitionRow {
  readonly rule: string
  readonly machine: 'mission' | 'work'
  readonly from: readonly string[]
  /** Kinds of the Events that record the move. */
  readonly events: readonly string[]
  readonly to: readonly string[]
  /** The Command whose refusal elsewhere is the counter-evidence; where none asks for the move, tests name the rule. */
  readonly command?: string
}

const row = (rule: string, machine: TransitionRow['machine'], [from, events, to]: readonly [string, string, string], command?: string): TransitionRow => ({
  rule,
  machine,
  from: from.split(' '),
  events: events.split(' '),
  to: to.split(' '),
  ...(command !== undefined && { command }),
})

const unfinished = 'open offered queued active blocked submitted'

export const MISSION_ROWS: readonly TransitionRow[] = [
  row('A-108', 'mission', ['none', 'mission.created', 'active'], 'mission.create'),
  row('A-109', 'mission', ['none', 'mission.follow_up.created', 'active'], 'mission.create_follow_up'),
  row('A-110', 'mission', ['none', 'mission.created', 'active'], 'mission.create_child'),
  row('A-111', 'mission', ['active', 'mission.submitted_for_approval', 'awaiting_approval'], 'mission.submit_for_approval'),
  row('A-112', 'mission', ['awaiting_approval', 'mission.changes_requested', 'active'], 'mission.request_changes'),
  row('A-113', 'mission', ['awaiting_approval', 'mission.approved', 'approved'], 'mission.approve'),
  row('A-114', 'mission', ['active awaiting_approval', 'mission.cancelled', 'cancelled'], 'mission.cancel'),
  row('A-115', 'mission', ['active awaiting_approval', 'mission.terminated', 'failed'], 'mission.terminate'),
]

export const WORK_ROWS: readonly TransitionRow[] = [
  row('A-148', 'work', ['none', 'work.authorized', 'open'], 'work.authorize'),
  row('A-149', 'work', ['open offered queued active blocked failed', 'work.offer.created', 'offered'], 'work.offer'),
  row('A-150', 'work', ['offered', 'work.offer.accepted', 'queued'], 'work.accept_offer'),
  row('A-152', 'work', ['queued', 'approval.execution.granted', 'queued'], 'approval.grant_execution'),
  row('A-153', 'work', ['queued', 'work.started', 'active'], 'work.start'),
  row('A-154', 'work', ['active', 'work.checkpointed', 'queued'], 'work.checkpoint'),
  row('A-155', 'work', ['active', 'work.blocked', 'blocked'], 'work.block'),
  row('A-156', 'work', ['blocked', 'work.unblocked', 'queued open'], 'work.unblock'),
  row('A-157', 'work', ['active', 'work.submitted', 'submitted'], 'work.submit'),
  row('A-158', 'work', ['submitted', 'work.result.accepted', 'verified'], 'work.accept_result'),
  row('A-159', 'work', [unfinished, 'work.failed', 'failed'], 'work.fail'),
  row('A-160', 'work', [unfinished, 'work.cancelled', 'cancelled'], 'work.cancel'),
  row('A-161', 'work', ['open offered queued active blocked', 'mission.child.created', 'blocked'], 'mission.create_child'),
  row('A-162', 'work', ['blocked', 'work.result.accepted', 'verified']),
  row('A-163', 'work', ['blocked', 'work.failed', 'failed']),
  row('A-164', 'work', [unfinished, 'work.cancelled work.failed', 'cancelled failed']),
]

/** Rows of the two tables that move nothing: a Proposal, an expiry, finality. Tests name them. */
export const ROWS_WITHOUT_A_MOVE = ['A-116', 'A-147', 'A-151', 'A-165', 'A-166'] as const

export const COMMAND_KINDS: readonly string[] = [...CORE_COMMAND_KINDS, ...EXTENSION_COMMAND_KINDS]
export const EVENT_KINDS: readonly string[] = [...CORE_EVENT_KINDS, ...EXTENSION_EVENT_KINDS]
export const CODES = Object.keys(ERROR_CODES)
export const isCore = (kind: string): boolean => ([...CORE_COMMAND_KINDS, ...CORE_EVENT_KINDS] as string[]).includes(kind)

/** An Event that a Command brings with the one that answers it, and that nothing else brings. */
const COMES_WITH: Readonly<Record<string, string>> = { 'group.snapshot.created': GROUP_ARCHIVE }

/** Commands that an Event kind answers or comes with: their refusals are evidence that the Event does not come unasked. */
export const commandsAnsweredBy = (eventKind: string): readonly string[] =>
  Object.entries(PRIMARY_EVENT_OF).flatMap(([command, event]) => (event === eventKind || COMES_WITH[eventKind] === command ? [command] : []))

const LAST_RULE = 287
export const RULES: readonly string[] = Array.from({ length: LAST_RULE }, (_, index) => `A-${index + 1}`)

/** Conditional rules of the objects, and how many each object has. */
const OBJECT_RULES = { APR: 4, CMD: 10, CNV: 3, COM: 2, EVT: 2, GRP: 2, LSE: 8, MEM: 4, MIS: 2, MSG: 1, WIT: 2 } as const
export const RULES_OF_OBJECTS: readonly string[] = Object.entries(OBJECT_RULES).flatMap(([object, count]) =>
  Array.from({ length: count }, (_, index) => `R-${object}-${index + 1}`),
)
