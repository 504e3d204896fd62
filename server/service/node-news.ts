// What has happened, told to everybody on this node who has to know, and what other nodes have done, taken over.
import type { EventDocument } from '../../protocol/generated/types.ts'
import type { Log } from '../log.ts'
import type { AgentMirror } from './agent-mirror.ts'
import { decodeEvent } from './event-bytes.ts'
import type { DirectoryIdentities } from './identities.ts'
import type { MembershipWatch } from './membership-watch.ts'
import type { Directory, LogEntry, SpaceLog, WakeUps } from './ports.ts'
import type { OpenSpacesService } from './open-spaces/open-spaces-service.ts'
import type { PolicyMirror } from './policy-mirror.ts'
import type { ProfileMirror } from './profile-mirror.ts'
import type { RegistryMirror } from './registry-mirror.ts'
import type { SpaceActors } from './space-actors.ts'
import type { SpaceTails } from './space-tails.ts'

/** A node may end between a commit and the wake-up that it owes: so long at most does what it did go unheard. */
const lookEveryMs = 30_000
/** After what another node did could not be read. */
const hearAgainMs = 5_000

interface Needs {
  readonly log: Pick<SpaceLog, 'head'>
  readonly directory: Pick<Directory, 'keyRevision'>
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
  #looking: NodeJS.Timeout | undefined
  #round: Promise<void> | undefined
  /** Spaces whose news could not be read. */
  readonly #unheard = new Set<string>()
  #hearing: NodeJS.Timeout | undefined
  #isStopped = false

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** Begins to listen to other nodes, and to look from time to time for what nobody told of. */
  start(followers: Followers): void {
    const unsubscribe = this.#needs.wakeUps.subscribe(
      (spaceId) => {
        if (!this.#isOwn) void this.#heard(spaceId, followers)
      },
      () => this.#catchUp(followers),
    )
    this.#unsubscribe = () => void unsubscribe()
    this.#looking = setInterval(() => (this.#round ??= this.#lookRound(followers).finally(() => (this.#round = undefined))), lookEveryMs).unref()
  }

  /** Resolves when nothing is looked for any more. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#unsubscribe()
    clearInterval(this.#looking)
    clearTimeout(this.#hearing)
    await this.#round
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
    followers.openSpaces.catchUp()
    for (const spaceId of this.#inUse(followers)) void this.#heard(spaceId, followers)
  }

  #inUse({ actors }: Followers): ReadonlySet<string> {
    const { organizationId, policies, tails } = this.#needs
    return new Set([organizationId, policies.spaceId, ...actors.spaceIds, ...tails.spaceIds])
  }

  /** Asks how far the Key Registry and the Spaces in use are, one after another, and takes over what was missed. */
  async #lookRound(followers: Followers): Promise<void> {
    try {
      await this.#lookAtKeys(followers)
      followers.openSpaces.catchUp()
      for (const spaceId of this.#inUse(followers)) {
        if (this.#isStopped) return
        if (await this.#hasMissed(spaceId, followers)) await this.#heard(spaceId, followers)
      }
    } catch (fault) {
      this.#needs.diagnostics.warn({ err: fault }, 'what other nodes did could not be looked for')
    }
  }

  async #lookAtKeys({ keys, identities }: Followers): Promise<void> {
    if ((await this.#needs.directory.keyRevision()) > keys.revision) await Promise.all([keys.refresh(), identities.refresh()])
  }

  /** Whether the log has more of the Space than its fold or its tail here. */
  async #hasMissed(spaceId: string, { actors, openSpaces }: Followers): Promise<boolean> {
    const { log, tails } = this.#needs
    const head = await log.head(spaceId)
    const folded = openSpaces.isOpen(spaceId) ? undefined : actors.latest(spaceId)?.head
    const known = [folded, tails.headOf(spaceId)].filter((each) => each !== undefined)
    // What is mirrored never goes out of use, although its fold may go out of memory.
    if (known.length === 0 && this.#isMirrored(spaceId)) known.push(0)
    return known.some((each) => each < head)
  }

  /** In a while, once for all that could not be read until then. */
  #hearAgain(spaceId: string, followers: Followers): void {
    if (this.#isStopped) return
    this.#unheard.add(spaceId)
    this.#hearing ??= setTimeout(() => {
      const spaceIds = [...this.#unheard]
      this.#unheard.clear()
      this.#hearing = undefined
      for (const each of spaceIds) void this.#heard(each, followers)
    }, hearAgainMs).unref()
  }

  async #heard(spaceId: string, followers: Followers): Promise<void> {
    const { actors, keys, identities, openSpaces } = followers
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
      this.#hearAgain(spaceId, followers)
    }
  }
}
