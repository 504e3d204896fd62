// What this node knows of accepted Commands without asking the database: enough to answer nearly every retry.
import { RecentMap } from '../recent-map.ts'
import type { CommandReceipt } from './ports.ts'

/** Where the Event of an accepted Command is, and the content that was accepted. */
export type AcceptedAction = Omit<CommandReceipt, 'commandBytes'>

const maximumActions = 50_000
const maximumSuspects = 10_000

const keyOf = (actorId: string, actionId: string) => `${actorId}\n${actionId}`

/**
 * Newest accepted Commands of all Spaces in use, oldest forgotten first. Absence proves nothing: the unique constraint on
 * receipts does, and a batch that it refuses has to be folded and decided again. Whoever caused that once is a suspect,
 * whose Commands are looked up beforehand, so that nobody can cause it again and again.
 */
export class AcceptedActions {
  readonly #actions = new RecentMap<string, AcceptedAction>(maximumActions)
  readonly #suspects = new RecentMap<string, true>(maximumSuspects)

  find(actorId: string, actionId: string): AcceptedAction | undefined {
    return this.#actions.get(keyOf(actorId, actionId))
  }

  add({ actorId, actionId, signingHash, spaceId, sequence }: AcceptedAction): void {
    // A copy, because a receipt holds the bytes of its Command.
    this.#actions.set(keyOf(actorId, actionId), { actorId, actionId, signingHash, spaceId, sequence })
  }

  isSuspect(actorId: string): boolean {
    return this.#suspects.get(actorId) === true
  }

  suspect(actorId: string): void {
    this.#suspects.set(actorId, true)
  }
}
