'use client'

import type { ReactNode } from 'react'
import Link from 'next/link'
import { usePathname } from 'next/navigation'
import { FileDown, PenLine } from 'lucide-react'
import type { MissionView, ParticipantView } from '../trpc.tsx'
import { buttonClass } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { PrincipalName } from '../ui/principal-mark.tsx'
import { absoluteTime, Countdown } from '../ui/relative-time.tsx'
import { StateTag } from '../ui/state-tag.tsx'
import { visibleText } from '../ui/visible-text.ts'
import { isOver } from './is-over.ts'
import { MissionBudget } from './mission-budget.tsx'
import { useMission } from './mission-context.tsx'
import { missionPath, receiptPath } from './mission-paths.ts'
import { OwnerMenu } from './owner-menu.tsx'
import { StatusSentence } from './status-line.tsx'

/** What stands above every tab of a Mission: its state in one line, then its facts. A phone shows the facts on the board only. */
export function MissionHeader() {
  const mission = useMission()
  const isBoard = decodeURIComponent(usePathname()) === decodeURIComponent(missionPath(mission.missionId))
  const isFinal = isOver(mission)
  return (
    <header className="grid gap-3 border-b pb-4">
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
          <h1 className="min-w-0 text-20 font-semibold tracking-tight">
            <bdi className="break-words">{visibleText(mission.title)}</bdi>
          </h1>
          <StateTag state={mission.state} />
          <span className="text-13 text-muted">revision {mission.revision}</span>
        </div>
        <div className="flex items-center gap-1">
          <MainAction mission={mission} />
          {!isFinal && mission.owner.id === mission.me.principalId && <OwnerMenu />}
        </div>
      </div>
      <StatusSentence status={mission.status} myId={mission.me.principalId} />
      <dl className={classNames('flex flex-wrap gap-x-8 gap-y-2 text-13', !isBoard && 'max-sm:hidden')}>
        {mission.parent && (
          <Fact label="Part of">
            <Link href={`${missionPath(mission.parent.missionId)}?sel=${encodeURIComponent(mission.parent.workItemId)}`} className="text-action">the mission above</Link>
          </Fact>
        )}
        <Fact label="Owner"><Participant who={mission.owner} myId={mission.me.principalId} /></Fact>
        <Fact label="Coordinator">
          <Participant who={mission.coordinator} myId={mission.me.principalId} />
          {!isFinal && (
            <span className="text-muted">
              lease <Countdown until={mission.coordinatorLeaseExpiresAt} label={`Lease of coordinator epoch ${mission.coordinatorEpoch}`} />
            </span>
          )}
        </Fact>
        {isFinal && <Fact label="Deadline was"><time dateTime={mission.deadline}>{absoluteTime(mission.deadline)}</time></Fact>}
        {!isFinal && mission.status.until !== mission.deadline && <Fact label="Deadline in"><Countdown until={mission.deadline} label="Deadline" /></Fact>}
        {mission.budget.length > 0 && <Fact label="Budget"><MissionBudget lines={mission.budget} /></Fact>}
      </dl>
    </header>
  )
}

function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-12 text-muted">{label}</dt>
      <dd className="flex min-h-6 min-w-0 flex-wrap items-center gap-x-2">{children}</dd>
    </div>
  )
}

function Participant({ who, myId }: { readonly who: ParticipantView; readonly myId: string }) {
  const note = who.id === myId ? 'you' : who.type === 'agent' && who.online !== undefined ? `agent, ${who.online ? 'online' : 'offline'}` : who.type
  return <PrincipalName id={who.id} name={who.name} note={note} />
}

/** The one thing to do about this Mission, if it is this person's to do; never behind a tab. */
function MainAction({ mission }: { readonly mission: MissionView }) {
  const approval = missionPath(mission.missionId, '/approval')
  const isHere = decodeURIComponent(usePathname()) === decodeURIComponent(approval)
  if (mission.state === 'approved') {
    return (
      <a href={receiptPath(mission.missionId)} download className={buttonClass()}>
        <FileDown aria-hidden className="size-4" />
        Receipt
      </a>
    )
  }
  if (isHere) return <Link href={missionPath(mission.missionId)} className={buttonClass()}>To the board</Link>
  if (!mission.waitingOnMe) return null
  return (
    <Link href={approval} className={buttonClass('primary')}>
      <PenLine aria-hidden className="size-4" />
      Review revision {mission.revision}
    </Link>
  )
}
