'use client'

import { Radio, RefreshCw } from 'lucide-react'
import { classNames } from '../ui/class-names.ts'
import { useConnection } from './live.tsx'

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })

/** "Live", or since when what is shown may be old. */
export function ConnectionState() {
  const connection = useConnection()
  const isLive = connection.state === 'live'
  const Icon = isLive ? Radio : RefreshCw
  return (
    <p role="status" data-connection={connection.state} className={classNames('flex min-w-0 items-center gap-1.5 text-13', connection.state === 'reconnecting' ? 'text-wait' : 'text-muted')}>
      <Icon aria-hidden className="size-4 shrink-0" />
      <span className="truncate">
        {isLive && 'Live'}
        {connection.state === 'connecting' && 'Connecting'}
        {connection.state === 'reconnecting' && `Reconnecting, shown as of ${clock.format(new Date(connection.asOf))}`}
      </span>
    </p>
  )
}
