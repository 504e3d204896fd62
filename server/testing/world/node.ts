// One server of several on the same log: its Spaces in memory and what it knows of accepted Commands. The code is the real one.
import type { ServiceActor } from '../../../protocol/generated/types.ts'
import type { DecisionEnv } from '../../authority/types.ts'
import { AcceptedActions } from '../../service/accepted-actions.ts'
import type { OrganizationKeys } from '../../service/organization-keys.ts'
import type { ReadModels, SpaceLog } from '../../service/ports.ts'
import type { ActorNeeds, WorkOutcome } from '../../service/space-actor.ts'
import { SpaceActor } from '../../service/space-actor.ts'
import type { SpaceFold, SpaceWork } from '../../service/space-fold.ts'
import { newFold } from '../../service/space-fold.ts'
import { groupAuthority, organizationId, registry, router, urnOf } from '../cast.ts'

/** What both nodes have in common, as if every piece of news had reached them: keys, cards, sessions and the policy. */
export interface Surroundings {
  readonly log: SpaceLog
  readonly readModels: ReadModels
  readonly policySpaceId: string
  readonly facts: Pick<DecisionEnv, 'cardOf' | 'sessionEpochOf' | 'isAdmin' | 'isDataSchema'>
  readonly policies: ActorNeeds['policies']
  /** True time in milliseconds. */
  readonly nowMs: () => number
}

const signature = new Uint8Array(64)
const service = ({ id }: { id: string }) => ({ principal: { type: 'service', id } satisfies ServiceActor, keyId: urnOf('key'), publicKey: 'A'.repeat(43), sign: async () => signature, signNow: () => signature })
const organization: OrganizationKeys = { organizationId, name: 'World', createdAt: '2026-01-01T00:00:00.000Z', authority: service(groupAuthority), registry: service(registry), router: service(router), custodySecret: new Uint8Array(32) }

export class Node {
  /** How far this node's clock is off, in milliseconds; it may go back. */
  skewMs = 0
  readonly #surroundings: Surroundings
  #actors = new Map<string, SpaceActor>()
  #needs: ActorNeeds

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings
    this.#needs = this.#fresh()
  }

  /** Loses all that it had in memory. */
  restart(): void {
    this.#actors = new Map()
    this.#needs = this.#fresh()
  }

  submit(spaceId: string, work: SpaceWork): Promise<WorkOutcome> {
    return this.#actorOf(spaceId).submit(work)
  }

  /** Another node has written. */
  fallBehind(spaceId: string): void {
    this.#actors.get(spaceId)?.fallBehind()
  }

  /** The fold of all that is in the log, read as far as it is new to this node. */
  read(spaceId: string): Promise<SpaceFold> {
    return this.#actorOf(spaceId).read()
  }

  #actorOf(spaceId: string): SpaceActor {
    const actor = this.#actors.get(spaceId) ?? new SpaceActor(spaceId, this.#needs)
    this.#actors.set(spaceId, actor)
    return actor
  }

  #fresh(): ActorNeeds {
    const { log, readModels, facts, policies, policySpaceId, nowMs } = this.#surroundings
    const clock = { nowMs: () => nowMs() + this.skewMs, now: () => new Date(nowMs() + this.skewMs).toISOString() }
    const kindOf = (spaceId: string) => (spaceId === organizationId ? 'organization' : spaceId === policySpaceId ? 'policy' : 'mission')
    return {
      log,
      readModels,
      actions: new AcceptedActions(),
      clock,
      organization,
      facts,
      policies,
      openFold: async (spaceId) => newFold(kindOf(spaceId), spaceId),
      onCommitted: () => {},
      onFounded: ({ spaceId }) => this.fallBehind(spaceId),
      onIdle: () => {},
      onLoaded: () => {},
    }
  }
}
