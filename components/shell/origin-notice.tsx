'use client'

import { useSyncExternalStore } from 'react'
import type { Session } from '../trpc.tsx'
import { buttonClass } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'

const never = () => () => undefined

/** A browser keeps keys per address. Opened under another one, the page could make keys that are useless at the real one. */
export function OriginNotice({ session }: { readonly session: Session | undefined }) {
  const here = useSyncExternalStore(
    never,
    () => location.origin,
    () => undefined,
  )
  const home = session?.organization.origin
  if (here === undefined || home === undefined || here === home) return null
  return (
    <div className="pb-6">
      <Notice
        tone="wait"
        title={`This server’s address is ${home}`}
        action={
          <a href={home} className={buttonClass('secondary')}>
            Go there
          </a>
        }
      >
        You opened it as {here}. Keys belong to one address, so nothing can be signed here.
      </Notice>
    </div>
  )
}
