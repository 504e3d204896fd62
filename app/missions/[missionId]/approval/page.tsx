import type { Metadata } from 'next'
import { Suspense } from 'react'
import { ApprovalPage } from '../../../../components/approval/approval-page.tsx'

export const metadata: Metadata = { title: 'Approval' }

export default function MissionApprovalPage() {
  return (
    <Suspense>
      <ApprovalPage />
    </Suspense>
  )
}
