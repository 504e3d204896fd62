'use client'

import { createContext, use, type ReactNode } from 'react'
import Link from 'next/link'
import { useQuery } from '@tanstack/react-query'
import { invariant } from '../../protocol/result.ts'
import { QueryState } from '../shell/query-state.tsx'
import { useTRPC, type SpaceView } from '../trpc.tsx'
import { buttonClass } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Skeleton, SkeletonRows } from '../ui/skeleton.tsx'

const SpaceContext = createContext<SpaceView | undefined>(undefined)

/** Who enters writes nothing to the log, so no growth tells of it. */
const LOOK_AGAIN_MS = 20_000

/** The open Space of this page. */
export function useSpace(): SpaceView {
  const space = use(SpaceContext)
  invariant(space, 'useSpace is used inside SpaceProvider')
  return space
}

/** Loads the Space, keeps it live, and says plainly when there is none at this address. */
export function SpaceProvider({ spaceId, children }: { readonly spaceId: string; readonly children: ReactNode }) {
  const trpc = useTRPC()
  const query = useQuery({ ...trpc.spaces.view.queryOptions({ spaceId }), refetchInterval: LOOK_AGAIN_MS })
  return (
    <QueryState query={query} skeleton={<SpaceSkeleton />} absent={<NoSpace />}>
      {(loaded) => <SpaceContext value={loaded}>{children}</SpaceContext>}
    </QueryState>
  )
}

function NoSpace() {
  return (
    <EmptyState title="There is no Space at this address" action={<Link href="/spaces" className={buttonClass()}>All Spaces</Link>}>
      Check the address, or look for the Space by its name.
    </EmptyState>
  )
}

function SpaceSkeleton() {
  return (
    <div role="status" aria-label="Loading the Space" className="grid gap-4">
      <Skeleton className="h-9 w-2/5" />
      <Skeleton className="h-6 w-full" />
      <SkeletonRows rows={8} label="Loading the conversation" />
    </div>
  )
}
