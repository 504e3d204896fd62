'use client'

import Link from 'next/link'
import { PenLine } from 'lucide-react'
import { LinkedSentence } from '../mission/sequence-link.tsx'
import { useMission } from '../mission/mission-context.tsx'
import { missionPath } from '../mission/mission-paths.ts'
import { useSelection } from '../mission/use-selection.ts'
import { Button, buttonClass } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { visibleText } from '../ui/visible-text.ts'
import type { BoardLane, WaitingOnMe } from './lanes.ts'
import { boardLanes, waitingOnMe } from './lanes.ts'
import { WorkCard } from './work-card.tsx'

/** WorkItems in lanes by state; on a narrow screen the same lanes stand below one another, empty ones left out. */
export function Board() {
  const mission = useMission()
  const waiting = waitingOnMe(mission)
  if (mission.work.length === 0 && waiting.length === 0) return <NoWorkYet />
  return (
    <div data-board className="flex flex-col gap-6 pt-4 lg:flex-row lg:items-start lg:gap-3 lg:overflow-x-auto lg:pb-4">
      {waiting.length > 0 && <WaitingLane waiting={waiting} />}
      {boardLanes(mission.work).map((lane) => <Lane key={lane.id} lane={lane} />)}
    </div>
  )
}

function Lane({ lane }: { readonly lane: BoardLane }) {
  return (
    <section aria-label={lane.title} className={lane.items.length === 0 ? 'max-lg:hidden lg:w-24 lg:shrink-0' : 'lg:min-w-52 lg:flex-1'}>
      <LaneTitle title={lane.title} count={lane.items.length} meaning={lane.meaning} />
      <ul className="mt-2 grid gap-2">
        {lane.items.map((item) => (
          <li key={item.workItemId}><WorkCard item={item} showsState={lane.id === 'ended'} /></li>
        ))}
      </ul>
      {lane.items.length === 0 && <p className="mt-2 text-13 text-past">{lane.meaning}</p>}
    </section>
  )
}

function WaitingLane({ waiting }: { readonly waiting: readonly WaitingOnMe[] }) {
  const { missionId } = useMission()
  const { select } = useSelection()
  return (
    <section aria-label="Waiting on you" className="lg:min-w-64 lg:flex-1">
      <LaneTitle title="Waiting on you" count={waiting.length} meaning="Nothing moves before you act" />
      <ul className="mt-2 grid gap-2">
        {waiting.map((task) => (
          <li key={task.workItemId ?? task.title} className="grid gap-3 rounded-md border border-wait/40 bg-wait-wash p-3">
            <h3 className="font-medium">{task.title}</h3>
            <p className="text-13 break-words text-muted"><LinkedSentence sentence={task.sentence} sequence={task.sequence} /></p>
            {task.workItemId === undefined ? (
              <Link href={missionPath(missionId, '/approval')} className={buttonClass('primary')}>
                <PenLine aria-hidden className="size-4" />
                Review
              </Link>
            ) : (
              <Button variant="primary" icon={<PenLine aria-hidden className="size-4" />} onClick={() => select(task.workItemId)}>Look at it</Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

function LaneTitle({ title, count, meaning }: { readonly title: string; readonly count: number; readonly meaning: string }) {
  return (
    <h2 title={meaning} className="row justify-between gap-2 border-b text-13 font-semibold text-muted">
      {title}
      <span className="font-normal">{count}</span>
    </h2>
  )
}

function NoWorkYet() {
  const { missionId, coordinator, state } = useMission()
  const isOver = state !== 'active'
  return (
    <div className="pt-6">
      <EmptyState
        title={isOver ? 'This mission had no work items' : 'No work is authorized yet'}
        action={<Link href={missionPath(missionId, '/conversation')} className={buttonClass()}>Open the planning conversation</Link>}
      >
        {isOver
          ? 'The log still holds everything that happened.'
          : <><bdi>{visibleText(coordinator.name)}</bdi> plans the work and authorizes it item by item; each one appears here as soon as it is signed. Say in the planning conversation what matters to you.</>}
      </EmptyState>
    </div>
  )
}
