// The one sentence that says what a signature does. Its template has a number and a hash, which the page shows, so that
// two people who signed can tell whether they were asked the same thing.
import { sha256Hash } from '../../protocol/digest.ts'
import { counted } from '../mission/counted.ts'
import type { ApprovalView } from '../trpc.tsx'

export type Decision = 'approved' | 'changes_requested'

/** `undecided` heads the page before a button is chosen. */
export type Act = Decision | 'undecided'

const TEMPLATE = '{act} revision {revision} of “{title}”: {artifacts}, {since}.'
const ACTS: Readonly<Record<Act, string>> = { approved: 'Approve', changes_requested: 'Request changes to', undecided: 'Decide on' }

export const ACT_TEMPLATE = {
  version: 1,
  hash: sha256Hash(new TextEncoder().encode(JSON.stringify([TEMPLATE, ACTS]))),
} as const

/** The kind of the Approval, and by which template its sentences are worded. */
export const actWords = ({ isChild }: Pick<ApprovalView, 'isChild'>): string =>
  `This page asks for the ${isChild ? 'approval of a child mission' : 'final approval of a mission'}. Both sentences follow version ${ACT_TEMPLATE.version} of their template`

/** "Approve revision 17 of “X”: 6 artifacts, 2 changed, 1 added and 1 removed since your decision on revision 14." */
export function actSentence(view: ApprovalView, act: Act): string {
  const values: Readonly<Record<string, string>> = {
    act: ACTS[act],
    revision: String(view.pending?.missionRevision ?? view.mission.revision),
    title: view.mission.title,
    artifacts: counted(new Set(view.pending?.artifactHashes).size, 'artifact'),
    since: sinceLastDecision(view),
  }
  return TEMPLATE.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')
}

/** "You approved revision 17 of “X”.", above what waits for somebody else after this person signed. */
export function signedSentence({ mission, pending }: ApprovalView, { approval }: NonNullable<ApprovalView['signed']>): string {
  const signed = approval.decision === 'approved' ? 'approved' : 'requested changes to'
  return `You ${signed} revision ${pending?.missionRevision ?? mission.revision} of “${mission.title}”.`
}

/** "2 changed since your decision on revision 14", or that there was none. */
function sinceLastDecision(view: ApprovalView): string {
  const last = view.decisions[0]?.approval
  if (!last) return 'your first decision on this mission'
  const changes = [
    [view.artifacts.filter((artifact) => artifact.change === 'changed').length, 'changed'],
    [view.artifacts.filter((artifact) => artifact.change === 'added').length, 'added'],
    [view.removed.length, 'removed'],
  ] as const
  const words = changes.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`)
  return `${inWords(words) || 'none changed'} since your decision on revision ${last.missionRevision}`
}

const inWords = (words: readonly string[]): string => [words.slice(0, -1).join(', '), words.at(-1)].filter(Boolean).join(' and ')
