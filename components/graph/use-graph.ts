'use client'

import { useMemo } from 'react'
import type { RunSource, Span } from '../mission/log-run.ts'
import { useMission } from '../mission/mission-context.tsx'
import { useLogRun, type LogRun } from '../mission/use-log-run.ts'
import { useTRPCClient, type GraphPage } from '../trpc.tsx'
import type { LoadedGraph } from './graph-store.ts'
import { EMPTY_GRAPH, joinPage } from './graph-store.ts'

/** Entries of one page. */
export const GRAPH_PAGE = 400

const spanOf = ({ nodes, hasOlder }: LoadedGraph | GraphPage): Span => ({ first: nodes[0]?.sequence, last: nodes.at(-1)?.sequence, hasOlder })

/** Source of a run of graph pages. */
export const graphSource = (load: RunSource<LoadedGraph, GraphPage>['load']): RunSource<LoadedGraph, GraphPage> => ({ empty: EMPTY_GRAPH, join: joinPage, spanOf, spanOfPage: spanOf, load })

/** The Space's graph as far as it is loaded, newest page first; shared by graph, tree and conversations. */
export function useGraph(): LogRun<LoadedGraph> {
  const client = useTRPCClient()
  const { missionId } = useMission()
  const source = useMemo(() => graphSource((before) => client.missions.graph.query({ missionId, limit: GRAPH_PAGE, ...(before !== undefined && { before }) })), [client, missionId])
  return useLogRun({ missionId }, 'graph', source)
}
