import type { Metadata } from 'next'
import { SpaceGraph } from '../../../../components/spaces/space-graph.tsx'

export const metadata: Metadata = { title: 'Graph' }

export default function GraphPage() {
  return <SpaceGraph />
}
