// A review is of one submission at one revision. Anything that moved since voids it; this says what moved.
import { counted } from '../mission/counted.ts'
import type { ApprovalView } from '../trpc.tsx'
import { visibleText } from '../ui/visible-text.ts'

/** What differs between the review that was opened and the Mission now, in sentences; empty when nothing does. */
export function reviewDelta(opened: ApprovalView, now: ApprovalView): readonly string[] {
  const delta: string[] = []
  if (now.mission.revision !== opened.mission.revision) {
    delta.push(`Revision moved from ${opened.mission.revision} to ${now.mission.revision} while you were reading.`)
  }
  if (now.mission.state !== opened.mission.state) delta.push(`The mission went from ${words(opened.mission.state)} to ${words(now.mission.state)}.`)
  if (!opened.pending || !now.pending) {
    if (opened.pending) delta.push('The submission you were reading is no longer waiting for a decision.')
    if (now.pending) delta.push(`Submission ${now.pending.submissionNumber} arrived.`)
    return delta
  }
  if (now.pending.submissionNumber !== opened.pending.submissionNumber) {
    delta.push(`Submission ${now.pending.submissionNumber} replaced submission ${opened.pending.submissionNumber}.`)
  }
  if (now.pending.missionRevision !== opened.pending.missionRevision) {
    delta.push(`The submission now names revision ${now.pending.missionRevision} instead of ${opened.pending.missionRevision}.`)
  }
  const [before, after] = [new Set(opened.pending.artifactHashes), new Set(now.pending.artifactHashes)]
  const added = [...after].filter((hash) => !before.has(hash)).length
  const removed = [...before].filter((hash) => !after.has(hash)).length
  if (added > 0) delta.push(`${counted(added, 'artifact')} added.`)
  if (removed > 0) delta.push(`${counted(removed, 'artifact')} removed.`)
  if (added + removed === 0 && !isSameList(opened.pending.artifactHashes, now.pending.artifactHashes)) delta.push('The artifacts are listed in another order.')
  if (now.decider.id !== opened.decider.id) delta.push(`${visibleText(now.decider.name)} decides now.`)
  if (now.acceptancePolicyVersion !== opened.acceptancePolicyVersion) delta.push(`The acceptance policy is now version ${now.acceptancePolicyVersion}.`)
  if (!isSameList(opened.pending.openRisks, now.pending.openRisks)) delta.push('The open risks changed.')
  if (!isSameList(opened.pending.dropped.map((work) => work.workItemId), now.pending.dropped.map((work) => work.workItemId))) delta.push('The dropped work changed.')
  return delta
}

const words = (state: string): string => state.replaceAll('_', ' ')

const isSameList = (a: readonly string[], b: readonly string[]): boolean => a.length === b.length && a.every((item, index) => item === b[index])
