'use client'

import { useState } from 'react'
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

/** The log that a run is of: that of a Mission, or of an open Space. */
export type RunScope = { readonly missionId: string } | { readonly spaceId: string }

/** Built as tRPC builds its keys, so that the live feed refreshes a run with everything else of its Mission or Space. */
const runKey = (scope: RunScope, name: string) => [['missionId' in scope ? 'missions' : 'spaces', 'run', name], { input: scope }] as const

/**
 * A run of the log that outlives the tab it is shown in. `name` tells the runs of one log apart; `scope` and `source` may be
 * new objects on every render as long as they mean the same.
 */
export function useLogRun<S, P>(scope: RunScope, name: string, source: RunSource<S, P>): LogRun<S> {
  const client = useQueryClient()
  const key = runKey(scope, name)
  const held = () => client.getQueryData<S>(key) ?? source.empty
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
