// What this machine can say about one entry of the log from its exact bytes and the Group Authority's public key.
import type { EventDocument } from '../../protocol/generated/types.ts'
import { signingBytes, signingHash } from '../../protocol/signed-documents.ts'
import { isJsonObject, parseStrictJson, type JsonObject } from '../../protocol/strict-json.ts'
import type { AuthorityKey } from '../signing/verify-event.ts'
import { verifyEvent } from '../signing/verify-event.ts'

export interface EntryBytes {
  readonly event: Uint8Array
  /** The Command that caused the Event, as its author signed it. */
  readonly command?: Uint8Array | undefined
}

export interface ExpectedEntry {
  readonly groupId: string
  readonly sequence: number
}

export type EntryCheck =
  | { readonly state: 'verified'; readonly event: EventDocument; readonly tree: JsonObject; readonly command?: JsonObject }
  /** `stage`: the check that failed, in words. What could be parsed is still shown. */
  | { readonly state: 'failed'; readonly stage: string; readonly tree?: JsonObject }

/** An Event may carry a whole Mission with all its contracts. */
const MAX_BYTES = 4 * 1024 * 1024

/**
 * Checks that the bytes are one Event of this place in this log, signed by the Group Authority, and that the Command
 * shown with it is the one that the Event names by its hash. The author's own key is not known here, so the Command's
 * signature is covered by that hash, not judged again.
 */
export function verifyEntry(bytes: EntryBytes, expected: ExpectedEntry, authority: AuthorityKey): EntryCheck {
  const tree = parseObject(bytes.event)
  if (!tree) return { state: 'failed', stage: 'the bytes are not one JSON document' }
  const event = tree as unknown as EventDocument
  if (event.groupId !== expected.groupId || event.sequence !== expected.sequence) return { state: 'failed', stage: 'the Event belongs to another place', tree }
  const verified = verifyEvent(event, authority)
  if (!verified.ok) return { state: 'failed', stage: verified.error, tree }
  if (!bytes.command) return { state: 'verified', event, tree }
  const command = parseObject(bytes.command)
  if (!command || signingHash(signingBytes(command)) !== event.commandHash) return { state: 'failed', stage: 'the Command is not the one that the Event names', tree }
  return { state: 'verified', event, tree, command }
}

function parseObject(bytes: Uint8Array): JsonObject | undefined {
  const parsed = parseStrictJson(bytes, { maxBytes: MAX_BYTES })
  return parsed.ok && isJsonObject(parsed.value.value) ? parsed.value.value : undefined
}
