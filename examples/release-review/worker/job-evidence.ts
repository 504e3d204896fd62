// The Evidence that a worker gives with its result: one for every criterion and kind that is asked of it, and nothing that it did not check.
import packageManifest from '../../../package.json' with { type: 'json' }
import type { AcceptanceCriterion, RequiredEvidence, WorkContract } from '../../../protocol/generated/types.ts'
import type { EvidenceDescription, ExecutionLease } from '../../../sdk/index.ts'
import { evidenceTypesOf } from '../evidence-types.ts'
import type { Finding } from '../findings.ts'
import { findingOf } from '../findings.ts'
import type { JobContent } from '../job-content.ts'
import { JOB_DESCRIPTIONS } from '../review-jobs.ts'
import type { JobFailure } from './job-run.ts'

export const TOOL = { name: 'countersign-release-review', version: packageManifest.version }

interface HandedIn {
  readonly lease: ExecutionLease
  readonly contract: WorkContract
  readonly content: JobContent
  readonly contentHash: string
}

type Statement = Pick<EvidenceDescription, 'method' | 'result' | 'details'>

/** A result that is not in order (denied licences, broken links) is stated as `failed`: the work was done, the truth is signed. */
export function evidenceFor(result: HandedIn): EvidenceDescription[] {
  const { lease, contract, contentHash } = result
  const { missionId, groupId, workItemId } = lease
  return contract.acceptanceCriteria.flatMap((criterion) =>
    evidenceTypesOf(criterion).map((type) => ({
      missionId,
      groupId,
      workItemId,
      type,
      subject: { type: 'artifact' as const, id: contentHash },
      criterionIds: [criterion.criterionId],
      artifactHashes: [contentHash],
      toolVersion: `${TOOL.name} ${TOOL.version}`,
      ...statementOn(criterion, type, result),
    })),
  )
}

function statementOn({ criterionId }: AcceptanceCriterion, type: RequiredEvidence, { content, contentHash }: HandedIn): Statement {
  const { job } = content
  if (criterionId !== job) return { result: 'inconclusive', method: 'This worker has no check for this criterion. The report states what was checked.', details: {} }
  switch (type) {
    case 'artifact_integrity':
      return { result: 'passed', method: 'Fetched the stored artifact again and compared its SHA-256 with the published content hash.', details: { contentHash } }
    case 'schema_validation':
      return { result: 'passed', method: `Read the artifact back and checked it against ${JOB_DESCRIPTIONS[job].deliverable.schema}.`, details: { ...findingOf(content).details } }
    default:
      return statementOf(findingOf(content))
  }
}

const statementOf = ({ result, method, details }: Finding): Statement => ({ result, method, details: { ...details } })

export function failureEvidence({ missionId, groupId, workItemId }: ExecutionLease, contract: WorkContract, { code, message }: JobFailure): EvidenceDescription {
  return {
    missionId,
    groupId,
    workItemId,
    type: 'failure_report',
    subject: { type: 'work_item', id: workItemId },
    criterionIds: contract.acceptanceCriteria.map(({ criterionId }) => criterionId),
    method: message,
    result: 'failed',
    details: { failure: code },
    artifactHashes: [],
    toolVersion: `${TOOL.name} ${TOOL.version}`,
  }
}
