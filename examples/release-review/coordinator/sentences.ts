// What the Coordinator says, in plain words.
import type { Mission } from '../../../protocol/generated/types.ts'
import type { WorkView } from '../../../sdk/index.ts'
import { isBroken } from '../jobs/link-check.ts'
import { defaultAllowedLicences } from '../jobs/licence-policy.ts'
import type { ReviewParts } from '../jobs/report.ts'
import { openRisks } from '../jobs/report.ts'
import type { ReviewWork } from '../review-inputs.ts'
import { constraintsOf, JOB_DESCRIPTIONS, JOBS } from '../review-jobs.ts'
import { isForeign } from './work-contracts.ts'

const LONGEST_RISK = 2000

const count = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`
const quoted = (item: WorkView | undefined): string => `“${item?.contract?.goal ?? 'unknown work'}”`

export function introduction(): string {
  const goals = JOBS.map((job) => JOB_DESCRIPTIONS[job].goal).map((goal) => `${goal.charAt(0).toLowerCase()}${goal.slice(1)}`)
  return [
    `I split this review into ${goals.length} pieces of work: ${goals.join('; ')}. The licence check waits for the list, the report for all three.`,
    `Allowed licences: ${defaultAllowedLicences.join(', ')}. To allow others, name them when you request changes.`,
  ].join('\n')
}

/** What the owner reads first about a submission. */
export function summaryOf({ inventory, licences, links }: ReviewParts, { report }: ReviewWork): string {
  const refused = licences.findings.filter(({ verdict }) => verdict !== 'allowed').length
  const broken = links.links.filter(isBroken).length
  const { changeRequest } = report?.contract ? constraintsOf(report.contract) : {}
  return [
    `${count(inventory.dependencies.length, 'dependency', 'dependencies')} listed, ${refused === 0 ? 'all' : `${refused} not`} under allowed licences.`,
    `${count(links.links.length, 'link')} in ${count(links.files.length, 'Markdown file')} looked at, ${broken === 0 ? 'none' : broken} broken.`,
    'report.md joins the findings.',
    ...(changeRequest ? [`Since the last revision: ${changeRequest.answer}`] : []),
  ].join(' ')
}

/** Open points of the report, and the criteria that nothing in this review can answer. */
export function risksOf(parts: ReviewParts, { definitionOfDone }: Mission): string[] {
  const foreign = definitionOfDone.filter(isForeign).map(({ criterionId, description }) => `Nothing in this review checks the criterion ${criterionId}: ${description}`)
  const human = definitionOfDone
    .filter(({ evidenceRequired }) => evidenceRequired.includes('human_review'))
    .map(({ criterionId }) => `The criterion ${criterionId} asks for a human review, which no agent can give`)
  return [...openRisks(parts), ...foreign, ...human].map((risk) => [...risk].slice(0, LONGEST_RISK).join(''))
}

export function statusSentence(mission: Mission, work: ReviewWork): string {
  if (mission.state === 'awaiting_approval') return `Revision ${mission.revision} is finished and waits for the owner's decision.`
  const items = JOBS.map((job) => work[job])
  const verified = items.filter((item) => item?.state === 'verified').length
  const open = items.flatMap((item) => (item && item.state !== 'verified' ? [`${quoted(item)} ${stateWords(item, work)}`] : []))
  return [`${verified} of ${items.length} pieces of work are verified.`, ...(open.length > 0 ? [`${open.join('; ')}.`] : [])].join(' ')
}

function stateWords(item: WorkView, work: ReviewWork): string {
  const waitsFor = Object.values(work).filter(({ workItemId, state }) => item.contract?.dependencyWorkItemIds.includes(workItemId) && state !== 'verified')
  if (item.state === 'queued' && waitsFor.length > 0) return `waits for ${waitsFor.map(quoted).join(' and ')}`
  switch (item.state) {
    case 'open':
    case 'offered':
      return 'waits for a worker'
    case 'active':
      return 'is being worked on'
    case 'submitted':
      return 'is being reviewed'
    case 'failed':
      return `failed: ${item.reason ?? 'no reason was given'}`
    case 'cancelled':
      return 'was cancelled, and the report needs it'
    default:
      return 'is about to start'
  }
}

export const submissionSentence = (missionRevision: number, summary: string): string => `Revision ${missionRevision} waits for your decision. ${summary}`

export const stuckSentence = (item: WorkView, offers: number): string =>
  item.state === 'cancelled'
    ? `${quoted(item)} was cancelled. The report needs it, so I cannot finish this review.`
    : `${quoted(item)} did not succeed in ${count(offers, 'attempt')}: ${item.reason ?? 'nobody took it'} I stop here. Mention me and say “again” once the cause is gone.`

export const missingWorkerSentence = (capability: string): string => `No agent with the capability ${capability} is online. I offer the work as soon as one is.`

export const declinedProposalSentence = (goal: string): string => `I plan release reviews only and do not take on “${goal}”.`

export const lapsedSentence = (): string => 'My Coordinator lease ran out before I could renew it. I may no longer act in this mission; its owner can put me or another Agent in charge again.'

export const overdueSentence = (): string => "The deadline of this mission has passed before the review was finished. I hand out no further work."
