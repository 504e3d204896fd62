// Who holds the private half of an Agent's key, and how a signature with a key held by the server is marked.
import type { Extensions } from './generated/types.ts'

/** Custody words of a registered key. */
export const HELD_BY_AGENT = 'held by the agent'
export const HELD_BY_SERVER = 'held by the server'

/** Extension entry of Commands, and so of their Events, that the server signed for an Agent: `{ heldBy: 'server' }`. */
const CUSTODY_EXTENSION = 'urn:countersign:extension:custody'

export const CUSTODY_MARK: Extensions = { [CUSTODY_EXTENSION]: { version: '1.0.0', critical: false, data: { heldBy: 'server' } } }

/** Whether a Command or an Event is marked as signed with a key that the server holds. */
export const isMarkedCustodial = ({ extensions }: { readonly extensions?: unknown }): boolean =>
  typeof extensions === 'object' && extensions !== null && Object.hasOwn(extensions, CUSTODY_EXTENSION)
