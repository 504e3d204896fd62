// Ordered, gapless Events of one Group: replay first, then live, pulled by the reader.
import type { EventDocument, Membership } from '../../protocol/generated/types.ts'
import type { Rejection } from '../../protocol/error-codes.ts'
import { reject } from '../../protocol/error-codes.ts'
import type { Result } from '../../protocol/result.ts'
import { err, ok } from '../../protocol/result.ts'
import type { GroupArchive } from '../authority/types.ts'
import { decodeEvent } from './event-bytes.ts'
import type { LogEntry } from './ports.ts'
import type { ReaderView } from './reader-view.ts'
import { groupNotFound } from './refusals.ts'
import type { Feeds, GroupFeed, Reads } from './service.ts'
import type { SpaceTail, SpaceTails } from './space-tails.ts'

export class TailFeeds implements Feeds {
  readonly #tails: SpaceTails
  readonly #reads: Pick<Reads, 'groupFor'>
  readonly #view: ReaderView

  constructor(tails: SpaceTails, reads: Pick<Reads, 'groupFor'>, view: ReaderView) {
    this.#tails = tails
    this.#reads = reads
    this.#view = view
  }

  async open(principalId: string, groupId: string, after: number): Promise<Result<GroupFeed, Rejection>> {
    const found = await this.#reads.groupFor(principalId, groupId)
    if (found === undefined) return err(groupNotFound())
    const { membershipEpoch, visibilityStartSequence } = found.membership
    const start = Math.max(after, visibilityStartSequence - 1)
    const gone = leftOnlineLog(found.state.archive, start)
    if (gone !== undefined) return err(gone)
    const tail = await this.#tails.follow(groupId)
    return ok(new TailFeed({ tails: this.#tails, tail, view: this.#view }, { principalId, membershipEpoch, after: start }))
  }

  onGrowth(listener: (spaceId: string, head: number) => void): () => void {
    return this.#tails.onGrowth(listener)
  }
}

/** what comes next was left to the snapshot when the Group was archived. */
function leftOnlineLog(archive: GroupArchive | undefined, after: number): Rejection | undefined {
  if (archive?.firstOnlineSequence === undefined || after + 1 >= archive.firstOnlineSequence) return undefined
  const { snapshotArtifactHash, throughSequence } = archive
  return reject('CURSOR_TOO_OLD', `Events up to ${throughSequence} are in the snapshot of this Group`, { snapshotArtifactHash, details: { throughSequence } })
}

interface Sources { readonly tails: SpaceTails; readonly tail: SpaceTail; readonly view: ReaderView }

class TailFeed implements GroupFeed {
  readonly #tails: SpaceTails
  readonly #tail: SpaceTail
  readonly #view: ReaderView
  readonly #principalId: string
  readonly #membershipEpoch: number
  #position: number
  #hasEnded = false
  #cancelWait: (() => void) | undefined

  constructor({ tails, tail, view }: Sources, start: { principalId: string; membershipEpoch: number; after: number }) {
    this.#tails = tails
    this.#tail = tail
    this.#view = view
    this.#principalId = start.principalId
    this.#membershipEpoch = start.membershipEpoch
    this.#position = start.after
  }

  async next(limit: number): Promise<readonly LogEntry[] | 'ended'> {
    let looked = this.#position
    while (!this.#hasEnded) {
      const stored = await this.#tail.after(looked, limit)
      const entries = await this.#view.show(this.#principalId, this.#tail.spaceId, stored)
      if (this.#hasEnded || this.#endedUnseen(stored, entries)) break
      // What is hidden now may be shown later, and then from where the reader is.
      if (entries.length > 0 && looked === this.#position) return this.#deliver(entries)
      looked = entries.length > 0 ? this.#position : await this.#beyond(looked, stored)
    }
    return 'ended'
  }

  /** A candidacy may end behind entries that are hidden from the candidate. */
  #endedUnseen(stored: readonly LogEntry[], shown: readonly LogEntry[]): boolean {
    const first = shown[0]?.sequence ?? Infinity
    const hasEnded = stored.some((entry) => entry.sequence < first && this.#endsMembership(entry))
    if (hasEnded) this.close()
    return hasEnded
  }

  /** Where to look on: behind entries that are hidden from a candidate, whose Membership may become active there. */
  async #beyond(looked: number, hidden: readonly LogEntry[]): Promise<number> {
    if (hidden.length > 0) return hidden.at(-1)!.sequence
    const growth = this.#tail.growth(looked)
    this.#cancelWait = growth.cancel
    await growth.done
    return looked
  }

  close(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#cancelWait?.()
    this.#tails.release(this.#tail)
  }

  /** The Event that ends the reader's Membership is the last one it gets. */
  #deliver(entries: readonly LogEntry[]): readonly LogEntry[] {
    const end = entries.findIndex((entry) => this.#endsMembership(entry))
    const delivered = end === -1 ? entries : entries.slice(0, end + 1)
    this.#position = delivered.at(-1)!.sequence
    if (end !== -1) this.close()
    return delivered
  }

  #endsMembership(entry: LogEntry): boolean {
    if (entry.kind !== 'membership.ended' && entry.kind !== 'membership.changed') return false
    const { membership } = decodeEvent(entry.bytes).payload as EventDocument['payload'] & { membership: Membership }
    // An end from before the reader came back belongs to an earlier Membership.
    return membership.member.id === this.#principalId && membership.state === 'ended' && membership.membershipEpoch >= this.#membershipEpoch
  }
}
