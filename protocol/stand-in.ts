// What a reader is shown in place of an Event that it may not read, and how it tells (decision 0031).
import { encodeCanonical } from './canonical-json.ts'
import { sha256Hash } from './digest.ts'
import type { EventDocument } from './generated/types.ts'

/** Marks a stand-in; the authority alone sets it. */
export const STAND_IN_EXTENSION = 'urn:countersign:extension:stand-in'

/** Why the words are not there, and the SHA-256 of the original as it is stored, signature included. `redactedBy` is the sequence of the redaction. */
export type StandIn = ({ readonly because: 'redacted'; readonly redactedBy: number } | { readonly because: 'restricted' }) & { readonly documentHash: string }

/** What this Event says of the one in whose place it is; undefined for an original. An original names the Command that it answers, and no stand-in does. */
export function standInOf({ extensions, commandHash }: Pick<EventDocument, 'extensions' | 'commandHash'>): StandIn | undefined {
  return commandHash === undefined ? (extensions?.[STAND_IN_EXTENSION]?.data as StandIn | undefined) : undefined
}

/** Whether this is the original that somebody has kept, to the last byte. */
export const isOriginalOf = ({ documentHash }: StandIn, event: EventDocument): boolean => sha256Hash(encodeCanonical(event)) === documentHash
