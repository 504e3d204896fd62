'use client'

import { Page } from '../components/shell/page.tsx'
import { Button } from '../components/ui/button.tsx'
import { Notice } from '../components/ui/notice.tsx'

export default function ErrorPage({ error, reset }: { readonly error: Error & { readonly digest?: string }; readonly reset: () => void }) {
  return (
    <Page width="form">
      <Notice tone="fail" title="This page failed" {...(error.digest !== undefined && { code: error.digest })} action={<Button onClick={reset}>Try again</Button>}>
        Nothing was signed and nothing was sent by the failure. Commands that you had signed before are kept until they are answered.
      </Notice>
    </Page>
  )
}
