'use client'

import { Graph } from '../graph/graph.tsx'
import { useSpaceGraph } from './use-space-log.ts'

/** The Messages of the Space of this page in the lanes of their senders. */
export function SpaceGraph() {
  return <Graph run={useSpaceGraph()} of="Space" whenLost="The conversation does not need it." whenEmpty="Nobody has said anything here yet." provenances={['reply']} />
}
