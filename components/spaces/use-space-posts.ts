'use client'

import { useCallback } from 'react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { MessageDraft } from '../conversation/use-post-message.ts'
import { useTRPC, type NodeView, type SpaceMessageView } from '../trpc.tsx'
import { useSpace } from './space-context.tsx'

export interface SpacePosts {
  /** Both resolve true once the Message is in the log, false when it was refused. */
  readonly post: (draft: MessageDraft<NodeView>) => Promise<boolean>
  readonly answer: (checkpoint: SpaceMessageView, option: string, feedback: string | undefined) => Promise<boolean>
  readonly isPosting: boolean
  /** Why the last Message was refused. */
  readonly error: { readonly message: string } | null
}

/** Messages of a person to the Space of this page. Nothing is signed: an open Space is talk only. */
export function useSpacePosts(): SpacePosts {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const { spaceId } = useSpace()
  const onSuccess = () => queryClient.invalidateQueries({ predicate: ({ queryKey: [path, options] }) => isOfSpace(path, options, spaceId) })
  const posting = useMutation(trpc.spaces.post.mutationOptions({ onSuccess }))
  const answering = useMutation(trpc.spaces.answer.mutationOptions({ onSuccess }))
  const { mutateAsync: sendPost } = posting
  const { mutateAsync: sendAnswer } = answering

  const post = useCallback(
    ({ text, mentions, references }: MessageDraft<NodeView>) => isDone(sendPost({ spaceId, text, messages: [...references], nodes: mentions.map(({ nodeId }) => nodeId) })),
    [sendPost, spaceId],
  )
  const answer = useCallback(
    (checkpoint: SpaceMessageView, option: string, feedback: string | undefined) =>
      isDone(sendAnswer({ spaceId, checkpoint: checkpoint.messageId, option, ...(feedback !== undefined && { feedback }) })),
    [sendAnswer, spaceId],
  )
  return { post, answer, isPosting: posting.isPending, error: posting.error ?? answering.error }
}

const isDone = (sent: Promise<unknown>): Promise<boolean> => sent.then(() => true, () => false)

const isOfSpace = (path: unknown, options: unknown, spaceId: string): boolean =>
  Array.isArray(path) && path[0] === 'spaces' && (options as { input?: { spaceId?: unknown } } | undefined)?.input?.spaceId === spaceId
