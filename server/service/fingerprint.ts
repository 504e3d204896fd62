import { createHash } from 'node:crypto'
import { encodeState } from '../authority/encode-state.ts'
import type { GroupState } from '../authority/types.ts'

/** How far a fold has come, and a hash that two folds of the same Events share. */
export function fingerprintOf(state: GroupState): { sequence: number; stateHash: string } {
  return { sequence: state.sequence, stateHash: `sha256:${createHash('sha256').update(encodeState(state)).digest('hex')}` }
}
