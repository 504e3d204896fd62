// Whether a decision may be signed. The authority judges again; this keeps a person from signing what this machine
// could not vouch for. An artifact that fails its check bars approval; it never bars sending the work back, but is
// named in the signed comment.
import type { ArtifactCheck } from '../artifacts/artifact-check.ts'
import { counted } from '../mission/counted.ts'
import type { ApprovalView } from '../trpc.tsx'
import type { Decision } from './act-sentence.ts'
import { MAX_COMMENT_LENGTH, MAX_CONDITION_LENGTH, signedComments } from './approval-draft.ts'

export type ObstacleCode =
  | 'nothing-submitted' | 'not-decider' | 'review-moved' | 'no-key' | 'manifest-missing' | 'checking' | 'mismatch' | 'unreadable'
  | 'not-acknowledged' | 'comment-missing' | 'comment-too-long' | 'condition-too-long'

/** A reason why the button is off, in words that say what to do. */
export interface Obstacle {
  readonly code: ObstacleCode
  readonly sentence: string
  readonly contentHash?: string
}

export interface ReviewState {
  readonly view: ApprovalView
  /** By content hash. Absent means not fetched yet. */
  readonly checks: ReadonlyMap<string, ArtifactCheck>
  /** Hashes of artifacts without a preview that the person ticked. */
  readonly acknowledged: ReadonlySet<string>
  /** Hashes of artifacts whose preview was opened. */
  readonly opened: ReadonlySet<string>
  readonly comment: string
  readonly conditions: readonly string[]
  /** What moved since the review was opened. */
  readonly delta: readonly string[]
  /** Why there is no usable authority key here, if so. */
  readonly keyObstacle?: string
}

/** Every reason why this decision cannot be signed now; empty means that it can. */
export function obstaclesTo(decision: Decision, review: ReviewState): readonly Obstacle[] {
  return [
    ...standing(review),
    ...(decision === 'approved' ? artifactObstacles(review) : []),
    ...commentObstacles(decision, review),
  ]
}

/** What the signer should know although it stops nothing. */
export function warningsFor(decision: Decision, { view, checks, opened }: ReviewState): readonly string[] {
  if (decision !== 'approved') return []
  const unmet = view.criteria.filter((criterion) => !criterion.satisfied)
  const unread = view.artifacts.filter(({ contentHash }) => isPreviewable(checks.get(contentHash)) && !opened.has(contentHash))
  const unreadCount = new Set(unread.map((artifact) => artifact.contentHash)).size
  return [
    ...unmet.map(({ criterionId }) => `“${criterionId}” is not proven.`),
    ...(unreadCount > 0 ? [`You have not opened the preview of ${counted(unreadCount, 'artifact')}.`] : []),
  ]
}

/** Sentences that go into the signed comment: what was ticked unseen, or what failed its check when work is sent back. */
export function remarksFor(decision: Decision, { view, checks, acknowledged }: ReviewState): readonly string[] {
  return distinctArtifacts(view).flatMap(({ contentHash, name }) => {
    const check = checks.get(contentHash)
    if (decision === 'approved') return acknowledged.has(contentHash) ? [`Approved without preview: ${name} (${contentHash})`] : []
    return check?.state === 'mismatch' || check?.state === 'unreadable' ? [`Not verified: ${name} (${contentHash}): ${check.reason}`] : []
  })
}

function standing({ view, delta, keyObstacle }: ReviewState): Obstacle[] {
  if (!view.pending || view.mission.state !== 'awaiting_approval') {
    return [{ code: 'nothing-submitted', sentence: 'Nothing waits for a decision on this mission.' }]
  }
  const { decider, mission: { me } } = view
  const obstacles: Obstacle[] = []
  if (decider.id !== me.principalId) obstacles.push({ code: 'not-decider', sentence: view.signed ? `You have signed your decision; ${decider.name} decides next.` : `Only ${decider.name} can decide now.` })
  if (delta.length > 0) obstacles.push({ code: 'review-moved', sentence: 'The mission moved while you were reading. See what changed and start the review again.' })
  if (keyObstacle !== undefined) obstacles.push({ code: 'no-key', sentence: keyObstacle })
  return obstacles
}

function artifactObstacles({ view, checks, acknowledged }: ReviewState): Obstacle[] {
  const manifests = distinctArtifacts(view)
  const known = new Map(manifests.map((artifact) => [artifact.contentHash, artifact]))
  const submitted = new Set(view.pending?.artifactHashes)
  const unlisted = manifests.filter(({ contentHash }) => !submitted.has(contentHash))
  return [
    ...unlisted.map(({ name, contentHash }): Obstacle => ({ code: 'manifest-missing', contentHash, sentence: `${name} is shown but was not submitted. Reload the page.` })),
    ...[...submitted].flatMap((contentHash): Obstacle[] => {
      const name = known.get(contentHash)?.name
      if (name === undefined) return [{ code: 'manifest-missing', contentHash, sentence: `A submitted artifact has no manifest: ${contentHash}. Request changes.` }]
      return obstacleOf(checks.get(contentHash), name, contentHash, acknowledged)
    }),
  ]
}

function obstacleOf(check: ArtifactCheck | undefined, name: string, contentHash: string, acknowledged: ReadonlySet<string>): Obstacle[] {
  if (check === undefined || check.state === 'checking') return [{ code: 'checking', contentHash, sentence: `${name} is still being fetched and hashed.` }]
  if (check.state !== 'match') {
    const verdict = check.state === 'mismatch' ? 'does not match' : 'cannot be read'
    return [{ code: check.state, contentHash, sentence: `${name} ${verdict}: ${check.reason}. Request changes, or try again.` }]
  }
  if (check.preview.kind !== 'none' || acknowledged.has(contentHash)) return []
  return [{ code: 'not-acknowledged', contentHash, sentence: `${name} cannot be shown here. Download it and tick it.` }]
}

function commentObstacles(decision: Decision, review: ReviewState): Obstacle[] {
  const obstacles: Obstacle[] = []
  if (decision === 'changes_requested' && review.comment.trim() === '') {
    obstacles.push({ code: 'comment-missing', sentence: 'Say in the comment what has to change.' })
  }
  const signed = signedComments({ comment: review.comment, remarks: remarksFor(decision, review) })
  if ([...signed].length > MAX_COMMENT_LENGTH) obstacles.push({ code: 'comment-too-long', sentence: `The comment with its remarks is longer than ${MAX_COMMENT_LENGTH} characters.` })
  if (review.conditions.some((condition) => [...condition.trim()].length > MAX_CONDITION_LENGTH)) {
    obstacles.push({ code: 'condition-too-long', sentence: `A condition is longer than ${MAX_CONDITION_LENGTH} characters.` })
  }
  return obstacles
}

const isPreviewable = (check: ArtifactCheck | undefined): boolean => check?.state === 'match' && check.preview.kind !== 'none'

/** The same content may be published under several WorkItems; it is decided on once. */
function distinctArtifacts(view: ApprovalView): ApprovalView['artifacts'] {
  return [...new Map(view.artifacts.map((artifact) => [artifact.contentHash, artifact])).values()]
}
