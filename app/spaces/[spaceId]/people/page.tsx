import type { Metadata } from 'next'
import { SpacePeople } from '../../../../components/spaces/space-people.tsx'

export const metadata: Metadata = { title: 'People' }

export default function PeoplePage() {
  return <SpacePeople />
}
