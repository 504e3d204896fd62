import type { Metadata } from 'next'
import { MissionList } from '../../components/missions/mission-list.tsx'
import { Page } from '../../components/shell/page.tsx'

export const metadata: Metadata = { title: 'Missions' }

export default function MissionsPage() {
  return (
    <Page>
      <MissionList />
    </Page>
  )
}
