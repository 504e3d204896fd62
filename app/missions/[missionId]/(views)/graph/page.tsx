import type { Metadata } from 'next'
import { MissionGraph } from '../../../../../components/graph/graph.tsx'

export const metadata: Metadata = { title: 'Graph' }

export default function GraphPage() {
  return <MissionGraph />
}
