// What a submission and its review have to prove, and who may say so.
import type { AcceptanceCriterion, Evidence, RequiredEvidence } from '../../protocol/generated/types.ts'
import { reject } from '../../protocol/error-codes.ts'
import type { Witness } from './evidence.ts'
import { isSender } from './evidence.ts'
import type { Refusal } from './fences.ts'
import type { MemberRequest } from './request.ts'
import type { WorkRecord } from './types.ts'

/** Judgements that whoever did the work cannot give about it; the human one is the final Approval's. */
const OF_OTHERS: ReadonlySet<RequiredEvidence> = new Set(['reviewer_assessment', 'human_review'])

/** Every criterion is met with at least one Evidence, and with each kind that it asks of the producer. */
export function uncoveredCriterion({ item }: WorkRecord, evidence: readonly Evidence[]): Refusal {
  for (const criterion of item.contract.acceptanceCriteria) {
    const types = typesFor(criterion, evidence)
    if (types.size === 0) return reject('INVALID_COMMAND', `no Evidence for the criterion ${criterion.criterionId}`)
    const missing = criterion.evidenceRequired.find((type) => !OF_OTHERS.has(type) && !types.has(type))
    if (missing) return lacking(criterion, missing)
  }
  return undefined
}

/** A criterion that asks for a reviewer's assessment is not met without one. */
export function unassessedCriterion({ item }: WorkRecord, review: readonly Evidence[]): Refusal {
  const isUnassessed = (criterion: AcceptanceCriterion): boolean =>
    criterion.evidenceRequired.includes('reviewer_assessment') && !typesFor(criterion, review).has('reviewer_assessment')
  const criterion = item.contract.acceptanceCriteria.find(isUnassessed)
  return criterion && lacking(criterion, 'reviewer_assessment')
}

function typesFor({ criterionId }: AcceptanceCriterion, evidence: readonly Evidence[]): ReadonlySet<Evidence['type']> {
  return new Set(evidence.filter(({ criterionIds }) => criterionIds.includes(criterionId)).map(({ type }) => type))
}

function lacking({ criterionId }: AcceptanceCriterion, type: RequiredEvidence): Refusal {
  return reject('INVALID_COMMAND', `no ${type} Evidence for the criterion ${criterionId}`, { details: { criterionId, evidenceType: type } })
}

/** The reviewing Coordinator, or another Agent of the Group that did not produce the result. */
export const isReviewer: Witness = (request, record, generatedBy) => {
  if (isSender(request, record, generatedBy)) return true
  const membership = request.state.memberships.get(generatedBy.id)
  const isMember = membership?.state === 'active' && membership.role !== 'observer' && membership.member.type === 'agent'
  return isMember && generatedBy.type === 'agent' && generatedBy.id !== record.item.owner?.agentId
}

/** a Coordinator that owns the work needs somebody else's Evidence as well. */
export function soleReviewer({ command }: MemberRequest, { item }: WorkRecord, review: readonly Evidence[]): Refusal {
  const owner = item.owner?.agentId
  if (owner !== command.actor.id || review.some(({ generatedBy }) => generatedBy.id !== owner)) return undefined
  return reject('AUTH_FORBIDDEN', 'nobody is the only reviewer of its own output')
}
