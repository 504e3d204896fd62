import type { ReactNode } from 'react'
import { MissionHeader } from '../../../components/mission/mission-header.tsx'
import { MissionProvider } from '../../../components/mission/mission-context.tsx'

interface MissionLayoutProps {
  readonly params: Promise<{ readonly missionId: string }>
  readonly children: ReactNode
}

export default async function MissionLayout({ params, children }: MissionLayoutProps) {
  const { missionId } = await params
  return (
    <div className="px-4 pt-6 pb-8 sm:px-6">
      <MissionProvider missionId={decodeURIComponent(missionId)}>
        <MissionHeader />
        {children}
      </MissionProvider>
    </div>
  )
}
