// The Policy Log of a Group as its Events give it, so that anyone who has them can derive it again.
import type { EventDocument, PolicyLogEntry } from '../../protocol/generated/types.ts'
import { MISSION_BUDGET_RAISED, MISSION_CHILD_BUDGET_RAISED, MISSION_ROOT_DECIDED } from '../../protocol/kinds.ts'
import { rulingsOn } from './policy-ruling.ts'

/** Decisions about the Mission as a whole, which stand in the log whatever policy had to say. */
const DECISIONS: ReadonlySet<string> = new Set(['mission.approved', 'mission.changes_requested', 'mission.cancelled', 'mission.terminated', 'mission.coordinator.assigned', MISSION_BUDGET_RAISED, MISSION_CHILD_BUDGET_RAISED, MISSION_ROOT_DECIDED])

/**
 * The entry that an Event makes; undefined for one that rules on nothing. It names areas and not reasons: it is part of the state,
 * whose hash must not depend on how a sentence is put.
 */
export function policyEntryOf(event: EventDocument): PolicyLogEntry | undefined {
  const { eventId, kind, actor, occurredAt, sequence } = event
  // The version that it was judged by is no part of the Event, and of none of what is taken here.
  const areas = [...new Set(rulingsOn(event, 0).map(({ area }) => area))]
  if (areas.length === 0 && !DECISIONS.has(kind)) return undefined
  return { entryId: eventId, decision: kind, actor, occurredAt, details: { sequence, areas } }
}
