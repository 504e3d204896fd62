'use client'

import { createContext, use, type ReactNode } from 'react'
import Link from 'next/link'
import { useQuery } from '@tanstack/react-query'
import { invariant } from '../../protocol/result.ts'
import { errorCode, useTRPC, type MissionView } from '../trpc.tsx'
import { Button, buttonClass } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Notice } from '../ui/notice.tsx'
import { Skeleton, SkeletonRows } from '../ui/skeleton.tsx'

const MissionContext = createContext<MissionView | undefined>(undefined)

/** The Mission of this page as of the last growth of its Space. */
export function useMission(): MissionView {
  const mission = use(MissionContext)
  invariant(mission, 'useMission is used inside MissionProvider')
  return mission
}

/** Loads the Mission, keeps it live, and says plainly when it does not exist for this person. */
export function MissionProvider({ missionId, children }: { readonly missionId: string; readonly children: ReactNode }) {
  const trpc = useTRPC()
  const { data, error, refetch, isFetching } = useQuery(trpc.missions.view.queryOptions({ missionId }))
  if (data) return <MissionContext value={data}>{children}</MissionContext>
  if (!error) return <MissionSkeleton />
  if (errorCode(error) === 'NOT_FOUND') {
    return (
      <EmptyState title="This mission does not exist, or is not shown to you" action={<Link href="/missions" className={buttonClass()}>Your missions</Link>}>
        Only its members see a mission. Ask its owner to add you, or check the address.
      </EmptyState>
    )
  }
  return (
    <Notice tone="fail" title="The mission could not be loaded" action={<Button busy={isFetching} onClick={() => void refetch()}>Try again</Button>}>
      The server did not answer. Nothing was changed.
    </Notice>
  )
}

function MissionSkeleton() {
  return (
    <div role="status" aria-label="Loading the mission" className="grid gap-4">
      <Skeleton className="h-9 w-2/5" />
      <Skeleton className="h-14 w-full" />
      <Skeleton className="h-16 w-full" />
      <SkeletonRows rows={8} label="Loading the board" />
    </div>
  )
}
