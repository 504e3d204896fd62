import { encodeCanonical } from '../protocol/canonical-json.ts'
import type { Command, CommandPayloads, Extensions } from '../protocol/generated/types.ts'
import { PROTOCOL_VERSION } from '../protocol/version.ts'
import type { Identity } from './identity.ts'
import { newId, timeNow } from './ids.ts'

export type CommandKind = keyof CommandPayloads

/** What a Command is about. Absent members stay absent. */
export interface CommandTarget {
  readonly groupId?: string
  readonly conversationId?: string
  readonly workItemId?: string
  /** Refused with REVISION_CONFLICT when the aggregate has another revision. */
  readonly expectedRevision?: number
  readonly causedByEventId?: string
  readonly correlationId?: string
  readonly cooperationOverrideGrantId?: string
  /** Extension entries of the Command itself, such as those of `offlineExecution`. */
  readonly extensions?: Extensions
  /** Idempotency handle; a fresh one when absent. */
  readonly actionId?: string
}

/** The fences that the Command is signed under. */
export interface CommandEpochs {
  readonly sessionEpoch?: number
  readonly membershipEpoch?: number
  readonly coordinatorEpoch?: number
}

/** A Command and its exact bytes. A retry must send these bytes again, never a new signature. */
export interface SignedCommand {
  readonly command: Command
  readonly bytes: Uint8Array
}

/** What every door takes; a frame adds a little to it. */
const MAX_COMMAND_BYTES = 256 * 1024 - 512

/**
 * Builds and signs a Command now. Every client of this package comes through here. Throws RangeError when no door would
 * take it: large content belongs in an artifact.
 */
export async function buildCommand<K extends CommandKind>(
  identity: Identity,
  kind: K,
  payload: CommandPayloads[K],
  { actionId = newId(), correlationId = actionId, ...context }: CommandTarget & CommandEpochs,
): Promise<SignedCommand> {
  const unsigned: Omit<Command, 'signature'> = {
    protocolVersion: PROTOCOL_VERSION,
    actionId,
    actor: identity.principal,
    kind,
    correlationId,
    issuedAt: timeNow(),
    payload: payload as Record<string, unknown>,
    ...withoutAbsent(context),
  }
  const command = await identity.signDocument(unsigned, 'issuedAt')
  const bytes = encodeCanonical(command)
  if (bytes.length > MAX_COMMAND_BYTES) throw new RangeError(`a Command may have ${MAX_COMMAND_BYTES} bytes`)
  return { command, bytes }
}

/** Callers may pass on a member that they do not have; on the wire it must be missing. */
function withoutAbsent<T extends object>(members: T): { [M in keyof T]: Exclude<T[M], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [M in keyof T]: Exclude<T[M], undefined>
  }
}
