// How each kind of link looks and reads. The list is closed: the console draws no link that the log does not hold.
import type { GraphPage } from '../trpc.tsx'

export type EdgeProvenance = GraphPage['edges'][number]['provenance']

export interface ProvenanceStyle {
  /** Read from the newer entry to the older one: "#12 replies to #7". */
  readonly words: string
  readonly meaning: string
  /** Lengths of dashes and gaps; the word and the pattern carry the difference, never colour alone. */
  readonly dash: number[]
  readonly width: number
}

export const PROVENANCE: Readonly<Record<EdgeProvenance, ProvenanceStyle>> = {
  reply: { words: 'replies to', meaning: 'A Message names the Messages it answers.', dash: [], width: 1.5 },
  mention: { words: 'mentions', meaning: 'A Message names a participant.', dash: [1, 4], width: 1.5 },
  cause: { words: 'caused by', meaning: 'The Event names the entry that set it off.', dash: [6, 4], width: 1.25 },
  target: { words: 'corrects', meaning: 'A correction, retraction or redaction names its Message.', dash: [2, 2], width: 1.5 },
  source: { words: 'made from', meaning: 'An artifact names the artifacts it was made from.', dash: [10, 3, 2, 3], width: 1.25 },
  depends: { words: 'depends on', meaning: 'A Work Contract names the WorkItem it waits for.', dash: [12, 5], width: 1.25 },
  decides: { words: 'decides on', meaning: 'A signed decision names the artifacts it is about.', dash: [], width: 2.5 },
}

export const PROVENANCES = Object.keys(PROVENANCE) as readonly EdgeProvenance[]

/** Rank when one link has to stand for an entry's place in the tree. */
export const PROVENANCE_RANK: readonly EdgeProvenance[] = ['reply', 'target', 'cause', 'source', 'decides', 'depends', 'mention']
