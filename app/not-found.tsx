import Link from 'next/link'
import { Page } from '../components/shell/page.tsx'
import { buttonClass } from '../components/ui/button.tsx'
import { PageHeader } from '../components/ui/page-header.tsx'

export default function NotFound() {
  return (
    <Page width="form">
      <PageHeader title="There is nothing at this address">It never existed, or it is not shown to you. Missions that you take part in are listed under Missions.</PageHeader>
      <Link href="/" className={buttonClass('primary')}>
        Go to Home
      </Link>
    </Page>
  )
}
