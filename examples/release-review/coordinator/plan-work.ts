// One WorkItem on its way from authorized to verified: offers, further attempts, reviews.
import type { WorkContract } from '../../../protocol/generated/types.ts'
import type { WorkView } from '../../../sdk/index.ts'
import { artifactHashesOf, artifactHashOf, inputsOf, partsIn } from '../review-inputs.ts'
import type { Job } from '../review-jobs.ts'
import type { Failure } from './mission-history.ts'
import { acceptingEvidence, rejectingEvidence, reviewResult } from './result-review.ts'
import { missingWorkerSentence, stuckSentence } from './sentences.ts'
import type { Situation } from './situation.ts'
import { say } from './situation.ts'
import type { Step } from './steps.ts'
import { command } from './steps.ts'
import { RETRY_POLICY } from './work-contracts.ts'
import { chooseWorker, selectionBasis } from './worker-choice.ts'

const OFFER_SECONDS = 120
/** How soon to look again for a Worker that is online, and how long its absence goes unmentioned. */
const LOOK_AGAIN_MS = 3_000
const MENTION_AFTER_MS = 60_000
const LONGEST_DELAY_MS = 60_000

interface Task {
  readonly job: Job
  readonly item: WorkView
  readonly contract: WorkContract
  /** How often it was offered. */
  readonly offers: number
}

export function* nextForWork(situation: Situation, job: Job, item: WorkView | undefined): Generator<Step> {
  if (item?.contract === undefined) return
  const task: Task = { job, item, contract: item.contract, offers: situation.history.offers.get(item.workItemId)?.length ?? 0 }
  const { due } = situation
  switch (item.state) {
    case 'open':
      return yield* offer(situation, task)
    case 'offered':
      if (item.offers.every(({ status, expiresAt }) => status !== 'pending' || due.isDue(Date.parse(expiresAt)))) yield* offer(situation, task)
      return
    case 'queued':
      if (isReady(situation, task) && due.isDue(Date.parse(item.ownershipLease?.expiresAt ?? ''))) yield* offer(situation, task)
      return
    case 'failed':
      if (due.isDue(nextAttemptMs(situation.history.failures.get(item.workItemId)))) yield* offer(situation, task)
      return
    case 'cancelled':
      return yield* stuck(situation, task)
    case 'submitted':
      return yield* review(situation, task)
  }
}

/** An owner whose promise ran out while it waited for others is given time; one that could have started is not. */
function isReady({ history }: Situation, { contract }: Task): boolean {
  return contract.dependencyWorkItemIds.every((id) => history.mirror.workItems.get(id)?.state === 'verified')
}

const nextAttemptMs = (failure: Failure | undefined): number => (failure ? failure.atMs + Math.min(LONGEST_DELAY_MS, 1000 * 2 ** (failure.count - 1)) : 0)

function* offer(situation: Situation, task: Task): Generator<Step> {
  const { history, agents, nowMs, due, mission } = situation
  const { item, contract, offers } = task
  const [required] = contract.requiredCapabilities
  if (required === undefined) return
  if (!mayBeOffered(situation, task)) return yield* stuck(situation, task)
  const choice = chooseWorker(history.mirror, agents, required)
  if (choice === undefined) {
    due.isDue(nowMs + LOOK_AGAIN_MS)
    const isLong = due.isDue(Date.parse(mission.createdAt) + MENTION_AFTER_MS)
    if (isLong) yield* say(situation, { about: `missing:${required.id}`, text: missingWorkerSentence(required.id), references: [item.workItemId] })
    return
  }
  const { agentId } = choice.agent
  if (!choice.isMember) yield command(`admit:${agentId}`, 'membership.change', { member: { type: 'agent', id: agentId }, role: 'worker' })
  const payload = {
    workItemId: item.workItemId,
    candidateAgentIds: [agentId],
    selectionBasis: selectionBasis(choice, required, nowMs),
    offerExpiresInSeconds: OFFER_SECONDS,
    ...(offers >= contract.retryPolicy.maxAttempts && { contract: withMoreAttempts(contract, offers) }),
  }
  yield command(`offer:${item.workItemId}:${offers}`, 'work.offer', payload, { workItemId: item.workItemId })
}

/** What a person granted beyond the contract takes a contract that says so. */
function withMoreAttempts(contract: WorkContract, offers: number): WorkContract {
  const retryPolicy = { ...contract.retryPolicy, maxAttempts: offers + RETRY_POLICY.maxAttempts }
  return { ...contract, contractVersion: contract.contractVersion + 1, retryPolicy }
}

/** The retry policy bounds the attempts; a person who says “again” grants as many anew. */
function mayBeOffered({ history, me }: Situation, { item, contract }: Task): boolean {
  const { retryableFailures } = contract.retryPolicy
  const again = history.questions.findLast(({ mentionedIds, text }) => mentionedIds.includes(me) && /\b(?:again|retry)\b/i.test(text))?.sequence ?? 0
  const attempts = (history.offers.get(item.workItemId) ?? []).filter((sequence) => sequence > again).length
  if (attempts >= RETRY_POLICY.maxAttempts) return false
  const failure = item.state === 'failed' ? history.failures.get(item.workItemId) : undefined
  return failure === undefined || retryableFailures.includes(failure.code) || failure.sequence < again
}

function* stuck(situation: Situation, { item, offers }: Task): Generator<Step> {
  const about = `stuck:${item.workItemId}:${item.state}:${offers}`
  yield* say(situation, { about, text: stuckSentence(item, offers), references: [item.workItemId], mentions: [situation.mission.missionOwner] })
}

function* review(situation: Situation, { job, item, contract, offers }: Task): Generator<Step> {
  const { history, contents, mission } = situation
  const inputs = inputsOf(history.mirror, contract)
  const known = yield* partsIn(inputs, contents)
  const contentHash = artifactHashOf(item)
  if (known === undefined || contentHash === undefined) return
  if (!contents.has(contentHash)) return yield { type: 'load', contentHash }
  const manifest = history.mirror.artifacts.get(contentHash)
  const reviewed = reviewResult({ job, item, manifest, bytes: contents.get(contentHash), known, sourceHashes: artifactHashesOf(inputs) })
  const { workItemId } = item
  if (reviewed.ok) {
    yield { type: 'verdict', name: `accept:${workItemId}:${offers}`, workItemId, evidence: acceptingEvidence(item, job, reviewed.value, mission) }
  } else {
    const reason = reviewed.error
    yield { type: 'verdict', name: `reject:${workItemId}:${offers}`, workItemId, reason, evidence: rejectingEvidence(item, reason, mission) }
  }
}
