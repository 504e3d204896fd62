import type { BoardItem, MissionView } from '../trpc.tsx'

export interface BoardLane {
  readonly id: string
  readonly title: string
  /** What being in this lane means, for an empty one and for newcomers. */
  readonly meaning: string
  readonly items: readonly BoardItem[]
}

const LANES: readonly Omit<BoardLane, 'items'>[] = [
  { id: 'open', title: 'Open', meaning: 'Authorized, not offered yet' },
  { id: 'offered', title: 'Offered', meaning: 'Waits for a worker to accept' },
  { id: 'queued', title: 'Queued', meaning: 'Owned, not running' },
  { id: 'active', title: 'Active', meaning: 'Running under a lease' },
  { id: 'blocked', title: 'Blocked', meaning: 'Stopped until something changes' },
  { id: 'submitted', title: 'Submitted', meaning: 'The coordinator reviews it' },
  { id: 'verified', title: 'Verified', meaning: 'The coordinator accepted the result' },
  { id: 'ended', title: 'Failed or cancelled', meaning: 'No longer running' },
]

/** Lanes that only appear when something is in them. */
const ONLY_WHEN_USED = new Set(['blocked', 'ended'])

/** WorkItems by state, in the order work passes through them; a state unknown here gets a lane of its own. */
export function boardLanes(work: readonly BoardItem[]): readonly BoardLane[] {
  const known = new Set(LANES.map((lane) => lane.id))
  const unknown = [...new Set(work.map(laneOf))].filter((id) => !known.has(id)).map((id) => ({ id, title: id, meaning: '' }))
  return [...LANES, ...unknown]
    .map((lane) => ({ ...lane, items: work.filter((item) => laneOf(item) === lane.id) }))
    .filter((lane) => lane.items.length > 0 || !ONLY_WHEN_USED.has(lane.id))
}

const laneOf = ({ state }: BoardItem): string => (state === 'failed' || state === 'cancelled' ? 'ended' : state)

export interface WaitingOnMe {
  readonly title: string
  readonly sentence: string
  readonly sequence?: number | undefined
  /** The WorkItem whose start is to be decided; absent for the decision on the Mission's result. */
  readonly workItemId?: string
}

/** What stands still until this person acts: the decision on the result, and each start that takes an Approval. */
export function waitingOnMe(mission: MissionView): readonly WaitingOnMe[] {
  return [...resultToDecide(mission), ...startsToDecide(mission)]
}

function startsToDecide({ work, me }: MissionView): WaitingOnMe[] {
  const mine = work.filter(({ startGate }) => startGate?.personId === me.principalId)
  return mine.map(({ goal, owner, sequence, workItemId }) => ({ title: 'Decide on a start', sentence: `${owner?.name ?? 'Its owner'} waits to start “${goal}” (#${sequence})`, sequence, workItemId }))
}

function resultToDecide(mission: MissionView): WaitingOnMe[] {
  if (!mission.waitingOnMe) return []
  const submission = mission.submissions.findLast((candidate) => candidate.outcome === 'pending')
  return [{ title: `Decide on revision ${submission?.missionRevision ?? mission.revision}`, sentence: mission.status.because, sequence: submission?.sequence }]
}
