// The Policy Log of a Group: what was allowed, refused and ended, by whom and when.
import type { EventDocument, PolicyLogEntry } from '../../protocol/generated/types.ts'

/** Kinds by which a Group rules on authorization, budget, risk, escalation or redaction. */
const RULINGS: ReadonlySet<string> = new Set([
  'mission.approved',
  'mission.changes_requested',
  'mission.cancelled',
  'mission.terminated',
  'mission.coordinator.assigned',
  'membership.delegation.granted',
  'approval.execution.granted',
  'policy.cooperation_override.granted',
  'message.redacted',
])

/** The entry that an Event makes; undefined for one that rules on nothing. */
export function policyEntryOf({ eventId, kind, actor, occurredAt, sequence }: EventDocument): PolicyLogEntry | undefined {
  if (!RULINGS.has(kind)) return undefined
  return { entryId: eventId, decision: kind, actor, occurredAt, details: { sequence } }
}
