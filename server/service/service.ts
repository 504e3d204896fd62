// What the doors may ask of the authority. Gateways see this and the view types, never the store.
import type { Actor, AgentCard, ExtensionProfile, Policy, PresenceRecord } from '../../protocol/generated/types.ts'
import type { Rejection } from '../../protocol/error-codes.ts'
import type { Result } from '../../protocol/result.ts'
import type { ParsedJson } from '../../protocol/strict-json.ts'
import type { TokenGrant, TokenRequest, TokenUse } from '../authority/execution-token.ts'
import type { MembershipRow } from '../authority/read-models.ts'
import type { GroupArchive, GroupState } from '../authority/types.ts'
import type { Doors } from './doors/types.ts'
import type { Direction, OpenSpaces } from './open-spaces/types.ts'
import type { IapRouter } from './iap/types.ts'
import type { SpaceReport } from './verify-log.ts'
import type { ArtifactStore, AuditEntry, Clock, DecodedEntry, KeptRuling, KeyUse, LogEntry, PrincipalRecord, ReadModels, RegisteredKey, RulingRange, SpaceKind } from './ports.ts'

export type Door = 'mwp' | 'http' | 'internal'

export type SubmitOutcome =
  /** `eventBytes` is the exact primary Event; a retry of the same Command gets the same bytes (A-222, O-3). */
  | { ok: true; spaceId: string; sequence: number; eventBytes: Uint8Array; isDuplicate: boolean }
  | { ok: false; rejection: Rejection; actionId?: string; groupId?: string }

/** A live Agent runtime. At most one per Agent. */
export interface AgentSession {
  readonly agentId: string
  readonly keyId: string
  readonly sessionEpoch: number
  readonly expiresAt: string
  readonly token: string
}

/** A newer session of the Agent was accepted, its time is over, or its key is valid no more. */
export type SessionEnd = 'replaced' | 'expired' | 'key-ended'

export interface Challenge { readonly challengeId: string; readonly serverNonce: string; readonly challenge: string; readonly expiresAt: string }

export interface Sessions {
  /** First half of the handshake (A-34, O-2). Unknown Agent, unknown key and revoked key look alike: AUTH_INVALID_SIGNATURE. */
  challenge(hello: { agentId: string; keyId: string; clientNonce: string }): Promise<Result<Challenge, Rejection>>
  /** Verifies, spends the challenge, appends session_opened, revokes the Agent's Execution Leases, fences older sessions. */
  accept(response: { challengeId: string; agentId: string; keyId: string; clientNonce: string; serverNonce: string; signature: string }): Promise<Result<AgentSession, Rejection>>
  byToken(token: string): AgentSession | undefined
  isCurrent(session: AgentSession): boolean
  /** Why the session is over; undefined while it is current. */
  endOf(session: AgentSession): SessionEnd | undefined
  /** Called once for every session of this node when it is over, wherever the cause lay. Returns an unsubscribe function. */
  onEnded(listener: (session: AgentSession, why: SessionEnd) => void): () => void
  isOnline(agentId: string): boolean
  /** When this node last saw the Agent at any door; undefined where it did not since it started. Kept in memory alone. */
  lastSeenAt(agentId: string): string | undefined
  /**
   * Keeps in memory what an Agent says of its own capacity. Refuses what is said of another Agent (AUTH_FORBIDDEN) or of
   * another Session (AUTH_STALE_SESSION).
   */
  notePresence(session: AgentSession, presence: PresenceRecord): Rejection | undefined
  /** What the connected Agent said last, while it is fresh: until its own end, and for two minutes at most. */
  presenceOf(agentId: string): PresenceRecord | undefined
  /** The socket of this session closed; the Session Epoch stays, only presence changes. */
  ended(session: AgentSession): void
}

/** Ordered, gapless Events of one Group from a position on, replay first and then live, pulled by the reader (so a slow reader holds nothing up). */
export interface GroupFeed {
  /** At least one entry, waiting for it if need be; `ended` once Membership ended or the feed was closed. */
  next(limit: number): Promise<readonly LogEntry[] | 'ended'>
  close(): void
}

export interface Feeds {
  /** GROUP_NOT_FOUND for unknown and for hidden Groups alike. Starts after max(after, visibility start). */
  open(principalId: string, groupId: string, after: number): Promise<Result<GroupFeed, Rejection>>
  /** Fires after commit with the Space's new head. Returns an unsubscribe function. */
  onGrowth(listener: (spaceId: string, head: number) => void): () => void
}

/** How far each Agent has processed each of its Groups. Never decides what is replayed; SUBSCRIBE does. */
export interface Cursors {
  /**
   * Stores an acknowledged position durably; a lower one than before changes nothing. GROUP_NOT_FOUND for unknown and hidden
   * Groups alike, INVALID_COMMAND above the Group's head: nobody has processed what was never written.
   */
  acknowledge(agentId: string, groupId: string, sequence: number): Promise<Result<void, Rejection>>
}

/** A Group as a member finds it: the live fold, to be treated as read-only, and the Membership. */
export interface FoundGroup { readonly state: GroupState; readonly membership: MembershipRow }

