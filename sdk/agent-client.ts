// An Agent's end of the protocol: one session kept alive, Commands neither lost nor doubled, gapless Groups.
import { randomBytes } from 'node:crypto'
import { encodeBase64url } from '../protocol/base64url.ts'
import type { Artifact, CommandPayloads, EventDocument, Evidence, PresenceCapacity, PresenceRecord } from '../protocol/generated/types.ts'
import type { ArtifactDescription } from './artifact-manifest.ts'
import { signManifest } from './artifact-manifest.ts'
import type { AgentEntry, Credentials, GroupEntry, GroupList, StoredContent } from './authority-http.ts'
import { downloadContent, fetchAgents, fetchGroups, httpOriginOf, uploadContent } from './authority-http.ts'
import type { BackoffOptions } from './backoff.ts'
import { backoffMs, DEFAULT_BACKOFF, delay } from './backoff.ts'
import type { CommandEpochs, CommandKind, CommandTarget } from './build-command.ts'
import type { CommandOutbox, ResumedCommand } from './command-sender.ts'
import { CommandSender } from './command-sender.ts'
import type { CursorStore } from './cursor-store.ts'
import { MemoryCursorStore } from './cursor-store.ts'
import type { EvidenceDescription } from './evidence.ts'
import { signEvidence } from './evidence.ts'
import { GroupEpochs } from './group-epochs.ts'
import type { FollowOptions } from './group-subscriptions.ts'
import { GroupSubscriptions } from './group-subscriptions.ts'
import { Identity } from './identity.ts'
import { timeNow } from './ids.ts'
import type { Receipt } from './refusal.ts'
import { HttpFault } from './refusal.ts'
import { restoreGroup } from './restore-group.ts'
import { SessionKeeper } from './session-keeper.ts'
import type { Session } from './shake-hands.ts'

const GROUPS_WAIT_SECONDS = 25
const PRESENCE_MS = 60_000

export interface AgentClientOptions {
  /** WebSocket address of the authority, for example `ws://127.0.0.1:4310/mwp`. */
  readonly url: string
  readonly agentId: string
  readonly keyId: string
  /** RFC 8032 private key, 32 bytes. It stays in this process. */
  readonly seed: Uint8Array
  /** Origin of the HTTP side; that of `url` when absent. */
  readonly origin?: string
  /** Where positions survive a restart; in memory when absent. */
  readonly cursors?: CursorStore
  /** Where unanswered Commands survive a restart; in memory when absent. `openAgentStore` has both. */
  readonly outbox?: CommandOutbox
  /** Told of the answer to each Command that an earlier run left unanswered, accepted or refused. */
  readonly onResumed?: (resumed: ResumedCommand) => void
  readonly backoff?: BackoffOptions
  /** Closes the client once it aborts, also one that has no session yet. */
  readonly signal?: AbortSignal
  /** Public key of the Group Authority (base64url), received in another way: what a snapshot's signature is held against. */
  readonly authorityPublicKey?: string
}

/** A receipt, and the manifest that it is for. */
export type PublishedArtifact = { readonly artifact: Artifact; readonly receipt: Receipt }

/** All that a Worker needs of its client. */
export type WorkingClient = Pick<AgentClient, 'agentId' | 'over' | 'session' | 'submit' | 'subscribe' | 'watchGroups' | 'download' | 'publishArtifact' | 'signEvidence' | 'reportPresence'>

export class AgentClient {
  readonly identity: Identity
  readonly origin: string
  /** Resolves with the reason once there will be no further session: closed, replaced or refused. */
  readonly over: Promise<Error>
  readonly #backoff: BackoffOptions
  readonly #authorityPublicKey: string | undefined
  readonly #epochs: GroupEpochs
  readonly #subscriptions: GroupSubscriptions
  readonly #commands: CommandSender
  readonly #keeper: SessionKeeper

