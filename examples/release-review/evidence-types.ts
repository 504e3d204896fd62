import type { AcceptanceCriterion, RequiredEvidence } from '../../protocol/generated/types.ts'

/** Judgements that whoever did the work cannot give about it; the human one no Agent can give at all. */
const OF_OTHERS: ReadonlySet<RequiredEvidence> = new Set(['reviewer_assessment', 'human_review'])

/** Kinds of Evidence that the worker gives for a criterion: those required, or integrity where only others' judgement is. */
export function evidenceTypesOf({ evidenceRequired }: AcceptanceCriterion): readonly RequiredEvidence[] {
  const own = evidenceRequired.filter((type) => !OF_OTHERS.has(type))
  return own.length > 0 ? own : ['artifact_integrity']
}