/** Reads for the console and the HTTP door. All authorize the caller: `undefined` = does not exist for them. */
export interface Reads {
  groupFor(principalId: string, groupId: string): Promise<FoundGroup | undefined>
  /** Those of these Groups that exist for the caller, in their order. What cannot be read keeps back none of the others: it is named, and why is in the server's log. */
  groupsFor(principalId: string, groupIds: readonly string[]): Promise<{ readonly groups: readonly FoundGroup[]; readonly unreadable: readonly string[] }>
  groupIdOfMission(missionId: string): Promise<string | undefined>
  /** Entries of the Group that this member may see, ascending, none after the one that brings them to `maximumBytes`; a signed stand-in where the text is withheld. */
  entries(principalId: string, groupId: string, sequences: readonly number[], maximumBytes?: number): Promise<readonly DecodedEntry[]>
  /** As `entries`, of the next `limit` sequences after `after`. */
  range(principalId: string, groupId: string, after: number, limit: number): Promise<readonly DecodedEntry[]>
  /** Sequences of an Event and of what is above or below it by replies and amendments, as this member may see them; undefined where there are too many. */
  related(principalId: string, groupId: string, sequence: number, direction: Direction): Promise<readonly number[] | undefined>
  /** Sequences, ascending, of what may concern this member: not what it wrote itself, nor what is said to others. The next ones, or the last ones before. */
  concerning(principalId: string, groupId: string, range: { readonly after: number; readonly limit: number } | { readonly before: number; readonly limit: number }): Promise<readonly number[]>
  /** The Command behind a primary Event, byte for byte; undefined also where the Event is withheld. */
  commandBytes(principalId: string, groupId: string, sequence: number): Promise<Uint8Array | undefined>
  memberships(principalId: string): Promise<{ revision: number; groups: readonly (MembershipRow & { head: number })[] }>
  /** Resolves when this Principal's Memberships differ from `revision`, after the wait, or when nobody waits any more. */
  membershipsAfter(principalId: string, revision: number, waitMs: number, signal: AbortSignal): Promise<{ revision: number; groups: readonly (MembershipRow & { head: number })[] }>
  /** The Group's part of the Policy Log, newest first, for its MissionOwner alone. */
  rulings(principalId: string, groupId: string, range: RulingRange): Promise<readonly KeptRuling[] | undefined>
  mayReadArtifact(principalId: string, contentHash: string): Promise<boolean>
  /** For operators: every Space, whoever its members are. */
  allSpaces(): Promise<readonly { readonly spaceId: string; readonly kind: SpaceKind; readonly head: number }[]>
  /** For operators: how far the live fold of a Group has come and the hash of its canonical form. */
  fingerprintOf(groupId: string): Promise<{ readonly sequence: number; readonly stateHash: string } | undefined>
}

/** People, Agents and their keys. */
export interface Identities {
  principal(id: string): PrincipalRecord | undefined
  principals(): readonly PrincipalRecord[]
  /** Registered services, without the Organization's own. */
  services(): readonly PrincipalRecord[]
  keysOf(principalId: string): readonly RegisteredKey[]
  key(keyId: string): RegisteredKey | undefined
  cardOf(agentId: string): AgentCard | undefined
  cards(): readonly AgentCard[]
  /** One-time link for a person. `token` is shown once and stored hashed. */
  invite(input: { name: string; isAdmin: boolean; ttlSeconds: number }): Promise<{ token: string; expiresAt: string }>
  lookInvitation(token: string): Promise<{ ok: true; name: string; isAdmin: boolean; expiresAt: string } | { ok: false; reason: string }>
  /** Creates the human Principal and registers its keys; every proof of possession is checked first. Exactly one caller wins. */
  enrol(input: { token: string; name: string; challenge: Uint8Array; keys: readonly NewKey[] }): Promise<Result<{ principal: Actor; keys: readonly RegisteredKey[] }, { reason: string }>>
  addKey(input: { principalId: string; key: NewKey; challenge: Uint8Array; authorizedBy: string; authorization: string; authorizationBytes: Uint8Array }): Promise<Result<RegisteredKey, { reason: string }>>
  /** Registers an Agent's public key and issues its signed Agent Card. `custody` says in words who holds the private half: the Agent itself where nothing is said. */
  addAgent(input: { name: string; publicKey: string; capabilities: readonly { id: string; version: string }[]; maxConcurrency?: number; agentId?: string; keyId?: string; custody?: string }): Promise<Result<{ agentId: string; keyId: string; cardVersion: number }, { reason: string }>>
  /** Registers a service Principal with its public key; what it may do is for policy to say. The same key again is the same service. */
  addService(input: { name: string; publicKey: string; serviceId?: string; keyId?: string }): Promise<Result<RegisteredKey, { reason: string }>>
  revokeKey(keyId: string, at?: string): Promise<Result<RegisteredKey, { reason: string }>>
  /** True when `signature` over `message` verifies under this registered key and the key is valid now. */
  verifyWithKey(keyId: string, message: Uint8Array, signature: string): Promise<boolean>
}
export interface NewKey { readonly use: Extract<KeyUse, 'authority' | 'conversation'>; readonly publicKey: string; readonly custody: string; readonly label: string; readonly proof: string }

