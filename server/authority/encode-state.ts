// One byte string for one state, so that live and replayed folds can be compared.
import { encodeCanonical } from '../../protocol/canonical-json.ts'
import type { GroupState } from './types.ts'

/** RFC 8785 bytes of the whole fold. Equal states give equal bytes, whatever order their indexes were filled in. */
export function encodeState(state: GroupState): Uint8Array {
  return encodeCanonical({
    ...state,
    conversations: byKey(state.conversations),
    memberships: byKey(state.memberships),
    workItems: byKey(state.workItems),
    proposals: byKey(state.proposals),
    artifacts: byKey(state.artifacts),
    messages: byKey(state.messages),
    ledgers: byKey(state.ledgers),
    sequenceOf: byKey(state.sequenceOf),
    workSteps: byKey(state.workSteps),
    ownedBy: byKey(new Map([...state.ownedBy].map(([agentId, items]) => [agentId, [...items].sort()]))),
    executing: [...state.executing].sort(),
  })
}

function byKey<T>(index: ReadonlyMap<string, T>): readonly (readonly [string, T])[] {
  return [...index].sort(([a], [b]) => (a < b ? -1 : 1))
}
