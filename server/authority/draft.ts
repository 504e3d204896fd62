// Events in the making. Ids derive from the Command, so a decision needs no source of ids and a repeated one names the same Events.
import { deriveUrn } from '../../protocol/digest.ts'
import type { Command, EventPayloads, Extensions, WorkItem } from '../../protocol/generated/types.ts'
import { ok } from '../../protocol/result.ts'
import type { EventPayloadKind } from '../../protocol/validate.ts'
import type { MemberRequest } from './request.ts'
import type { Decision, EventDraft } from './types.ts'

/** Extension entry under which an Event keeps the `causedByEventId` of its Command: `{ eventId }`. */
export const CAUSED_BY_EXTENSION = 'urn:countersign:extension:caused-by'

/** Extension entry under which an Event keeps the `cooperationOverrideGrantId` that its Command used up: `{ grantId }`. */
export const OVERRIDE_EXTENSION = 'urn:countersign:extension:cooperation-override'

/** Event id from its seed (a Command's signing hash, or the id of what ended) and its place in the batch. */
export const eventIdOf = (seed: string, index = 0): string => deriveUrn('event', seed, String(index))

/** Id of a lease that this Command creates. */
export const leaseIdOf = (signingHash: string, purpose: string): string => deriveUrn('lease', signingHash, purpose)

export interface NewEvent<K extends EventPayloadKind> {
  readonly kind: K
  readonly payload: EventPayloads[K]
  /** Revision of the aggregate after this Event (O-7). */
  readonly aggregateRevision: number
  /** The WorkItem that the Event is about. */
  readonly item?: Pick<WorkItem, 'workItemId' | 'conversationId'>
  /** For an Event in a Conversation that is about no WorkItem. */
  readonly conversationId?: string
}

/** What a draft takes from the Command that caused it. */
export interface CommandOrigin {
  readonly command: Command
  readonly signingHash: string
}

/** The one Event that answers the Command. */
export function accept<K extends EventPayloadKind>(request: MemberRequest, event: NewEvent<K>): Decision {
  return ok([primaryDraft(request, event)])
}

export function primaryDraft<K extends EventPayloadKind>(origin: CommandOrigin, event: NewEvent<K>): EventDraft {
  return draftOf(origin, 0, event)
}

/** An Event that comes with the primary Event of the same Command, mostly after it, a charge before it. */
export function followingDraft<K extends EventPayloadKind>(origin: CommandOrigin, index: number, event: NewEvent<K>): EventDraft {
  return { ...draftOf(origin, index, event), cause: { type: 'event', id: eventIdOf(origin.signingHash) } }
}

function draftOf<K extends EventPayloadKind>({ command, signingHash }: CommandOrigin, index: number, event: NewEvent<K>): EventDraft {
  const extensions = relayedExtensions(command)
  const conversationId = event.item?.conversationId ?? event.conversationId
  return {
    eventId: eventIdOf(signingHash, index),
    kind: event.kind,
    actor: command.actor,
    cause: { id: command.actionId, type: 'command' },
    correlationId: command.correlationId,
    aggregateRevision: event.aggregateRevision,
    payload: event.payload as unknown as Record<string, unknown>,
    commandHash: signingHash,
    ...(conversationId !== undefined && { conversationId }),
    ...(event.item && { workItemId: event.item.workItemId }),
    ...(extensions && { extensions }),
  }
}

/** Extensions of the Command, with its cause and the grant that it uses up, which an Event has no members for. */
export function relayedExtensions({ extensions, causedByEventId, cooperationOverrideGrantId: grantId }: Command): Extensions | undefined {
  if (causedByEventId === undefined && grantId === undefined) return extensions
  return {
    ...extensions,
    ...(causedByEventId !== undefined && { [CAUSED_BY_EXTENSION]: ownExtension({ eventId: causedByEventId }) }),
    ...(grantId !== undefined && { [OVERRIDE_EXTENSION]: ownExtension({ grantId }) }),
  }
}

const ownExtension = (data: Record<string, unknown>) => ({ version: '1.0.0', critical: false, data })
