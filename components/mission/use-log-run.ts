'use client'

import { useCallback, useState } from 'react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { RunSource } from './log-run.ts'
import { catchUp, reachBack } from './log-run.ts'

export interface LogRun<S> {
  readonly held: S
  readonly isLoading: boolean
  readonly error: Error | null
  readonly retry: () => void
  readonly loadOlder: () => Promise<void>
  readonly isLoadingOlder: boolean
}

/** Built as tRPC builds its keys, so that the live feed refreshes a run with everything else of its Mission. */
const runKey = (missionId: string, name: string) => [['missions', 'run', name], { input: { missionId } }] as const

/**
 * A run of the log that outlives the tab it is shown in. `name` tells the runs of a Mission apart; `source` may be a new
 * object on every render as long as it reads the same thing.
 */
export function useLogRun<S, P>(missionId: string, name: string, source: RunSource<S, P>): LogRun<S> {
  const client = useQueryClient()
  const key = runKey(missionId, name)
  const held = useCallback(() => client.getQueryData<S>(runKey(missionId, name)) ?? source.empty, [client, missionId, name, source])
  const query = useQuery({ queryKey: key, queryFn: () => catchUp(source, held), structuralSharing: false, gcTime: 30 * 60_000 })
  const [isLoadingOlder, setLoadingOlder] = useState(false)
  const [olderError, setOlderError] = useState<Error | null>(null)

  const loadOlder = async () => {
    if (isLoadingOlder) return
    setLoadingOlder(true)
    try {
      client.setQueryData<S>(key, await reachBack(source, held))
      setOlderError(null)
    } catch (error) {
      setOlderError(error as Error)
    } finally {
      setLoadingOlder(false)
    }
  }
  return {
    held: query.data ?? source.empty,
    isLoading: query.isPending,
    error: query.error ?? olderError,
    retry: () => void query.refetch(),
    loadOlder,
    isLoadingOlder,
  }
}
