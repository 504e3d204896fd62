'use client'

import { createContext, use, type ReactNode } from 'react'
import Link from 'next/link'
import { useQuery } from '@tanstack/react-query'
import { invariant } from '../../protocol/result.ts'
import { QueryState } from '../shell/query-state.tsx'
import { useTRPC, type MissionView } from '../trpc.tsx'
import { buttonClass } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
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
  const query = useQuery(trpc.missions.view.queryOptions({ missionId }))
  return (
    <QueryState query={query} skeleton={<MissionSkeleton />} absent={<NoMission />}>
      {(loaded) => <MissionContext value={loaded}>{children}</MissionContext>}
    </QueryState>
  )
}

function NoMission() {
  return (
    <EmptyState title="This mission does not exist, or is not shown to you" action={<Link href="/missions" className={buttonClass()}>Your missions</Link>}>
      Only its members see a mission. Ask its owner to add you, or check the address.
    </EmptyState>
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
