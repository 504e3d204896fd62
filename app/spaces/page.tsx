import type { Metadata } from 'next'
import { Page } from '../../components/shell/page.tsx'
import { SpaceList } from '../../components/spaces/space-list.tsx'

export const metadata: Metadata = { title: 'Spaces' }

export default function SpacesPage() {
  return (
    <Page>
      <SpaceList />
    </Page>
  )
}
