// Which WorkItems make up the review at present. Their ids derive from Mission, job and round, so nothing has to be remembered.
import { deriveUrn } from '../../../protocol/digest.ts'
import type { ReviewWork } from '../review-inputs.ts'
import type { Job } from '../review-jobs.ts'
import { JOBS } from '../review-jobs.ts'
import type { MissionHistory } from './mission-history.ts'

/** Round 0 is the first plan; every request for changes begins the next one. */
export const workItemIdOf = (missionId: string, job: Job, round: number): string => deriveUrn('release-review work', missionId, job, String(round))

/** For each job the WorkItem of the latest round, up to and including `round`, that has one. */
export function workAsOf({ mirror }: MissionHistory, round: number): ReviewWork {
  const missionId = mirror.mission?.missionId ?? ''
  const rounds = Array.from({ length: round + 1 }, (_, index) => round - index)
  return Object.fromEntries(
    JOBS.flatMap((job) => {
      const item = rounds.map((at) => mirror.workItems.get(workItemIdOf(missionId, job, at))).find((found) => found !== undefined)
      return item ? [[job, item]] : []
    }),
  )
}

export const currentWork = (history: MissionHistory): ReviewWork => workAsOf(history, history.requestedChanges.length)
