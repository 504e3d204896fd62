// One byte string for one state, so that live and replayed folds can be compared.
import { encodeCanonical } from '../../protocol/canonical-json.ts'
import type { GroupState } from './types.ts'

/** RFC 8785 bytes of the whole fold. Equal states give equal bytes, whatever order their indexes were filled in. */
export const encodeState = (state: GroupState): Uint8Array => encodeCanonical(plainJson(state))

type Entry = readonly [string, unknown]

/** Maps as pairs and Sets as lists, both in order of their keys, at any depth; all else as it is. */
function plainJson(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Map) return [...(value as Map<string, unknown>)].sort(byKey).map(([key, member]) => [key, plainJson(member)])
  if (value instanceof Set) return [...(value as Set<string>)].sort()
  if (Array.isArray(value)) return value.map(plainJson)
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plainJson(member)]))
}

const byKey = ([a]: Entry, [b]: Entry): number => (a < b ? -1 : 1)
