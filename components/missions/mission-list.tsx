'use client'

import { useState } from 'react'
import Link from 'next/link'
import { useSearchParams } from 'next/navigation'
import { useQuery } from '@tanstack/react-query'
import { useTRPC, type MissionSummary } from '../trpc.tsx'
import { QueryState } from '../shell/query-state.tsx'
import { buttonClass } from '../ui/button.tsx'
import { Field, Input } from '../ui/field.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { SkeletonRows } from '../ui/skeleton.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { sortByUrgency } from './health.ts'
import { NoMissions } from './home.tsx'
import { MissionRows } from './mission-row.tsx'
import { UnreadableMissions } from './unreadable-missions.tsx'

type Shown = 'open' | 'finished'

/** Every mission of mine, in two heaps: open ones by urgency, finished ones by time. */
export function MissionList() {
  const trpc = useTRPC()
  const missions = useQuery(trpc.missions.list.queryOptions())
  return (
    <>
      <PageHeader
        title="Missions"
        action={
          <Link href="/missions/new" className={buttonClass('primary', 'lg')}>
            New mission
          </Link>
        }
      >
        Missions that you own or take part in. Others are not shown to you.
      </PageHeader>
      <UnreadableMissions />
      <QueryState query={missions} skeleton={<SkeletonRows rows={10} />}>
        {(all) => (all.length === 0 ? <NoMissions /> : <Heaps missions={all} />)}
      </QueryState>
    </>
  )
}

function Heaps({ missions }: { readonly missions: readonly MissionSummary[] }) {
  const asked = useSearchParams().has('finished')
  const [shown, setShown] = useState<Shown>(asked ? 'finished' : 'open')
  const [words, setWords] = useState('')
  const isOpen = (mission: MissionSummary) => mission.status.health !== 'finished'
  const heaps = { open: sortByUrgency(missions.filter(isOpen)), finished: missions.filter((mission) => !isOpen(mission)) }
  const found = heaps[shown].filter((mission) => mentions(mission, words))
  return (
    <Tabs<Shown>
      label="Missions"
      value={shown}
      onChange={setShown}
      tabs={[
        { value: 'open', label: 'Open', count: heaps.open.length },
        { value: 'finished', label: 'Finished', count: heaps.finished.length },
      ]}
    >
      <Field label="Find by title, coordinator or owner" hideLabel className="py-4">
        {(control) => <Input {...control} type="search" placeholder="Find by title, coordinator or owner" value={words} onChange={(event) => setWords(event.target.value)} />}
      </Field>
      {found.length > 0 ? <MissionRows missions={found} /> : <p className="px-2 py-3 text-muted">{words === '' ? `No ${shown} missions.` : `No ${shown} mission matches “${words}”.`}</p>}
    </Tabs>
  )
}

const mentions = ({ title, owner, coordinator }: MissionSummary, words: string): boolean =>
  [title, owner.name, coordinator.name].some((text) => text.toLocaleLowerCase().includes(words.trim().toLocaleLowerCase()))
