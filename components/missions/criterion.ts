import type { AcceptanceCriterion, RequiredEvidence } from '../../protocol/generated/types.ts'

/** Kinds of evidence in words; the order is the order of the form. */
export const EVIDENCE_WORDS: Readonly<Record<RequiredEvidence, string>> = {
  artifact_integrity: 'Artifact integrity',
  schema_validation: 'Schema validation',
  deterministic_test: 'Deterministic test',
  policy_check: 'Policy check',
  business_rule: 'Business rule',
  reviewer_assessment: 'Reviewer assessment',
  human_review: 'Human review',
}

export const EVIDENCE_KINDS = Object.keys(EVIDENCE_WORDS) as readonly RequiredEvidence[]

const KEBAB_CASE = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
const LONGEST_ID = 128
const LONGEST_DESCRIPTION = 4000

export interface CriterionFault {
  readonly member: keyof AcceptanceCriterion
  /** What is wrong and what would be right. */
  readonly words: string
}

/** What is wrong with one criterion among the others, or undefined. */
export function criterionFault(criterion: AcceptanceCriterion, others: readonly AcceptanceCriterion[]): CriterionFault | undefined {
  const fault = (member: CriterionFault['member'], words: string): CriterionFault => ({ member, words })
  const { criterionId, description, evidenceRequired } = criterion
  if (!KEBAB_CASE.test(criterionId) || criterionId.length > LONGEST_ID) return fault('criterionId', 'Lower case, words joined by hyphens.')
  if (others.some((other) => other !== criterion && other.criterionId === criterionId)) return fault('criterionId', 'Another criterion has this name.')
  if (description.trim() === '') return fault('description', 'Say in one sentence what has to be true.')
  if (description.length > LONGEST_DESCRIPTION) return fault('description', `Shorten it to ${LONGEST_DESCRIPTION} characters.`)
  if (evidenceRequired.length === 0) return fault('evidenceRequired', 'Choose at least one kind of evidence, or nobody can tell when it is met.')
  return undefined
}
