// What a decider and an evolver of one kind are given.
import type { Command, CommandPayloads, EventDocument, EventPayloads, Membership } from '../../protocol/generated/types.ts'
import type { CommandPayloadKind, EventPayloadKind } from '../../protocol/validate.ts'
import type { ArtifactSource, Decision, DecisionEnv, GroupState } from './types.ts'

/** A Command of a member, or of a service under policy. Group, Session and Membership have been checked, the payload fits its schema. */
export interface MemberRequest<K extends CommandPayloadKind = CommandPayloadKind> {
  readonly state: GroupState
  readonly command: Command
  readonly payload: CommandPayloads[K]
  readonly signingHash: string
  /** Absent for a service, which acts under Organization policy instead. */
  readonly membership: Membership | undefined
  readonly env: DecisionEnv
  /** With an import, unless it names nothing that exists for the sender. */
  readonly source?: ArtifactSource
}

export type Decider<K extends CommandPayloadKind> = (request: MemberRequest<K>) => Decision

/** An accepted Event of the Group with its typed payload. */
export interface GroupEvent<K extends EventPayloadKind = EventPayloadKind> extends Omit<EventDocument, 'payload'> {
  readonly groupId: string
  readonly sequence: number
  readonly payload: EventPayloads[K]
}

/** Applies one Event to the fold, in place. Uses nothing but the Event and what earlier Events left. */
export type Evolver<K extends EventPayloadKind> = (state: GroupState, event: GroupEvent<K>) => void
