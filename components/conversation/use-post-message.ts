'use client'

import { useState } from 'react'
import { useMission } from '../mission/mission-context.tsx'
import { newUrn, type CommandDraft } from '../signing/command.ts'
import { useCommand } from '../signing/use-command.ts'
import type { ParticipantView } from '../trpc.tsx'

export interface MessageDraft<P extends ParticipantView = ParticipantView> {
  readonly text: string
  readonly mentions: readonly P[]
  /** Ids of the Messages that are answered; as many as one likes. */
  readonly references: readonly string[]
}

/** A Message on its way: it is talk like any other only once the authority's Event is verified here. */
export interface PendingMessage extends MessageDraft {
  readonly messageId: string
}

/** Signs and posts Messages of one Conversation with the conversation key, no dialog. One at a time. */
export function usePostMessage(conversationId: string) {
  const { groupId, me } = useMission()
  const command = useCommand()
  const [pending, setPending] = useState<PendingMessage>()

  const post = async (draft: MessageDraft): Promise<boolean> => {
    const message = { ...draft, messageId: newUrn() }
    setPending(message)
    const outcome = await command.run({ kind: 'message.post', groupId, membershipEpoch: me.membershipEpoch, conversationId, payload: payloadOf(message) })
    if (!outcome.ok) setPending(undefined)
    return outcome.ok
  }
  return { post, pending, phase: command.phase, isBusy: command.isBusy, dismiss: command.reset }
}

/** Payload of `message.post`; optional lists are absent when empty. */
export function payloadOf({ messageId, text, mentions, references }: PendingMessage): CommandDraft['payload'] {
  return {
    messageId,
    content: [{ type: 'text', text }],
    ...(mentions.length > 0 && { mentions: mentions.map(({ type, id }) => ({ type, id })) }),
    ...(references.length > 0 && { references }),
    authority: false,
  }
}
