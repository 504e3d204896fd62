import Link from 'next/link'
import { missionPath } from '../mission/mission-paths.ts'
import type { MissionSummary } from '../trpc.tsx'
import { Countdown } from '../ui/relative-time.tsx'
import { StateTag } from '../ui/state-tag.tsx'
import { waitsOnMe } from './health.ts'
import { visibleText } from '../ui/visible-text.ts'

/** One mission in two lines: how it is and why; until when and who must act at the far end. What waits for a start is decided on the board. */
export function MissionRow({ mission, leadsTo = 'mission' }: { readonly mission: MissionSummary; readonly leadsTo?: 'mission' | 'approval' }) {
  const { status } = mission
  const until = status.health === 'finished' ? undefined : (status.until ?? mission.deadline)
  return (
    <Link
      href={missionPath(mission.missionId, leadsTo === 'approval' && mission.waitingOnMe ? '/approval' : '')}
      className="grid gap-x-4 gap-y-1 px-2 py-3 -outline-offset-2 hover:bg-sunk sm:grid-cols-[11rem_minmax(0,1fr)_auto]"
    >
      <span>
        <StateTag state={status.health} {...(waitsOnMe(mission) && { word: 'Waits on you' })} />
      </span>
      <span className="min-w-0">
        <bdi className="block truncate font-medium">{visibleText(mission.title)}</bdi>
        <span className="line-clamp-2 text-13 text-muted">
          {mission.startsWaitingOnMe > 0 && <span className="text-ink">{mission.startsWaitingOnMe === 1 ? 'One work item waits' : `${mission.startsWaitingOnMe} work items wait`} for you to approve the start. </span>}
          {/* A finished mission's decision is history; the sentence of a living one comes first. */}
          <span className="text-ink">{status.sentence}.</span> <bdi>{visibleText(status.because)}</bdi>
        </span>
      </span>
      <span className="text-13 text-muted sm:text-right">
        {until !== undefined && (
          <>
            due in <Countdown until={until} label="Deadline" className="text-ink" />
          </>
        )}
        <WorkCounts counts={mission.counts} />
      </span>
    </Link>
  )
}

function WorkCounts({ counts }: { readonly counts: MissionSummary['counts'] }) {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  if (total === 0) return <span className="block">no work yet</span>
  return (
    <span className="block">
      {counts['verified'] ?? 0} of {total} verified
    </span>
  )
}

export function MissionRows({ missions, leadsTo = 'mission' }: { readonly missions: readonly MissionSummary[]; readonly leadsTo?: 'mission' | 'approval' }) {
  return (
    <ul className="divide-y">
      {missions.map((mission) => (
        <li key={mission.missionId}>
          <MissionRow mission={mission} leadsTo={leadsTo} />
        </li>
      ))}
    </ul>
  )
}
