import type { Metadata } from 'next'
import { Home } from '../components/missions/home.tsx'
import { Page } from '../components/shell/page.tsx'

export const metadata: Metadata = { title: 'Home' }

export default function HomePage() {
  return (
    <Page>
      <Home />
    </Page>
  )
}
