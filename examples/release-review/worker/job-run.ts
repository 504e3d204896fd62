// One job from its inputs to its artifact, measured.
import { readFile } from 'node:fs/promises'
import type { Usage, WorkContract } from '../../../protocol/generated/types.ts'
import { takeInventory } from '../jobs/inventory.ts'
import { checkLinks } from '../jobs/link-check.ts'
import type { ReviewParts } from '../jobs/report.ts'
import type { JobContent } from '../job-content.ts'
import { bytesOf, licencesOf, reportOf } from '../job-content.ts'
import type { Job } from '../review-jobs.ts'
import { constraintsOf } from '../review-jobs.ts'

export interface JobInput {
  readonly job: Job
  readonly contract: WorkContract
  /** Folder under review. */
  readonly folder: string
  /** Verified results that the job builds on; `downloads` artifacts were fetched for them. */
  readonly known: Partial<ReviewParts>
  readonly downloads: number
}

export interface JobRun {
  readonly content: JobContent
  readonly bytes: Uint8Array
  /** Wall-clock and compute time in whole seconds, begun ones counted; a file or artifact read is a tool call. */
  readonly usage: Required<Pick<Usage, 'wallClockSeconds' | 'computeSeconds' | 'toolCalls'>>
}

/** The job cannot be done with what there is. `code` is what the contract's retry policy speaks of. */
export class JobFailure extends Error {
  override readonly name = 'JobFailure'
  readonly code: 'INPUT_UNUSABLE' | 'BUDGET_EXCEEDED' | 'JOB_FAILED'

  constructor(code: JobFailure['code'], message: string) {
    super(message)
    this.code = code
  }
}

/** Throws JobFailure with a sentence for people when the input does not allow the job. */
export async function runJob(input: JobInput): Promise<JobRun> {
  const startedAt = performance.now()
  const cpuBefore = process.cpuUsage()
  let toolCalls = input.downloads
  const readText = (path: string) => {
    toolCalls += 1
    return readFile(path, 'utf8')
  }
  const content = await contentOf(input, readText)
  const bytes = bytesOf(content)
  const cpu = process.cpuUsage(cpuBefore)
  const usage = {
    wallClockSeconds: Math.ceil((performance.now() - startedAt) / 1000),
    computeSeconds: Math.ceil((cpu.user + cpu.system) / 1_000_000),
    toolCalls,
  }
  return { content, bytes, usage }
}

async function contentOf({ job, contract, folder, known }: JobInput, readText: (path: string) => Promise<string>): Promise<JobContent> {
  const constraints = constraintsOf(contract)
  const { inventory, licences, links } = known
  switch (job) {
    case 'inventory':
      return { job, inventory: await takeInventory(folder, readText).catch(unusable) }
    case 'licences':
      return { job, licences: licencesOf(needed(inventory), constraints) }
    case 'links':
      return { job, links: await checkLinks(folder, readText).catch(unusable) }
    case 'report':
      return reportOf({ inventory: needed(inventory), licences: needed(licences), links: needed(links) }, constraints)
  }
}

function needed<T>(part: T | undefined): T {
  if (part === undefined) throw new JobFailure('INPUT_UNUSABLE', 'An artifact that this work builds on is missing or is not what its contract says.')
  return part
}

function unusable(fault: unknown): never {
  throw new JobFailure('INPUT_UNUSABLE', fault instanceof Error ? fault.message : String(fault))
}
