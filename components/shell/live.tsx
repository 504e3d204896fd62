'use client'

import { createContext, use, useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from 'react'
import { usePathname } from 'next/navigation'
import { skipToken, useQueryClient } from '@tanstack/react-query'
import { useSubscription } from '@trpc/tanstack-react-query'
import { useSession, useTRPC, type Growth } from '../trpc.tsx'
import { serverNow } from '../ui/clock.ts'
import { isConcerned, spaceAt } from './live-scope.ts'

/** `asOf`: the authority's time when the feed was last known to be live. */
export type Connection = { readonly state: 'connecting' } | { readonly state: 'live' } | { readonly state: 'reconnecting'; readonly asOf: string }

const ConnectionContext = createContext<Connection>({ state: 'connecting' })

/** Whether what the page shows is current. */
export const useConnection = (): Connection => use(ConnectionContext)

// A busy mission grows many times a second; the page reads again at most four times.
const GATHER_MS = 250

/**
 * One feed for the whole console: when the Space of a Mission grows, or the open Space of this page, every query about it is
 * read again. One and no more, because a browser opens few connections to one server and the tabs share them.
 */
export function LiveProvider({ children }: { readonly children: ReactNode }) {
  const trpc = useTRPC()
  const isSignedIn = Boolean(useSession().data?.me)
  const spaceId = spaceAt(usePathname())
  const onGrowth = useGatheredInvalidation()
  const { status, error } = useSubscription(
    trpc.live.subscriptionOptions(isSignedIn ? (spaceId === undefined ? {} : { spaceId }) : skipToken, { onData: ({ data }) => onGrowth(data) }),
  )
  const connection = useConnectionState(status === 'pending', error !== null)
  return <ConnectionContext value={connection}>{children}</ConnectionContext>
}

const nothingGrown = () => ({ missionIds: new Set<string>(), spaceIds: new Set<string>() })

function useGatheredInvalidation(): (growth: Growth) => void {
  const queryClient = useQueryClient()
  const gathered = useRef(nothingGrown())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  return useCallback(
    (growth) => {
      if ('missionId' in growth) gathered.current.missionIds.add(growth.missionId)
      else gathered.current.spaceIds.add(growth.spaceId)
      timer.current ??= setTimeout(() => {
        const grown = gathered.current
        gathered.current = nothingGrown()
        timer.current = undefined
        void queryClient.invalidateQueries({ predicate: (query) => isConcerned(query.queryKey, grown) })
      }, GATHER_MS)
    },
    [queryClient],
  )
}

/** `isLost`: the feed broke. Without it, a feed that is not live is only changing over to another page's Space. */
function useConnectionState(isLive: boolean, isLost: boolean): Connection {
  const [lostAt, setLostAt] = useState<string>()
  const [wasLive, setWasLive] = useState(false)
  // Kept while rendering, so that no frame shows "live" after the feed broke.
  if (isLive !== wasLive) {
    setWasLive(isLive)
    setLostAt(isLost && !isLive ? serverNow() : undefined)
  }
  return useMemo(() => {
    if (isLive) return { state: 'live' }
    return lostAt === undefined ? { state: 'connecting' } : { state: 'reconnecting', asOf: lostAt }
  }, [isLive, lostAt])
}
