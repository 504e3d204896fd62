import type { Metadata } from 'next'
import { NewMissionForm } from '../../../components/missions/new-mission-form.tsx'
import { Page } from '../../../components/shell/page.tsx'

export const metadata: Metadata = { title: 'New mission' }

export default function NewMissionPage() {
  return (
    <Page width="form">
      <NewMissionForm />
    </Page>
  )
}
