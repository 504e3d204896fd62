'use client'

import { useMemo } from 'react'
import { useGraph } from '../graph/use-graph.ts'
import { entrySource } from '../mission/log-run.ts'
import { useMission } from '../mission/mission-context.tsx'
import { useLogRun } from '../mission/use-log-run.ts'
import { useTRPCClient, type MessageView } from '../trpc.tsx'
import type { StreamItem } from './stream.ts'
import { mergeStream } from './stream.ts'

const PAGE = 50
/** Lane of lifecycle Events that belong to no WorkItem. */
const MISSION_LANE = 'mission'

/** Messages of one Conversation with the Events of its thread. The Events are the graph's; without them talk still shows. */
export function useConversation(conversationId: string, workItemId: string | undefined) {
  const client = useTRPCClient()
  const { missionId } = useMission()
  const source = useMemo(() => entrySource<MessageView>(async (before) => {
    const { messages, hasOlder } = await client.missions.conversation.query({ missionId, conversationId, limit: PAGE, ...(before !== undefined && { before }) })
    return { entries: messages, hasOlder }
  }), [client, missionId, conversationId])
  const run = useLogRun({ missionId }, `conversation ${conversationId}`, source)
  const graph = useGraph()
  const { entries, hasOlder } = run.held
  const { nodes, hasOlder: hasOlderEvents } = graph.held
  const items: readonly StreamItem[] = useMemo(
    () => mergeStream(entries, hasOlder, { nodes, hasOlder: hasOlderEvents }, workItemId ?? MISSION_LANE),
    [entries, hasOlder, nodes, hasOlderEvents, workItemId],
  )
  return { ...run, items, messages: entries, hasOlder, loadOlderEvents: graph.loadOlder, areEventsLost: graph.error !== null }
}
