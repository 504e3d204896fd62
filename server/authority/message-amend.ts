// Second thoughts about a Message. It stays as it was posted; what is said about it later cites its id.
import type { CommandPayloads, Message, MessageCorrectPayload } from '../../protocol/generated/types.ts'
import { reject } from '../../protocol/error-codes.ts'
import { err, invariant } from '../../protocol/result.ts'
import { mayRead } from './conversation.ts'
import { messageExcess, noteRate, overLimits } from './cooperation.ts'
import { accept } from './draft.ts'
import type { Refusal } from './fences.ts'
import { idInUse, isSame, missionOver, notMissionOwner, revisionConflict } from './fences.ts'
import { noteConfidential } from './message.ts'
import type { Decider, Evolver, GroupEvent, MemberRequest } from './request.ts'
import type { Amendment, Decision, GroupState, MessageRecord } from './types.ts'
import { introduce } from './work-record.ts'

type AmendKind = 'message.correct' | 'message.retract' | 'message.redact'
type AmendedKind = 'message.corrected' | 'message.retracted' | 'message.redacted'

/** `message.correct`, by the author: another text for the same Message, which counts like one. Corrections may follow one another, each citing the Message itself. */
export const decideCorrect: Decider<'message.correct'> = (request) =>
  amend(request, 'message.corrected', (message) => notAuthor(request, message) ?? overLimits(request, [messageExcess(request)]) ?? missionOver(request) ?? notStanding(message))

/** `message.retract`, by the author: final for the author. */
export const decideRetract: Decider<'message.retract'> = (request) =>
  amend(request, 'message.retracted', (message) => notAuthor(request, message) ?? missionOver(request) ?? notStanding(message))

/**
 * `message.redact`, by the MissionOwner: hides the text of the Message and of all that its author said about it later.
 * What must not be read is found when it is found, so the Mission may have ended.
 */
export const decideRedact: Decider<'message.redact'> = (request) =>
  amend(request, 'message.redacted', (message) => notMissionOwner(request) ?? (hasBeen(message, 'redaction') ? alreadyRedacted() : undefined))

/** `expectedRevision` is the Group sequence, as it is for a Message. */
function amend<K extends AmendKind>(request: MemberRequest<K>, kind: AmendedKind, refuses: (message: MessageRecord) => Refusal): Decision {
  const { state, command } = request
  const { messageId, amendmentId } = request.payload as CommandPayloads[AmendKind]
  const conflict = revisionConflict(command, state.sequence)
  if (conflict) return err(conflict)
  const message = state.messages.get(messageId)
  const conversation = message && state.conversations.get(message.conversationId)
  if (!message || !conversation || !mayRead(state, conversation, command.actor.id)) return err(reject('INVALID_COMMAND', 'no such Message was posted in this Group'))
  const refusal = refuses(message) ?? idInUse(state, amendmentId)
  if (refusal) return err(refusal)
  const { conversationId, primaryWorkItemId: workItemId } = conversation
  return accept(request, {
    kind,
    aggregateRevision: state.sequence + 1,
    payload: { message: amendmentIn(conversationId, kind, request) },
    conversationId,
    ...(workItemId !== undefined && { item: { workItemId, conversationId } }),
  })
}

function notAuthor({ command }: MemberRequest, { author }: MessageRecord): Refusal {
  return isSame(command.actor, author) ? undefined : reject('AUTH_FORBIDDEN', 'only its author may change what a Message says')
}

function notStanding(message: MessageRecord): Refusal {
  if (hasBeen(message, 'redaction')) return alreadyRedacted()
  return hasBeen(message, 'retraction') ? reject('INVALID_STATE_TRANSITION', 'the Message was retracted') : undefined
}

const alreadyRedacted = () => reject('INVALID_STATE_TRANSITION', 'the Message was redacted')

/** Whether an amendment of this kind was ever accepted for the Message. */
export const hasBeen = ({ amendments }: MessageRecord, kind: Amendment['kind']): boolean => amendments?.some((amendment) => amendment.kind === kind) ?? false

const MESSAGE_KIND = { 'message.corrected': 'correction', 'message.retracted': 'retraction', 'message.redacted': 'redaction' } as const

/** A Message needs content (R-MSG-1 leaves it no choice); where nothing replaces the text, the reason is what is said. */
function amendmentIn(conversationId: string, kind: AmendedKind, request: MemberRequest): Message {
  const { state, command, env } = request
  const { amendmentId, messageId, reason, replacementContent } = request.payload as CommandPayloads[AmendKind] & Partial<MessageCorrectPayload>
  const { missionId, groupId } = state.mission
  return {
    messageId: amendmentId,
    missionId,
    groupId,
    conversationId,
    author: command.actor,
    kind: MESSAGE_KIND[kind],
    authority: false,
    targetMessageId: messageId,
    content: replacementContent ?? [{ type: 'text', text: reason }],
    reason,
    committedAt: env.now,
  }
}

export const evolveMessageCorrected: Evolver<'message.corrected'> = (state, event) => {
  noteRate(state, 'message_rate', event)
  noteAmendment(state, event)
}

export const evolveMessageRetracted: Evolver<'message.retracted'> = (state, event) => noteAmendment(state, event)

export const evolveMessageRedacted: Evolver<'message.redacted'> = (state, event) => {
  const messageId = targetOf(event)
  const posted = state.sequenceOf.get(messageId)
  const told = state.messages.get(messageId)?.amendments ?? []
  for (const sequence of [...(posted === undefined ? [] : [posted]), ...told.map((amendment) => amendment.sequence)]) {
    state.redactedBy.set(sequence, event.sequence)
  }
  noteAmendment(state, event)
}

/** In place: a Message that is corrected time and again would be copied with all that was said about it each time. */
function noteAmendment(state: GroupState, event: GroupEvent<AmendedKind>): void {
  const { message } = event.payload
  const target = state.messages.get(targetOf(event))
  invariant(target !== undefined && message.kind !== 'message', 'an amendment cites a Message of the Group')
  const amendment = { kind: message.kind, sequence: event.sequence }
  if (target.amendments) target.amendments.push(amendment)
  else state.messages.set(targetOf(event), { ...target, amendments: [amendment] })
  introduce(state, message.messageId, event.sequence)
  noteConfidential(state, target.conversationId, event.sequence)
}

const targetOf = ({ payload }: GroupEvent<AmendedKind>): string => payload.message.targetMessageId ?? ''
