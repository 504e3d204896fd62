import type { Metadata } from 'next'
import { Suspense } from 'react'
import { ApprovalPage } from '../../../../components/approval/approval-page.tsx'
import { Inspector } from '../../../../components/inspector/inspector.tsx'

export const metadata: Metadata = { title: 'Approval' }

export default function MissionApprovalPage() {
  return (
    <Suspense>
      <div className="flex gap-6">
        <div className="min-w-0 flex-1">
          <ApprovalPage />
        </div>
        <Inspector />
      </div>
    </Suspense>
  )
}