  private constructor(options: AgentClientOptions) {
    const { url, agentId, keyId, seed, backoff = DEFAULT_BACKOFF, cursors = new MemoryCursorStore() } = options
    this.identity = new Identity({ type: 'agent', id: agentId }, keyId, seed)
    this.origin = options.origin ?? httpOriginOf(url)
    this.#backoff = backoff
    this.#authorityPublicKey = options.authorityPublicKey
    this.#epochs = new GroupEpochs(agentId)
    this.#subscriptions = new GroupSubscriptions({
      cursors,
      restore: (groupId, snapshotArtifactHash) =>
        restoreGroup({ groupId, snapshotArtifactHash, authorityPublicKey: options.authorityPublicKey ?? '', download: (hash) => this.download(hash) }),
      visibilityStart: async (groupId) => (await this.#membership(groupId))?.visibilityStartSequence ?? 0,
    })
    this.#commands = new CommandSender({
      identity: this.identity,
      backoff,
      outbox: options.outbox,
      onResumed: options.onResumed,
      epochs: (groupId, isFresh) => this.#currentEpochs(groupId, isFresh),
      caughtUp: (groupId) => this.#caughtUp(groupId),
    })
    let onOver: (reason: Error) => void = () => undefined
    this.over = new Promise((resolve) => (onOver = resolve))
    const parts = [this.#commands, this.#subscriptions]
    this.#keeper = new SessionKeeper({ url, identity: this.identity, backoff }, {
      onOpened: (connection) => parts.forEach((part) => part.onOpened(connection)),
      onEvent: (event) => {
        this.#epochs.observe(event)
        parts.forEach((part) => part.onEvent(event))
      },
      onError: (error) => parts.forEach((part) => part.onError(error)),
      onOver: (reason) => {
        parts.forEach((part) => part.onOver(reason))
        onOver(reason)
      },
    })
    const { signal } = options
    signal?.addEventListener('abort', () => void this.close(), { once: true, signal: this.#keeper.signal })
    if (signal?.aborted) void this.close()
  }

  /**
   * Resolves with the first session. An authority that cannot be reached is tried again until `signal` aborts, which rejects
   * with ClientClosed; one that declines rejects with HandshakeRefused.
   */
  static async connect(options: AgentClientOptions): Promise<AgentClient> {
    const client = new AgentClient(options)
    await client.session()
    return client
  }

  get agentId(): string {
    return this.identity.principal.id
  }

  /** The present session, or the next one while reconnecting. Rejects once the client is over. */
  async session(): Promise<Session> {
    return (await this.#keeper.connection()).session
  }

  /**
   * Submits a Command; resolves with its primary Event or the refusal. Waits through reconnections, and rejects only
   * when the client is over.
   */
  submit<K extends CommandKind>(kind: K, payload: CommandPayloads[K], target: CommandTarget = {}): Promise<Receipt> {
    return this.#commands.submit(kind, payload, target)
  }

  /**
   * Follows one Group: every Event after `after` (the stored position when absent), in order, once each, over any number
   * of connections. An Event counts as processed when the loop asks for the next one. Ends with the Membership; throws
   * SubscriptionRefused for a Group that does not exist for this Agent. Where Events after the position are no longer replayed,
   * `onSnapshot` is given the verified snapshot in their place and the loop goes on behind it; without `onSnapshot`, or without
   * `authorityPublicKey`, it throws SubscriptionRefused (CURSOR_TOO_OLD).
   */
  subscribe(groupId: string, options: FollowOptions = {}): AsyncGenerator<EventDocument, void, void> {
    return this.#subscriptions.follow(groupId, this.#authorityPublicKey === undefined ? { ...options, onSnapshot: undefined } : options)
  }

  /** The Agent's Memberships, now and whenever they change. Ends when the client is over. */
  async *watchGroups(): AsyncGenerator<readonly GroupEntry[], void, void> {
    const { signal } = this.#keeper
    let revision: number | undefined
    for (let attempt = 0; !signal.aborted; ) {
      try {
        const query = revision === undefined ? {} : { after: revision, wait: GROUPS_WAIT_SECONDS }
        const list = await this.#fetchGroups(query, signal)
        attempt = 0
        if (list.revision === revision) continue
        revision = list.revision
        yield list.groups
      } catch {
        await delay(backoffMs(attempt++, this.#backoff), signal)
      }
    }
  }

  /** Agents that can be offered work. */
  async agents(): Promise<readonly AgentEntry[]> {
    return fetchAgents(this.origin, await this.#credentials())
  }

  async upload(bytes: Uint8Array, mediaType: string): Promise<StoredContent> {
    return uploadContent(this.origin, await this.#credentials(), { bytes, mediaType })
  }

  /** The verified bytes of an artifact, or undefined when it does not exist for this Agent. */
  async download(contentHash: string): Promise<Uint8Array | undefined> {
    return downloadContent(this.origin, await this.#credentials(), contentHash)
  }

  /** Stores the bytes, signs their manifest and publishes it under the lease. */
  async publishArtifact(bytes: Uint8Array, description: ArtifactDescription): Promise<PublishedArtifact> {
    const stored = await this.upload(bytes, description.mediaType)
    const artifact = await signManifest(this.identity, stored, description)
    const { groupId, workItemId, ownershipEpoch, executionLeaseId } = description.lease
    const receipt = await this.submit('artifact.publish', { artifact, ownershipEpoch, executionLeaseId }, { groupId, workItemId })
    return { artifact, receipt }
  }

  /** Evidence of this Agent, ready for `work.submit` or `work.accept_result`. */
  signEvidence(description: EvidenceDescription): Promise<Evidence> {
    return signEvidence(this.identity, description)
  }

  /** Tells the authority how busy this Agent is. Presence carries no authority and lasts a minute. */
  async reportPresence(capacity: PresenceCapacity): Promise<void> {
    const connection = await this.#keeper.connection()
    const nowMs = Date.now()
    const presence: PresenceRecord = {
      agentId: this.agentId,
      sessionEpoch: connection.session.sessionEpoch,
      status: capacity.availableSlots > 0 ? 'online' : 'busy',
      capacity,
      capabilityAvailability: [],
      lastHeartbeat: new Date(nowMs).toISOString(),
      expiresAt: new Date(nowMs + PRESENCE_MS).toISOString(),
    }
    connection.send({ frameType: 'PING', nonce: encodeBase64url(randomBytes(16)), sentAt: timeNow(), presence })
  }

  /** Ends the session. Whatever still waits is rejected with ClientClosed; loops over Groups end. */
  close(): Promise<void> {
    return this.#keeper.close()
  }

  async #credentials(): Promise<Credentials> {
    return { authorization: `Bearer ${(await this.session()).token}` }
  }

  async #fetchGroups(query: { after?: number; wait?: number } = {}, signal?: AbortSignal): Promise<GroupList> {
    const list = await fetchGroups(this.origin, await this.#credentials(), query, signal)
    for (const { groupId, membershipEpoch } of list.groups) this.#epochs.adopt(groupId, membershipEpoch)
    return list
  }

  /** The list as it is now, however long the authority takes to come back. */
  async #presentGroups(): Promise<readonly GroupEntry[]> {
    for (let attempt = 0; ; attempt++) {
      try {
        return (await this.#fetchGroups()).groups
      } catch (fault) {
        if (this.#keeper.signal.aborted || !isPassing(fault)) throw fault
        await delay(backoffMs(attempt, this.#backoff), this.#keeper.signal)
      }
    }
  }

  async #membership(groupId: string): Promise<GroupEntry | undefined> {
    return (await this.#presentGroups()).find((entry) => entry.groupId === groupId)
  }

  async #currentEpochs(groupId: string | undefined, isFresh: boolean): Promise<CommandEpochs> {
    if (groupId !== undefined && (isFresh || this.#epochs.of(groupId) === undefined)) await this.#presentGroups()
    const { sessionEpoch } = await this.session()
    // Without a Membership the authority refuses whatever the epoch; the Command must only be well formed.
    return { sessionEpoch, ...(groupId !== undefined && (this.#epochs.of(groupId) ?? { membershipEpoch: 1 })) }
  }

  async #caughtUp(groupId: string | undefined): Promise<void> {
    if (groupId === undefined) return
    const entry = await this.#membership(groupId)
    if (entry !== undefined) await this.#subscriptions.caughtUp(groupId, entry.head)
  }
}

/** Unreachable, overloaded, or asked with the token of a session that has just ended. */
const isPassing = (fault: unknown): boolean =>
  fault instanceof HttpFault ? fault.status === 401 || fault.status >= 500 : fault instanceof TypeError
