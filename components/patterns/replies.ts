// What the loaded Messages of a Space say about one another: answers to checkpoints, bids on proposals.
import type { SpaceMessageView } from '../trpc.tsx'
import type { Bid } from './negotiation.ts'
import { readNegotiation } from './negotiation.ts'
import type { Answer } from './read-pattern.ts'
import { readSaid } from './read-pattern.ts'

/** Messages by the sequence of each Message that they answer, in log order. */
export type Replies = ReadonlyMap<number, readonly SpaceMessageView[]>

export function indexReplies(messages: readonly SpaceMessageView[]): Replies {
  const replies = new Map<number, SpaceMessageView[]>()
  for (const message of messages) {
    for (const answered of message.answers) {
      const known = replies.get(answered)
      if (known) known.push(message)
      else replies.set(answered, [message])
    }
  }
  return replies
}

export interface GivenAnswer { readonly message: SpaceMessageView; readonly answer: Answer }

/** What each Node answered last, in log order. Somebody may answer again; the last word counts, the others stay in the log. */
export function latestAnswers(replies: readonly SpaceMessageView[]): readonly GivenAnswer[] {
  const latest = new Map<string, GivenAnswer>()
  for (const message of replies) {
    const { said } = readSaid(message.content, message.contentType)
    if (said.type === 'answer') latest.set(message.author.nodeId, { message, answer: said })
  }
  return [...latest.values()].sort((a, b) => a.message.sequence - b.message.sequence)
}

export interface BidRow {
  readonly message: SpaceMessageView
  readonly bid: Bid
  readonly isChosen: boolean
}

/** The bids on a proposal, the last of each bidder, and which of them was chosen last. An assignment answers the bids that it weighed. */
export function bidRows(replies: readonly SpaceMessageView[], all: Replies): readonly BidRow[] {
  const latest = new Map<string, Omit<BidRow, 'isChosen'>>()
  const assignments: { readonly sequence: number; readonly agentId: string | undefined }[] = []
  for (const message of replies) {
    const bid = readNegotiation(message.content, message.contentType)
    if (bid?.type !== 'bid') continue
    latest.set(bid.bidderId ?? message.author.nodeId, { message, bid })
    for (const { content, contentType, sequence } of all.get(message.sequence) ?? []) {
      const record = readNegotiation(content, contentType)
      if (record?.type === 'assignment') assignments.push({ sequence, agentId: record.agentId })
    }
  }
  const chosen = assignments.sort((a, b) => a.sequence - b.sequence).at(-1)?.agentId
  return [...latest].map(([bidder, row]) => ({ ...row, isChosen: bidder === chosen }))
}
