import type { Metadata } from 'next'
import { ArtifactList } from '../../../../../components/artifacts/artifact-list.tsx'

export const metadata: Metadata = { title: 'Artifacts' }

export default function ArtifactsPage() {
  return <ArtifactList />
}
