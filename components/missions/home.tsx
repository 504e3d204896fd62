'use client'

import Link from 'next/link'
import { useQuery } from '@tanstack/react-query'
import { useSession, useTRPC, type MissionSummary } from '../trpc.tsx'
import { QueryState } from '../shell/query-state.tsx'
import { buttonClass } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { PageHeader, Section } from '../ui/page-header.tsx'
import { SkeletonRows } from '../ui/skeleton.tsx'
import { healthSentence, sortByUrgency, waitsOnMe } from './health.ts'
import { MissionRows } from './mission-row.tsx'
import { SecondKeyHint } from './second-key-hint.tsx'
import { UnreadableMissions } from './unreadable-missions.tsx'

const SHOWN_FINISHED = 5

/** One screen: what waits on you, then how every mission is. */
export function Home() {
  const trpc = useTRPC()
  const missions = useQuery(trpc.missions.list.queryOptions())
  const me = useSession().data?.me
  return (
    <>
      <PageHeader
        title="Home"
        action={
          <Link href="/missions/new" className={buttonClass('primary', 'lg')}>
            New mission
          </Link>
        }
      >
        {missions.data === undefined ? 'Reading your missions.' : healthSentence(missions.data)}
      </PageHeader>
      {me && <SecondKeyHint me={me} />}
      <UnreadableMissions />
      <QueryState query={missions} skeleton={<SkeletonRows rows={8} />}>
        {(all) => (all.length === 0 ? <NoMissions /> : <Overview missions={all} />)}
      </QueryState>
    </>
  )
}

function Overview({ missions }: { readonly missions: readonly MissionSummary[] }) {
  const waiting = missions.filter(waitsOnMe)
  const running = sortByUrgency(missions.filter((mission) => !waitsOnMe(mission) && mission.status.health !== 'finished'))
  const finished = missions.filter((mission) => !waitsOnMe(mission) && mission.status.health === 'finished')
  return (
    <>
      <Section title="Waits on you">
        {waiting.length === 0 ? <p className="px-2 py-3 text-muted">Nothing. You will see it here when something needs your decision.</p> : <MissionRows missions={waiting} leadsTo="approval" />}
      </Section>
      <Section title="Under way">{running.length === 0 ? <p className="px-2 py-3 text-muted">No mission is under way.</p> : <MissionRows missions={running} />}</Section>
      {finished.length > 0 && (
        <Section title="Finished lately" aside={finished.length > SHOWN_FINISHED && <Link href="/missions?finished" className="text-13 text-action hover:underline">{`All ${finished.length}`}</Link>}>
          <MissionRows missions={finished.slice(0, SHOWN_FINISHED)} />
        </Section>
      )}
    </>
  )
}

/** First visit: what a mission is and how to get one. */
export function NoMissions() {
  return (
    <EmptyState
      title="No missions yet"
      action={
        <Link href="/missions/new" className={buttonClass('primary')}>
          Create the first mission
        </Link>
      }
    >
      A mission is an objective with criteria, a budget and a deadline. An agent coordinates it, agents and people work on it, and it is finished only when you have signed the exact result.
    </EmptyState>
  )
}
