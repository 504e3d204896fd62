'use client'

import { createContext, use, useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from 'react'
import { skipToken, useQueryClient } from '@tanstack/react-query'
import { useSubscription } from '@trpc/tanstack-react-query'
import { useSession, useTRPC } from '../trpc.tsx'
import { serverNow } from '../ui/clock.ts'
import { isConcerned } from './live-scope.ts'

/** `asOf`: the authority's time when the feed was last known to be live. */
export type Connection = { readonly state: 'connecting' } | { readonly state: 'live' } | { readonly state: 'reconnecting'; readonly asOf: string }

const ConnectionContext = createContext<Connection>({ state: 'connecting' })

/** Whether what the page shows is current. */
export const useConnection = (): Connection => use(ConnectionContext)

// A busy mission grows many times a second; the page reads again at most four times.
const GATHER_MS = 250

/** One feed for the whole console: when a Space grows, every query about its Mission is read again. */
export function LiveProvider({ children }: { readonly children: ReactNode }) {
  const trpc = useTRPC()
  const isSignedIn = Boolean(useSession().data?.me)
  const onGrowth = useGatheredInvalidation()
  const { status } = useSubscription(
    trpc.live.subscriptionOptions(isSignedIn ? {} : skipToken, { onData: (growth) => onGrowth(growth.data.missionId) }),
  )
  const connection = useConnectionState(status === 'pending')
  return <ConnectionContext value={connection}>{children}</ConnectionContext>
}

function useGatheredInvalidation(): (missionId: string) => void {
  const queryClient = useQueryClient()
  const gathered = useRef(new Set<string>())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  return useCallback(
    (missionId) => {
      gathered.current.add(missionId)
      timer.current ??= setTimeout(() => {
        const missionIds = gathered.current
        gathered.current = new Set()
        timer.current = undefined
        void queryClient.invalidateQueries({ predicate: (query) => isConcerned(query.queryKey, missionIds) })
      }, GATHER_MS)
    },
    [queryClient],
  )
}

function useConnectionState(isLive: boolean): Connection {
  const [lostAt, setLostAt] = useState<string>()
  const [wasLive, setWasLive] = useState(false)
  // Kept while rendering, so that no frame shows "live" after the feed broke.
  if (isLive !== wasLive) {
    setWasLive(isLive)
    if (!isLive) setLostAt(serverNow())
  }
  return useMemo(() => {
    if (isLive) return { state: 'live' }
    return lostAt === undefined ? { state: 'connecting' } : { state: 'reconnecting', asOf: lostAt }
  }, [isLive, lostAt])
}
