'use client'

import { useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import { useMission } from '../mission/mission-context.tsx'
import { useTRPC, type ApprovalView } from '../trpc.tsx'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { Skeleton, SkeletonRows } from '../ui/skeleton.tsx'
import { NothingToDecide } from './decided.tsx'
import { ReviewColumn } from './review-column.tsx'

/** Loads what is to be decided and pins the review to what was first seen; a review that moved starts again by hand. */
export function ApprovalPage() {
  const trpc = useTRPC()
  const { missionId } = useMission()
  // Read anew on every visit: a decision is never prepared from what an earlier page had kept.
  const { data, error, refetch, isFetchedAfterMount } = useQuery(trpc.missions.approval.queryOptions({ missionId }, { staleTime: 0, refetchOnMount: 'always' }))
  const [opened, setOpened] = useState<ApprovalView>()
  const [reviews, setReviews] = useState(1)
  if (error && !data) {
    return <div className="py-8"><Notice tone="fail" title="The submission could not be read" action={<Button onClick={() => void refetch()}>Try again</Button>}>Nothing was signed.</Notice></div>
  }
  if (!data || !isFetchedAfterMount) return <ReviewSkeleton />
  if (!opened) {
    setOpened(data)
    return <ReviewSkeleton />
  }
  if (!opened.pending && !data.pending) return <Column><NothingToDecide view={data} /></Column>
  const startAgain = () => {
    setOpened(data)
    setReviews(reviews + 1)
  }
  return <Column><ReviewColumn key={reviews} opened={opened} now={data} onStartAgain={startAgain} /></Column>
}

const Column = ({ children }: { readonly children: React.ReactNode }) => <div className="mx-auto max-w-3xl">{children}</div>

function ReviewSkeleton() {
  return (
    <Column>
      <div role="status" aria-label="Loading the submission" className="grid gap-6 py-8">
        <Skeleton className="h-16 w-full" />
        <Skeleton className="h-32 w-full" />
        <SkeletonRows rows={8} label="Loading the artifacts" />
      </div>
    </Column>
  )
}
