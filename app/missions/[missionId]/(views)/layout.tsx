import { Suspense, type ReactNode } from 'react'
import { Inspector } from '../../../../components/inspector/inspector.tsx'
import { MissionTabs } from '../../../../components/mission/mission-tabs.tsx'

export default function ViewsLayout({ children }: { readonly children: ReactNode }) {
  return (
    <Suspense>
      <div className="flex gap-6">
        <div className="min-w-0 flex-1">
          <MissionTabs />
          {children}
        </div>
        <Inspector />
      </div>
    </Suspense>
  )
}
