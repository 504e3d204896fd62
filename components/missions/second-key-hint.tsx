import Link from 'next/link'
import type { SignedInPerson } from '../trpc.tsx'
import { buttonClass } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'

/** With one authority key, losing this browser means losing every decision that waits. */
export function SecondKeyHint({ me }: { readonly me: SignedInPerson }) {
  const valid = me.keys.filter((key) => key.use === 'authority' && key.revokedAt === undefined)
  if (valid.length !== 1) return null
  return (
    <div className="pb-8">
      <Notice
        title="You have one authority key"
        action={
          <Link href="/keys" className={buttonClass('secondary')}>
            Add a second key
          </Link>
        }
      >
        If this browser’s data is lost, nobody can restore it and you could no longer sign. A second key takes a minute.
      </Notice>
    </div>
  )
}
