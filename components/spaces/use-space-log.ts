'use client'

import { useMemo } from 'react'
import type { LoadedGraph } from '../graph/graph-store.ts'
import { GRAPH_PAGE, graphSource } from '../graph/use-graph.ts'
import { entrySource, type EntryRun } from '../mission/log-run.ts'
import { useLogRun, type LogRun } from '../mission/use-log-run.ts'
import { useTRPCClient, type SpaceMessageView } from '../trpc.tsx'
import { useSpace } from './space-context.tsx'

const PAGE = 50

/** Messages of the Space of this page as far as they are loaded, newest first: every one that came after a loaded one is there. */
export function useSpaceMessages(): LogRun<EntryRun<SpaceMessageView>> {
  const client = useTRPCClient()
  const { spaceId } = useSpace()
  const source = useMemo(() => entrySource<SpaceMessageView>(async (before) => {
    const { messages, hasOlder } = await client.spaces.messages.query({ spaceId, limit: PAGE, ...(before !== undefined && { before }) })
    return { entries: messages, hasOlder }
  }), [client, spaceId])
  return useLogRun({ spaceId }, 'messages', source)
}

/** The graph of the Space of this page as far as it is loaded. */
export function useSpaceGraph(): LogRun<LoadedGraph> {
  const client = useTRPCClient()
  const { spaceId } = useSpace()
  const source = useMemo(() => graphSource((before) => client.spaces.graph.query({ spaceId, limit: GRAPH_PAGE, ...(before !== undefined && { before }) })), [client, spaceId])
  return useLogRun({ spaceId }, 'graph', source)
}
