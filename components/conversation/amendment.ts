// Who may say what about a Message, and the Command that says it.
import { newUrn, type CommandDraft } from '../signing/command.ts'
import type { MessageView } from '../trpc.tsx'

export type AmendAct = 'correct' | 'retract' | 'redact'

export interface Standing {
  readonly principalId: string
  readonly isOwner: boolean
  /** The Mission has not ended. */
  readonly isOngoing: boolean
}

/** What this person may do about the Message as it stands: authors speak for themselves, the owner may redact at any time. */
export function actsOn({ form, author }: Pick<MessageView, 'form' | 'author'>, { principalId, isOwner, isOngoing }: Standing): readonly AmendAct[] {
  const isStanding = form === 'posted' || form === 'corrected'
  const isOwn = author.id === principalId && isStanding && isOngoing
  return [...(isOwn ? (['correct', 'retract'] as const) : []), ...(isOwner && form !== 'redacted' && form !== 'restricted' ? (['redact'] as const) : [])]
}

/** The words of a Message in its latest form. */
export const textOf = ({ parts }: Pick<MessageView, 'parts'>): string => parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n')

/** Kind and payload; a correction keeps whatever is attached to the Message. */
export function amendmentDraft(act: AmendAct, message: Pick<MessageView, 'messageId' | 'parts'>, { text, reason }: { text: string; reason: string }): Pick<CommandDraft, 'kind' | 'payload'> {
  const cited = { amendmentId: newUrn(), messageId: message.messageId, reason }
  if (act !== 'correct') return { kind: `message.${act}`, payload: cited }
  const attached = message.parts.filter((part) => part.type !== 'text')
  return { kind: 'message.correct', payload: { ...cited, replacementContent: [{ type: 'text', text }, ...attached] } }
}
