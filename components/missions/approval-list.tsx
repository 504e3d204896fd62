'use client'

import { useQuery } from '@tanstack/react-query'
import { useSession, useTRPC } from '../trpc.tsx'
import { QueryState } from '../shell/query-state.tsx'
import { useCanDecide } from '../shell/me-menu.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { SkeletonRows } from '../ui/skeleton.tsx'
import { MissionRows } from './mission-row.tsx'
import { sortByUrgency } from './health.ts'
import { UnreadableMissions } from './unreadable-missions.tsx'

/** Missions that wait for my decision. Each is decided on its own page; there is no way to sign several at once. */
export function ApprovalList() {
  const trpc = useTRPC()
  const approvals = useQuery(trpc.approvals.list.queryOptions())
  const me = useSession().data?.me
  return (
    <>
      <PageHeader title="Approvals">What waits for your signature. Each result opens by itself, with its artifacts, evidence and open risks; the start of work is decided on its board.</PageHeader>
      {me && <NoKeyNotice me={me} />}
      <UnreadableMissions />
      <QueryState query={approvals} skeleton={<SkeletonRows rows={4} />}>
        {(waiting) =>
          waiting.length > 0 ? (
            <MissionRows missions={sortByUrgency(waiting)} leadsTo="approval" />
          ) : (
            <EmptyState title="Nothing waits for you">
              When a coordinator submits a result that you decide on, or work may not start without you, it appears here and on Home. Your decisions stay in the log of their mission.
            </EmptyState>
          )
        }
      </QueryState>
    </>
  )
}

function NoKeyNotice({ me }: { readonly me: Parameters<typeof useCanDecide>[0] }) {
  if (useCanDecide(me) !== false) return null
  return (
    <div className="pb-6">
      <Notice tone="wait" title="This browser cannot sign decisions for you">
        It holds no valid authority key of yours. You can read everything here; decide in the browser that holds the key, or take in your key file under Keys.
      </Notice>
    </div>
  )
}
