// The policy in force as this node knows it, fed by the Space of the policy.
import type { EventDocument, EventPayloads, Policy } from '../../protocol/generated/types.ts'
import { POLICY_CHANGED } from '../../protocol/kinds.ts'
import { DEFAULT_POLICY, policySpaceIdOf } from '../authority/policy.ts'
import { decodeEntry } from './event-bytes.ts'
import type { DecodedEntry, SpaceLog } from './ports.ts'

export class PolicyMirror {
  readonly spaceId: string
  #current = DEFAULT_POLICY

  readonly #log: Pick<SpaceLog, 'read'>

  constructor(organizationId: string, log: Pick<SpaceLog, 'read'>) {
    this.spaceId = policySpaceIdOf(organizationId)
    this.#log = log
  }

  get current(): Policy {
    return this.#current
  }

  /** The Events that put the versions after this one in force, ascending, at most `limit`. */
  async history(after: number, limit: number): Promise<readonly DecodedEntry[]> {
    const changes: DecodedEntry[] = []
    // A version is never ahead of the sequence of its Event.
    for (let sequence = after; changes.length < limit; ) {
      const page = (await this.#log.read(this.spaceId, sequence, limit)).map(decodeEntry)
      changes.push(...page.filter(({ event }) => isChangeAfter(event, after)))
      if (page.length < limit) break
      sequence += page.length
    }
    return changes.slice(0, limit)
  }

  /** An Event of the policy's Space, by whichever node; an older one changes nothing. */
  apply({ kind, payload }: EventDocument): void {
    if (kind !== POLICY_CHANGED) return
    const { policy } = payload as unknown as EventPayloads[typeof POLICY_CHANGED]
    if (policy.version > this.#current.version) this.#current = policy
  }
}

function isChangeAfter({ kind, payload }: EventDocument, version: number): boolean {
  return kind === POLICY_CHANGED && (payload as unknown as EventPayloads[typeof POLICY_CHANGED]).policy.version > version
}
