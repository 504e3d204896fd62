import type { Metadata } from 'next'
import { MyKeys } from '../../components/identity/my-keys.tsx'
import { Page } from '../../components/shell/page.tsx'

export const metadata: Metadata = { title: 'Keys' }

export default function KeysPage() {
  return (
    <Page width="form">
      <MyKeys />
    </Page>
  )
}
