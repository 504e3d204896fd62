import { Suspense, type ReactNode } from 'react'
import { PolicyHeader } from '../../components/policy/policy-header.tsx'
import { Page } from '../../components/shell/page.tsx'

export default function PolicyLayout({ children }: { readonly children: ReactNode }) {
  return (
    <Page>
      <Suspense>
        <PolicyHeader />
        {children}
      </Suspense>
    </Page>
  )
}
