// The policy in force as this node knows it, fed by the Space of the policy.
import type { EventDocument, EventPayloads, Policy } from '../../protocol/generated/types.ts'
import { POLICY_CHANGED } from '../../protocol/kinds.ts'
import { DEFAULT_POLICY, policySpaceIdOf } from '../authority/policy.ts'

export class PolicyMirror {
  readonly spaceId: string
  #current = DEFAULT_POLICY

  constructor(organizationId: string) {
    this.spaceId = policySpaceIdOf(organizationId)
  }

  get current(): Policy {
    return this.#current
  }

  /** An Event of the policy's Space, by whichever node; an older one changes nothing. */
  apply({ kind, payload }: EventDocument): void {
    if (kind !== POLICY_CHANGED) return
    const { policy } = payload as unknown as EventPayloads[typeof POLICY_CHANGED]
    if (policy.version > this.#current.version) this.#current = policy
  }
}
