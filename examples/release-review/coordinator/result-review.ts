// The Coordinator's review of one submitted result: from the artifact's bytes, not from what the worker says about them.
import { ARTIFACT_NAME } from '../../../protocol/artifact-name.ts'
import type { AcceptanceCriterion, Artifact, EvidenceType } from '../../../protocol/generated/types.ts'
import type { Result } from '../../../protocol/result.ts'
import { err, ok } from '../../../protocol/result.ts'
import type { EvidenceDescription, WorkView } from '../../../sdk/index.ts'
import type { Finding } from '../findings.ts'
import { countsIn, findingOf } from '../findings.ts'
import { contentIn } from '../job-content.ts'
import type { ReviewParts } from '../jobs/report.ts'
import type { Job } from '../review-jobs.ts'
import { constraintsOf, JOB_DESCRIPTIONS } from '../review-jobs.ts'
import { evidenceTypesOf } from '../evidence-types.ts'

export interface SubmittedResult {
  readonly job: Job
  readonly item: WorkView
  readonly manifest: Artifact | undefined
  /** Undefined when the authority does not hand the content out. */
  readonly bytes: Uint8Array | undefined
  /** Results that the job builds on, and the hashes of the artifacts that hold them. */
  readonly known: Partial<ReviewParts>
  readonly sourceHashes: readonly string[]
}

/** What the result says, or why it cannot be accepted. */
export function reviewResult(result: SubmittedResult): Result<Finding, string> {
  const { job, item, bytes, known } = result
  const fault = manifestFault(result)
  if (fault !== undefined) return err(fault)
  if (bytes === undefined || item.contract === undefined) return err('The artifact cannot be read.')
  const content = contentIn(job, bytes, known, constraintsOf(item.contract))
  if (content === undefined) return err('The artifact is not what this work makes of its inputs.')
  const finding = findingOf(content)
  const contradiction = evidenceFault(item, job, finding)
  return contradiction === undefined ? ok(finding) : err(contradiction)
}

function manifestFault({ job, item, manifest, sourceHashes }: SubmittedResult): string | undefined {
  const { deliverableId, mediaType, schema } = JOB_DESCRIPTIONS[job].deliverable
  if (item.submission?.artifactHashes.length !== 1 || manifest === undefined) return 'Exactly one artifact is due.'
  const isDue = manifest.mediaType === mediaType && manifest.schemaUri === schema && manifest.extensions?.[ARTIFACT_NAME]?.data === deliverableId
  if (!isDue) return `The artifact is not ${deliverableId} as the contract describes it.`
  const sources = new Set(manifest.sourceArtifactHashes)
  const isComplete = sources.size === sourceHashes.length && sourceHashes.every((hash) => sources.has(hash))
  return isComplete ? undefined : 'The artifact does not name the artifacts that it was made from.'
}

/** Every kind of evidence that a worker can give is there, and says what the content says. */
function evidenceFault({ contract, evidence }: WorkView, job: Job, finding: Finding): string | undefined {
  for (const criterion of contract?.acceptanceCriteria ?? []) {
    for (const type of evidenceTypesOf(criterion)) {
      const given = evidence.find((item) => item.type === type && item.criterionIds.includes(criterion.criterionId))
      if (given === undefined) return `Evidence of type ${type} for the criterion ${criterion.criterionId} is missing.`
      if (given.result !== expectedResult(criterion, type, job, finding)) return `The evidence for ${criterion.criterionId} says ${given.result}; the content says otherwise.`
    }
  }
  return undefined
}

function expectedResult({ criterionId }: AcceptanceCriterion, type: EvidenceType, job: Job, finding: Finding) {
  if (criterionId !== job) return 'inconclusive'
  return type === 'artifact_integrity' || type === 'schema_validation' ? 'passed' : finding.result
}

type Place = Pick<EvidenceDescription, 'missionId' | 'groupId'>

/** The reviewer's own Evidence. Right work that found something amiss is accepted, but its criterion is not called met. */
export function acceptingEvidence(item: WorkView, job: Job, finding: Finding, { missionId, groupId }: Place): EvidenceDescription[] {
  const artifactHashes = item.submission?.artifactHashes ?? []
  return (item.contract?.acceptanceCriteria ?? []).map(({ criterionId }) => {
    const isMet = criterionId === job && finding.result === 'passed'
    return {
      missionId,
      groupId,
      workItemId: item.workItemId,
      type: 'reviewer_assessment',
      subject: { type: 'work_item', id: item.workItemId },
      criterionIds: [criterionId],
      method: `Downloaded the artifact, hashed it, read it against its schema and made it again from its inputs: the bytes are the same. ${verdictOn(criterionId === job, isMet, finding)}`,
      result: isMet ? 'passed' : 'inconclusive',
      details: { ...finding.details },
      artifactHashes: [...artifactHashes],
    }
  })
}

function verdictOn(isOwn: boolean, isMet: boolean, finding: Finding): string {
  if (!isOwn) return 'Nothing in this review checks this criterion; the owner has to judge it.'
  return isMet ? `It says: ${countsIn(finding)}.` : `The work is right and the criterion is not met: ${countsIn(finding)}. The owner has to judge it.`
}

export function rejectingEvidence(item: WorkView, reason: string, { missionId, groupId }: Place): EvidenceDescription[] {
  return [
    {
      missionId,
      groupId,
      workItemId: item.workItemId,
      type: 'failure_report',
      subject: { type: 'work_item', id: item.workItemId },
      criterionIds: (item.contract?.acceptanceCriteria ?? []).map(({ criterionId }) => criterionId),
      method: `Reviewed the submitted artifact. ${reason}`,
      result: 'failed',
      details: { failure: 'RESULT_REJECTED' },
      artifactHashes: [],
    },
  ]
}
