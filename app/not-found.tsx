import Link from 'next/link'
import { Page } from '../components/shell/page.tsx'
import { buttonClass } from '../components/ui/button.tsx'
import { EmptyState } from '../components/ui/empty-state.tsx'

export default function NotFound() {
  return (
    <Page width="form">
      <EmptyState
        title="There is nothing at this address"
        action={
          <Link href="/" className={buttonClass('primary')}>
            Go to Home
          </Link>
        }
      >
        It never existed, or it is not shown to you. Missions that you take part in are listed under Missions.
      </EmptyState>
    </Page>
  )
}
