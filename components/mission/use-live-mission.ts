'use client'

import { useEffect, useMemo, useRef } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import { useSubscription } from '@trpc/tanstack-react-query'
import { useTRPC } from '../trpc.tsx'
import { coalesce } from './coalesce.ts'
import { runKey } from './use-log-run.ts'

/**
 * Reads everything shown of a Mission again whenever its Space has grown beyond `head`: what is on screen at once, the
 * rest when it is next shown. Replaced in place, so scroll position and selection stay.
 */
export function useLiveMission(missionId: string, head: number | undefined): void {
  const trpc = useTRPC()
  const client = useQueryClient()
  const seen = useRef(0)
  useEffect(() => {
    seen.current = Math.max(seen.current, head ?? 0)
  }, [head])

  const refresh = useMemo(
    () => coalesce(() => Promise.all([
      client.invalidateQueries(trpc.missions.view.queryFilter({ missionId })),
      client.invalidateQueries(trpc.missions.artifacts.queryFilter({ missionId })),
      client.invalidateQueries(trpc.missions.approval.queryFilter({ missionId })),
      client.invalidateQueries({ queryKey: runKey(missionId) }),
    ])),
    [client, trpc, missionId],
  )
  useSubscription(trpc.live.subscriptionOptions({ missionId }, {
    onData: ({ data }) => {
      if (data.head <= seen.current) return
      seen.current = data.head
      refresh()
    },
  }))
}
