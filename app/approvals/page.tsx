import type { Metadata } from 'next'
import { ApprovalList } from '../../components/missions/approval-list.tsx'
import { Page } from '../../components/shell/page.tsx'

export const metadata: Metadata = { title: 'Approvals' }

export default function ApprovalsPage() {
  return (
    <Page>
      <ApprovalList />
    </Page>
  )
}
