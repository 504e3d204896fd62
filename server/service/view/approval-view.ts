// What the approver decides on: the exact revision and artifact set, what changed since their last decision, evidence by criterion.
import type { Approval, Artifact, Evidence } from '../../../protocol/generated/types.ts'
import { resultManifests } from '../../authority/artifact.ts'
import type { GroupState, Submission } from '../../authority/types.ts'
import type { ApprovalView, ArtifactView } from '../views.ts'
import { deciderOf } from './decider.ts'
import { artifactViews, missionView } from './mission-view.ts'
import type { StatusContext } from './status-line.ts'

export function approvalView(state: GroupState, context: StatusContext): ApprovalView {
  const pending = state.submissions.findLast((submission) => submission.outcome === 'pending')
  const shown = pending ?? state.submissions.at(-1)
  const decided = state.submissions.filter((submission) => submission !== pending && signedBy(context.me, submission))
  const previous = decided.filter((submission) => submission !== shown).at(-1)
  const results = artifactViews(state, context).filter(({ artifact }) => resultManifests(state, artifact.contentHash).includes(artifact))
  const [signed] = pending ? decisionsOn([pending], state, context.me) : []
  const byHash = new Map(results.map((view) => [view.contentHash, view]))
  const views = (hashes: readonly string[]) => hashes.flatMap((hash) => byHash.get(hash) ?? [])
  const now = views(shown?.artifactHashes ?? [])
  const before = views(previous?.artifactHashes ?? [])
  return {
    mission: missionView(state, context),
    decider: context.name(deciderOf(state)),
    isChild: state.parentLink !== undefined,
    ...(pending && { pending: pendingView(pending, state) }),
    artifacts: now.map((view) => ({ ...view, ...changeOf(view, before) })),
    removed: before.filter((old) => !now.some((view) => view.name === old.name)),
    criteria: criteriaOf(state, now.map((view) => view.artifact)),
    ...(signed && { signed }),
    decisions: decisionsOn(decided, state, context.me).reverse(),
    acceptancePolicyVersion: state.mission.approvalPolicy.policyVersion ?? '1.0.0',
  }
}

function decisionsOn(submissions: readonly Submission[], state: GroupState, principalId: string): { approval: Approval; sequence: number }[] {
  return submissions.flatMap((submission) => {
    const approval = signedBy(principalId, submission)
    return approval ? [{ approval, sequence: state.sequenceOf.get(approval.approvalId) ?? submission.sequence }] : []
  })
}

/** What this person signed about a submission, as its owner or at the root. */
const signedBy = (principalId: string, { approval, rootDecision }: Submission): Approval | undefined => [approval, rootDecision].find((signed) => signed?.approver.id === principalId)

function pendingView({ approval: _, rootDecision: __, outcome: ___, dropped, ...submission }: Submission, state: GroupState): NonNullable<ApprovalView['pending']> {
  return { ...submission, dropped: dropped.map(({ workItemId, reason }) => ({ workItemId, reason, goal: state.workItems.get(workItemId)?.item.contract.goal ?? 'unknown work' })) }
}

/** Compared by name: the same name with another hash is a changed artifact. */
function changeOf(view: ArtifactView, before: readonly ArtifactView[]): { change: 'added' | 'changed' | 'same'; previousHash?: string } {
  const old = before.find((candidate) => candidate.name === view.name)
  if (!old) return { change: 'added' }
  return old.contentHash === view.contentHash ? { change: 'same' } : { change: 'changed', previousHash: old.contentHash }
}

/**
 * Evidence for each criterion of the definition of done: what the WorkItems behind the submitted artifacts brought under the same
 * criterion id, submission and review alike. A required kind without a passed Evidence leaves the criterion unsatisfied.
 */
function criteriaOf(state: GroupState, artifacts: readonly Artifact[]): ApprovalView['criteria'] {
  const contributing = new Set(artifacts.map((artifact) => artifact.workItemId))
  const evidence = [...state.workItems.values()].filter(({ item }) => contributing.has(item.workItemId) && item.state === 'verified').flatMap((record) => [...record.evidence, ...record.acceptedEvidence])
  return state.mission.definitionOfDone.map(({ criterionId, description, evidenceRequired }) => {
    const required = evidenceRequired.map((type) => ({ type, evidence: matching(evidence, criterionId, type).map((item) => ({ ...item, sequence: state.sequenceOf.get(item.evidenceId) ?? 0 })) }))
    return { criterionId, description, required, satisfied: required.every((need) => need.evidence.some((item) => item.result === 'passed') && need.evidence.every((item) => item.result !== 'failed')) }
  })
}

function matching(evidence: readonly Evidence[], criterionId: string, type: string): readonly Evidence[] {
  return evidence.filter((item) => item.type === type && item.criterionIds.includes(criterionId))
}