export interface OrganizationInfo {
  readonly organizationId: string
  readonly name: string
  readonly origin: string
  /** Group Authority: signs Events and receipts. */
  readonly authority: { readonly principal: Actor; readonly keyId: string; readonly publicKey: string }
}

export interface PolicyAccess {
  /** The policy in force. */
  readonly current: Policy
  /** The Extension Profiles in force. */
  readonly profiles: readonly ExtensionProfile[]
  /** The Space that a Command which changes it names as its Group. */
  readonly spaceId: string
  /** The Events that put the versions after this one in force, ascending, at most `limit`. */
  history(after: number, limit: number): Promise<readonly DecodedEntry[]>
  /** For operators and administrators: the Policy Log of one Group or of all, newest first. */
  rulings(range: RulingRange & { readonly spaceId?: string }): Promise<readonly KeptRuling[]>
  /** For operators: why documents that named this Group failed verification or admission, newest first. */
  failures(range: { readonly spaceId: string; readonly before?: number; readonly limit: number }): Promise<readonly (AuditEntry & { readonly entry: number })[]>
}

/** Closing the log of a Group, and taking all of it away in one file. For operators. */
export interface GroupArchives {
  /** Signs and appends the archive of a Group whose Mission is over; the snapshot and the state are kept as Artifacts (A-127, O-6). */
  archive(groupId: string, options: { readonly isHistoryOffline: boolean }): Promise<Result<GroupArchive & { readonly groupId: string }, { reason: string }>>
  /** The lines of the export file, one after another; undefined where there is no such Group. */
  export(groupId: string): Promise<AsyncIterable<Uint8Array> | undefined>
}

export interface AuthorityService {
  readonly organization: OrganizationInfo
  readonly clock: Clock
  readonly sessions: Sessions
  readonly feeds: Feeds
  readonly cursors: Cursors
  readonly reads: Reads
  readonly readModels: ReadModels
  readonly identities: Identities
  readonly policy: PolicyAccess
  /** Implemented by `ConsoleSessions` in console-sessions.ts. */
  readonly console: ConsoleAccess
  readonly artifacts: ArtifactStore
  readonly archives: GroupArchives
  /** Spaces that anybody who is registered may enter, with what is said there. Implemented in open-spaces/. */
  readonly openSpaces: OpenSpaces
  /** Implemented by `SeatedRouter` in iap/seated-router.ts. */
  readonly iap: IapRouter
  /** Implemented by `ExecutionTokens` in execution-tokens.ts. Never in a Command, an Event or a log. */
  readonly executionTokens: TokenAccess
  /** Tokens and custodial keys of Agents that hold no key. */
  readonly doors: Doors
  /**
   * The one entry for state changes: a signed Command from any door, as bytes or, where the door had to parse it as part of a
   * frame, as the strict parser's result for it (`text` is then the Command alone). `peer` is the sender's network address. Resolves with INTERNAL_ERROR on a fault; never rejects.
   */
  submitCommand(command: Uint8Array | ParsedJson, context: { door: Door; session?: AgentSession; peer?: string }): Promise<SubmitOutcome>
  /** Signs with the Group Authority key (receipts, snapshots). */
  signAsAuthority(bytes: Uint8Array): Promise<Uint8Array>
  /** The exact receipt file of an approved Mission, or undefined when it is not approved or hidden from the caller. */
  receiptFor(principalId: string, missionId: string): Promise<Uint8Array | undefined>
  /** Refolds every Space from zero and compares it with its signatures, its Commands, the read models and the live folds. */
  verifyLog(): Promise<readonly SpaceReport[]>
  ready(): Promise<boolean>
  stop(): Promise<void>
}

/** Tokens for the resources that executing work needs. */
export interface TokenAccess {
  issue(session: AgentSession, groupId: string, request: TokenRequest): Promise<Result<{ readonly token: string; readonly expiresAt: string }, Rejection>>
  verify(token: string, use: TokenUse): Promise<Result<TokenGrant, Rejection>>
}

/** Sign-in of people in a browser: challenges that are spent once, then a cookie whose token is stored hashed. */
export interface ConsoleAccess {
  /** Canonical bytes of `{audience, challengeId, expiresAt, purpose}`, good for ten minutes. */
  challenge(purpose: ConsolePurpose): { challengeId: string; challenge: string; expiresAt: string }
  /** The challenge's bytes; undefined when it is unknown, spent, expired or was made for something else. */
  recall(challengeId: string, purpose: ConsolePurpose): Uint8Array | undefined
  /** True for exactly one caller, who has seen a valid signature over the challenge. */
  spend(challengeId: string): boolean
  open(principalId: string, keyId: string): Promise<{ token: string; expiresAt: string }>
  /** Undefined when unknown, expired, ended, or when the key behind it was revoked. */
  find(token: string): Promise<{ principalId: string; keyId: string } | undefined>
  end(token: string): Promise<void>
}
export type ConsolePurpose = 'countersign.console.sign-in' | 'countersign.console.enrol' | 'countersign.console.add-key'
