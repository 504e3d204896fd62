// The verified results that a piece of work builds on, read back from their artifacts.
import type { WorkContract } from '../../protocol/generated/types.ts'
import type { GroupMirror, WorkView } from '../../sdk/index.ts'
import type { ReviewParts } from './jobs/report.ts'
import { contentIn } from './job-content.ts'
import type { Job } from './review-jobs.ts'
import { constraintsOf, jobOf } from './review-jobs.ts'

export type ReviewWork = { readonly [J in Job]?: WorkView }

/** Fetch the content of an artifact, then go on. */
export interface LoadStep {
  readonly type: 'load'
  readonly contentHash: string
}

/** Contents fetched so far by hash; undefined for one that the authority does not hand out. */
export type Contents = ReadonlyMap<string, Uint8Array | undefined>

const INPUT_JOBS = ['inventory', 'licences', 'links'] as const

/** The WorkItems that a contract depends on, by job. */
export function inputsOf({ workItems }: GroupMirror, { dependencyWorkItemIds }: WorkContract): ReviewWork {
  return Object.fromEntries(
    dependencyWorkItemIds.flatMap((id) => {
      const input = workItems.get(id)
      const job = input?.contract && jobOf(input.contract)
      return job === undefined ? [] : [[job, input]]
    }),
  )
}

/** The one artifact that a WorkItem has handed in. */
export const artifactHashOf = (item: WorkView | undefined): string | undefined => item?.submission?.artifactHashes[0]

export const artifactHashesOf = (work: ReviewWork): string[] => Object.values(work).flatMap((item) => artifactHashOf(item) ?? [])

/**
 * The results in the artifacts of these WorkItems. Yields what has to be fetched first; undefined when something is not
 * there or is not what its contract makes of its inputs.
 */
export function* partsIn(work: ReviewWork, contents: Contents): Generator<LoadStep, Partial<ReviewParts> | undefined> {
  const present = INPUT_JOBS.flatMap((job) => {
    const item = work[job]
    const contentHash = artifactHashOf(item)
    return item?.contract && contentHash !== undefined ? [{ job, contentHash, constraints: constraintsOf(item.contract) }] : []
  })
  for (const { contentHash } of present) if (!contents.has(contentHash)) yield { type: 'load', contentHash }
  let parts: Partial<ReviewParts> = {}
  for (const { job, contentHash, constraints } of present) {
    const bytes = contents.get(contentHash)
    const content = bytes && contentIn(job, bytes, parts, constraints)
    if (content === undefined) return undefined
    const { job: _job, ...part } = content
    parts = { ...parts, ...part }
  }
  return parts
}
