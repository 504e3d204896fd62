// The one way by which stored Events reach a reader. Whoever may not read one gets a signed stand-in, so that no sequence is missing.
import type { GroupState } from '../authority/types.ts'
import type { Withholding } from '../authority/visibility.ts'
import { isAllOpen, isBeyondOffer, withholding } from '../authority/visibility.ts'
import { decodeEvent, signEvents } from './event-bytes.ts'
import type { ServiceIdentity } from './organization-keys.ts'
import type { LogEntry } from './ports.ts'
import type { SpaceActors } from './space-actors.ts'
import { standInFor } from './stand-in.ts'

export class ReaderView {
  readonly #actors: Pick<SpaceActors, 'read' | 'latest'>
  readonly #authority: ServiceIdentity

  constructor(actors: Pick<SpaceActors, 'read' | 'latest'>, authority: ServiceIdentity) {
    this.#actors = actors
    this.#authority = authority
  }

  /**
   * The entries of one Group, in ascending order, as this Principal may see them; a candidate gets none after its offer. A stand-in is made anew each time and is
   * always the same: Ed25519 signatures are, and it is dated like its original.
   */
  async show(principalId: string, groupId: string, entries: readonly LogEntry[]): Promise<readonly LogEntry[]> {
    const last = entries.at(-1)
    const state = last && (await this.#stateAt(groupId, last.sequence))
    if (!state) return entries
    const visible = state.candidacies.has(principalId) ? entries.filter(({ sequence }) => !isBeyondOffer(state, principalId, sequence)) : entries
    if (isAllOpen(state)) return visible
    const reasons = visible.map((entry) => withholding(state, principalId, entry.sequence))
    return Promise.all(visible.map((entry, index) => this.#shown(entry, reasons[index])))
  }

  /** A fold that knows this Event and what was decided since. It may be ahead of the log by a batch, which only withholds sooner. */
  async #stateAt(groupId: string, sequence: number): Promise<GroupState | undefined> {
    const latest = this.#actors.latest(groupId)
    if (latest && latest.head >= sequence) return latest.group
    return (await this.#actors.read(groupId)).group
  }

  async #shown(entry: LogEntry, why: Withholding | undefined): Promise<LogEntry> {
    if (!why) return entry
    const { bytes } = entry
    const [standIn] = await signEvents([standInFor({ event: decodeEvent(bytes), bytes }, why)], this.#authority)
    return standIn ? { ...entry, bytes: standIn.bytes } : entry
  }
}
