'use client'

import { useServerNow } from './clock.ts'
import { countdownWords, relativeWords } from './duration.ts'
import { classNames } from './class-names.ts'

const absolute = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long' })
const MINUTE_MS = 60_000

/** Date, time and zone, as shown on hover. */
export const absoluteTime = (at: string): string => absolute.format(new Date(at))

/** When, seen from now; the absolute time and zone on hover. */
export function RelativeTime({ at, className }: { readonly at: string; readonly className?: string }) {
  const now = useServerNow(MINUTE_MS / 4)
  return (
    <time dateTime={at} title={absoluteTime(at)} className={className}>
      {relativeWords(Date.parse(at), now)}
    </time>
  )
}

/** Time left until a deadline or the end of a lease, in a box of constant width; past it, says so in words. */
export function Countdown({ until, label, className }: { readonly until: string; readonly label: string; readonly className?: string }) {
  const now = useServerNow(1000)
  const left = Math.floor((Date.parse(until) - now) / 1000)
  return (
    <time
      dateTime={until}
      title={`${label}: ${absoluteTime(until)}`}
      className={classNames('inline-block min-w-[10ch] whitespace-nowrap', left <= 0 && 'text-fail', className)}
    >
      {left > 0 ? countdownWords(left) : `over, ${relativeWords(Date.parse(until), now)}`}
    </time>
  )
}
