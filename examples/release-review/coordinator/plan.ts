// From what has happened in a Group to what its Coordinator does next. Pure: same history, same context, same plan.
import type { ReviewParts } from '../jobs/report.ts'
import type { ReviewWork } from '../review-inputs.ts'
import { artifactHashesOf, partsIn } from '../review-inputs.ts'
import { JOBS } from '../review-jobs.ts'
import type { MissionHistory } from './mission-history.ts'
import { authorizations } from './plan-contracts.ts'
import { nextForWork } from './plan-work.ts'
import { currentWork, workItemIdOf } from './review-work.ts'
import { declinedProposalSentence, lapsedSentence, overdueSentence, risksOf, statusSentence, submissionSentence, summaryOf } from './sentences.ts'
import type { PlanContext, Situation } from './situation.ts'
import { DueTimes, say } from './situation.ts'
import type { Step } from './steps.ts'
import { command } from './steps.ts'

export interface Plan {
  readonly steps: readonly Step[]
  /** When to plan again if nothing happens before. */
  readonly wakeAtMs?: number
}

/** Steps that are due now, each once, in an order in which they can be taken. */
export function plan(history: MissionHistory, context: PlanContext): Plan {
  const { mission } = history.mirror
  if (mission === undefined || mission.coordinator.agentId !== context.me) return { steps: [] }
  const due = new DueTimes(context.nowMs)
  const steps = new Map([...stepsOf({ ...context, history, mission, due })].map((step) => [step.type === 'load' ? step.contentHash : step.name, step]))
  return { steps: [...steps.values()], ...(due.nextMs !== undefined && { wakeAtMs: due.nextMs }) }
}

function* stepsOf(situation: Situation): Generator<Step> {
  const { history, mission, due } = situation
  const lease = history.mirror.coordinatorLease
  if ((mission.state !== 'active' && mission.state !== 'awaiting_approval') || lease === undefined) return
  if (due.isDue(Date.parse(lease.expiresAt))) return yield* say(situation, { about: `lapsed:${lease.leaseId}`, text: lapsedSentence(), references: [], mentions: [mission.missionOwner] })
  yield* renewal(situation)
  if (history.mirror.isStocktakingDue) return yield { type: 'reconcile', name: `reconcile:${history.mirror.sequence}` }
  yield* answers(situation)
  if (mission.state === 'awaiting_approval') return yield* announcement(situation)
  if (due.isDue(Date.parse(mission.deadline))) return yield* say(situation, { about: 'overdue', text: overdueSentence(), references: [], mentions: [mission.missionOwner] })
  yield* authorizations(situation)
  const work = currentWork(history)
  for (const job of JOBS) yield* nextForWork(situation, job, work[job])
  yield* submission(situation, work)
}

/** At half-time, for as long again as before: a lease that has run out cannot be renewed. */
function* renewal({ history, due }: Situation): Generator<Step> {
  const lease = history.mirror.coordinatorLease
  if (lease === undefined) return
  const startMs = Date.parse(lease.lastRenewedAt ?? lease.startsAt)
  const lengthMs = Date.parse(lease.expiresAt) - startMs
  if (!due.isDue(startMs + lengthMs / 2)) return
  yield command(`renew:${lease.leaseId}:${lease.renewalCount}`, 'mission.renew_coordinator', { leaseSeconds: Math.max(1, Math.round(lengthMs / 1000)) })
}

/** People get an answer where they asked; what they propose is declined, because this Coordinator does one kind of work. */
function* answers(situation: Situation): Generator<Step> {
  const { history, mission, me } = situation
  for (const { messageId, conversationId, authorId, mentionedIds } of history.questions) {
    if (!mentionedIds.includes(me)) continue
    const text = statusSentence(mission, currentWork(history))
    yield* say(situation, { about: `answer:${messageId}`, text, references: [messageId], mentions: [{ type: 'human', id: authorId }], conversationId })
  }
  for (const { proposalId, proposedBy, contract } of history.mirror.proposals.values()) {
    yield* say(situation, { about: `proposal:${proposalId}`, text: declinedProposalSentence(contract.goal), references: [proposalId], mentions: [proposedBy] })
  }
}

function* announcement(situation: Situation): Generator<Step> {
  const { history, mission } = situation
  const last = history.mirror.submissions.at(-1)
  const eventId = history.submissionEventIds.at(-1)
  if (last === undefined || eventId === undefined) return
  const text = submissionSentence(last.missionRevision, last.summary)
  yield* say(situation, { about: `submitted:${last.submissionNumber}`, text, references: [eventId], mentions: [mission.missionOwner] })
}

/** Once every piece of the present round is verified. */
function* submission({ history, mission, contents }: Situation, work: ReviewWork): Generator<Step> {
  const items = JOBS.map((job) => work[job])
  const isPlanned = work.report?.workItemId === workItemIdOf(mission.missionId, 'report', history.requestedChanges.length)
  if (!isPlanned || items.some((item) => item?.state !== 'verified')) return
  const parts = yield* partsIn(work, contents)
  if (parts === undefined || !isWhole(parts)) return
  yield command(`submit:${history.mirror.submissions.length + 1}`, 'mission.submit_for_approval', {
    artifactHashes: [...new Set(artifactHashesOf(work))],
    summary: summaryOf(parts, work),
    openRisks: risksOf(parts, mission),
    dropped: [],
  })
}

const isWhole = (parts: Partial<ReviewParts>): parts is ReviewParts => parts.inventory !== undefined && parts.licences !== undefined && parts.links !== undefined
