'use client'

import { useState, type ReactNode } from 'react'
import { useServerNow } from '../ui/clock.ts'
import { Button } from '../ui/button.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { StateTag } from '../ui/state-tag.tsx'

interface Terms { readonly expiresAt?: string | undefined; readonly revokedAt?: string | undefined }

export const isOver = ({ expiresAt, revokedAt }: Terms, nowMs: number): boolean => revokedAt !== undefined || (expiresAt !== undefined && Date.parse(expiresAt) <= nowMs)

interface CredentialRowProps {
  /** For assistive technology: what is revoked. */
  readonly what: string
  readonly id: string
  readonly terms: Terms
  readonly isBusy: boolean
  readonly fault: string | undefined
  /** What happens once it is revoked. */
  readonly consequence: string
  readonly onRevoke: () => void
  readonly children: ReactNode
}

/** A token or an access key: whose it is, the end of its id, until when it is good, and the way to end it, in two steps. */
export function CredentialRow({ what, id, terms, isBusy, fault, consequence, onRevoke, children }: CredentialRowProps) {
  const [isAsking, setIsAsking] = useState(false)
  const { expiresAt, revokedAt } = terms
  const isEnded = isOver(terms, useServerNow(60_000))
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 px-2 py-2">
      <span className="flex min-w-0 flex-[1_1_16rem] flex-wrap items-center gap-x-3">{children}</span>
      <span className="font-mono text-12 text-muted" title={id}>…{id.slice(-4)}</span>
      <span className="w-40 text-13 text-muted">{isEnded ? <StateTag state={revokedAt !== undefined ? 'revoked' : 'ended'} word={revokedAt !== undefined ? 'Revoked' : 'Expired'} /> : expiresAt === undefined ? 'never expires' : <>expires <RelativeTime at={expiresAt} /></>}</span>
      <span className="ml-auto flex min-w-24 justify-end gap-2">
        {!isEnded && !isAsking && <Button variant="quiet" aria-label={`Revoke ${what}`} onClick={() => setIsAsking(true)}>Revoke</Button>}
        {!isEnded && isAsking && (
          <>
            <Button variant="quiet" autoFocus onClick={() => setIsAsking(false)} disabled={isBusy}>Keep it</Button>
            <Button variant="danger" busy={isBusy} aria-label={`Revoke ${what} now`} onClick={onRevoke}>Revoke now</Button>
          </>
        )}
      </span>
      {!isEnded && isAsking && <p role="status" className="basis-full text-13 text-muted">{consequence} It cannot be undone.</p>}
      {fault !== undefined && <p role="alert" className="basis-full text-12 text-fail">It was not revoked. {fault}</p>}
    </li>
  )
}
