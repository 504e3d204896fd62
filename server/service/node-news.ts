// What has happened, told to everybody on this node who has to know, and what other nodes have done, taken over.
import type { EventDocument } from '../../protocol/generated/types.ts'
import type { Log } from '../log.ts'
import type { AgentMirror } from './agent-mirror.ts'
import { decodeEvent } from './event-bytes.ts'
import type { DirectoryIdentities } from './identities.ts'
import type { MembershipWatch } from './membership-watch.ts'
import type { LogEntry, WakeUps } from './ports.ts'
import type { OpenSpacesService } from './open-spaces/open-spaces-service.ts'
import type { PolicyMirror } from './policy-mirror.ts'
import type { ProfileMirror } from './profile-mirror.ts'
import type { RegistryMirror } from './registry-mirror.ts'
import type { SpaceActors } from './space-actors.ts'
import type { SpaceTails } from './space-tails.ts'

interface Needs {
  readonly wakeUps: WakeUps
  readonly organizationId: string
  readonly agents: AgentMirror
  readonly policies: PolicyMirror
  readonly profiles: ProfileMirror
  readonly tails: SpaceTails
  readonly watch: MembershipWatch
  readonly diagnostics: Log
}

interface Followers {
  readonly actors: SpaceActors
  readonly keys: RegistryMirror
  readonly identities: DirectoryIdentities
  readonly openSpaces: OpenSpacesService
}

export class NodeNews {
  readonly #needs: Needs
  #isOwn = false
  #unsubscribe = () => {}

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** Begins to listen to other nodes. */
  start(followers: Followers): void {
    const unsubscribe = this.#needs.wakeUps.subscribe(
      (spaceId) => {
        if (!this.#isOwn) void this.#heard(spaceId, followers)
      },
      () => this.#catchUp(followers),
    )
    this.#unsubscribe = () => void unsubscribe()
  }

  stop(): void {
    this.#unsubscribe()
  }

  /** Events that this node has just committed. */
  committed(spaceId: string, entries: readonly LogEntry[], memberIds: readonly string[]): void {
    const { tails, watch } = this.#needs
    if (this.#isMirrored(spaceId)) this.#mirror(entries.map((entry) => decodeEvent(entry.bytes)))
    tails.committed(spaceId, entries)
    watch.changed(memberIds)
    this.#publish(spaceId)
  }

  /** Events that were read from the log: another node's, or one's own after a fault hid that they were written. */
  read(spaceId: string, events: readonly EventDocument[], head: number): void {
    if (this.#isMirrored(spaceId)) this.#mirror(events)
    this.#needs.tails.reached(spaceId, head)
  }

  #isMirrored(spaceId: string): boolean {
    const { organizationId, policies } = this.#needs
    return spaceId === organizationId || spaceId === policies.spaceId
  }

  #mirror(events: readonly EventDocument[]): void {
    const { agents, policies, profiles } = this.#needs
    for (const event of events) {
      agents.apply(event)
      policies.apply(event)
      profiles.apply(event)
    }
  }

  /** Principals or keys have changed outside any log. */
  directoryChanged(): void {
    this.#publish(this.#needs.organizationId)
  }

  /** Wake-ups reach this node's own listener too, at once. */
  #publish(spaceId: string): void {
    this.#isOwn = true
    try {
      this.#needs.wakeUps.publish(spaceId)
    } finally {
      this.#isOwn = false
    }
  }

  /** Any Space in use here may have grown unheard. */
  #catchUp(followers: Followers): void {
    const { organizationId, policies, tails } = this.#needs
    followers.openSpaces.catchUp()
    for (const spaceId of new Set([organizationId, policies.spaceId, ...followers.actors.spaceIds, ...tails.spaceIds])) void this.#heard(spaceId, followers)
  }

  async #heard(spaceId: string, { actors, keys, identities, openSpaces }: Followers): Promise<void> {
    const { organizationId, policies, tails, watch, diagnostics } = this.#needs
    try {
      // An open Space has neither decisions nor Memberships.
      if (openSpaces.isOpen(spaceId)) return await tails.refresh(spaceId)
      actors.fallBehind(spaceId)
      watch.changedElsewhere()
      if (spaceId === organizationId) openSpaces.nodes.forget()
      await tails.refresh(spaceId)
      if (spaceId === policies.spaceId) await actors.read(spaceId)
      if (spaceId === organizationId) await Promise.all([keys.refresh(), identities.refresh(), actors.read(spaceId)])
    } catch (fault) {
      diagnostics.warn({ err: fault, spaceId }, 'what another node did could not be read yet')
    }
  }
}
