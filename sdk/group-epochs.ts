// The fences that this Agent must sign under in each Group, learnt from Events and from the list of Memberships.
import type {
  EventDocument,
  MembershipChangedPayload,
  MissionCoordinatorRenewedPayload,
  MissionCreatedPayload,
} from '../protocol/generated/types.ts'
import type { CommandEpochs } from './build-command.ts'

interface Known {
  membershipEpoch: number
  coordinatorEpoch: number
  isCoordinator: boolean
}

export class GroupEpochs {
  readonly #agentId: string
  readonly #groups = new Map<string, Known>()

  constructor(agentId: string) {
    this.#agentId = agentId
  }

  /** Undefined while no Membership in this Group is known. */
  of(groupId: string): Omit<CommandEpochs, 'sessionEpoch'> | undefined {
    const known = this.#groups.get(groupId)
    if (known === undefined || known.membershipEpoch === 0) return undefined
    const { membershipEpoch, coordinatorEpoch, isCoordinator } = known
    return { membershipEpoch, ...(isCoordinator && { coordinatorEpoch }) }
  }

  /** Events may come twice and out of order, so an epoch only ever rises. */
  observe(event: EventDocument): void {
    const { groupId, payload } = event
    if (groupId === undefined) return
    switch (event.kind) {
      case 'mission.created':
      case 'mission.follow_up.created': {
        const { memberships, mission } = payload as MissionCreatedPayload
        for (const membership of memberships) this.#member(groupId, membership.member.id, membership.membershipEpoch)
        return this.#coordinator(groupId, mission.coordinator.coordinatorEpoch, mission.coordinator.agentId)
      }
      case 'mission.coordinator.assigned':
      case 'mission.coordinator.renewed': {
        const { coordinatorEpoch, coordinatorLease } = payload as MissionCoordinatorRenewedPayload
        return this.#coordinator(groupId, coordinatorEpoch, coordinatorLease.holderAgentId)
      }
      case 'membership.changed':
      case 'membership.ended': {
        const { membership } = payload as MembershipChangedPayload
        return this.#member(groupId, membership.member.id, membership.membershipEpoch)
      }
    }
  }

  /** What the list of Memberships says of a Group. */
  adopt(groupId: string, membershipEpoch: number): void {
    this.#member(groupId, this.#agentId, membershipEpoch)
  }

  #member(groupId: string, memberId: string, membershipEpoch: number): void {
    if (memberId !== this.#agentId) return
    const known = this.#known(groupId)
    known.membershipEpoch = Math.max(known.membershipEpoch, membershipEpoch)
  }

  #coordinator(groupId: string, coordinatorEpoch: number, agentId: string): void {
    const known = this.#known(groupId)
    if (coordinatorEpoch < known.coordinatorEpoch) return
    known.coordinatorEpoch = coordinatorEpoch
    known.isCoordinator = agentId === this.#agentId
  }

  #known(groupId: string): Known {
    const known = this.#groups.get(groupId) ?? { membershipEpoch: 0, coordinatorEpoch: 0, isCoordinator: false }
    this.#groups.set(groupId, known)
    return known
  }
}
