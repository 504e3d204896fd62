// What the service needs from the outside. `server/store` and `server/artifacts` implement these; tests use in-memory versions.
import type { Readable } from 'node:stream'
import type { Actor, AgentCard, EventDocument, FirstAdmissionRecord } from '../../protocol/generated/types.ts'
import type { KeyBinding } from '../../protocol/key-registry.ts'
import type { IapStore } from './iap/store-port.ts'
import type { Ruling } from '../authority/policy-ruling.ts'
import type { GraphEdgeRow, GraphNodeRow, MembershipRow, MissionRow, ReadModelRows } from '../authority/read-models.ts'
import type { OpenSpaceStore } from './open-spaces/store-port.ts'

export type * from './open-spaces/store-port.ts'

export type * from './iap/store-port.ts'

/** One stored Event. `bytes` are the exact signed document (RFC 8785 form), the evidence; everything else is an index over it. */
export interface LogEntry {
  readonly spaceId: string
  /** Position in the Space, from 1. Equals the Event's `sequence`; in the Organization's Space, whose Events have none, it is the storage position only (R-EVT-1). */
  readonly sequence: number
  readonly eventId: string
  readonly kind: string
  readonly bytes: Uint8Array
}

/** An accepted Command, kept byte for byte so that a retry finds its original Event. */
export interface CommandReceipt {
  readonly actorId: string
  readonly actionId: string
  readonly signingHash: string
  readonly spaceId: string
  /** Sequence of the primary Event. */
  readonly sequence: number
  readonly commandBytes: Uint8Array
}

/** Kinds of Spaces that hold signed Events. */
export type SpaceKind = 'mission' | 'organization' | 'policy'

/** Everything that one decision batch writes, in one transaction. */
export interface AppendBatch {
  readonly spaceId: string
  readonly spaceKind: SpaceKind
  /** Head that the batch was decided on; another head means another node wrote first. */
  readonly expectedHead: number
  readonly events: readonly LogEntry[]
  readonly receipts: readonly CommandReceipt[]
  readonly admissions: readonly FirstAdmissionRecord[]
  readonly rows: ReadModelRows
  /** What policy had a say in among these Events. */
  readonly rulings?: readonly Ruling[]
  /** What other Spaces are to record because of these Events; kept until they have. */
  readonly reactions?: readonly PendingReaction[]
  /** Reactions that these Events record: gone with the same commit. */
  readonly settled?: readonly ReactionKey[]
  /** First batches of Spaces that these Events found, all written with them or not at all. */
  readonly founded?: readonly FirstBatch[]
}

/** A Space that begins. */
export type FirstBatch = Omit<AppendBatch, 'reactions' | 'settled' | 'founded'> & { readonly expectedHead: 0 }

export interface ReactionKey {
  readonly targetSpaceId: string
  /** The Event that calls for it. */
  readonly eventId: string
}
export interface PendingReaction extends ReactionKey {
  /** JSON text of the reaction. */
  readonly reaction: string
}

/** `conflict` names the constraint that refused; nothing of the batch was written. */
export type AppendOutcome = { ok: true } | { ok: false; conflict: 'head' | 'action-id' | 'admission' | 'event-id' | 'mission-id' | 'space-id' }

export interface SpaceLog {
  /** Highest stored sequence, 0 for an unknown Space. */
  head(spaceId: string): Promise<number>
  /** Entries with `sequence > after`, ascending, at most `limit`. */
  read(spaceId: string, after: number, limit: number): Promise<readonly LogEntry[]>
  /** Entries with the given sequences, ascending; with `maximumBytes` none after the one that brings them to so many. */
  readAt(spaceId: string, sequences: readonly number[], maximumBytes?: number): Promise<readonly LogEntry[]>
  append(batch: AppendBatch): Promise<AppendOutcome>
  /** Reactions that no Space has recorded yet, at most `limit`, in the order of their keys and behind `after`: whoever asks on comes to all of them. */
  pendingReactions(limit: number, after?: ReactionKey): Promise<readonly PendingReaction[]>
  /** Removes reactions that left nothing to record. */
  dropReactions(keys: readonly ReactionKey[]): Promise<void>
  findReceipt(actorId: string, actionId: string): Promise<CommandReceipt | undefined>
  /** The receipts among these keys, in any order: one query for a whole batch. */
  findReceipts(keys: readonly { actorId: string; actionId: string }[]): Promise<readonly CommandReceipt[]>
  /** Receipt whose primary Event has this sequence. */
  findReceiptAt(spaceId: string, sequence: number): Promise<CommandReceipt | undefined>
  /** Authoritative absence is `undefined`; an unreachable log throws. */
  findAdmission(organizationId: string, signingHash: string): Promise<FirstAdmissionRecord | undefined>
  /** The records among these hashes, in any order: one query for a whole batch. */
  findAdmissions(organizationId: string, signingHashes: readonly string[]): Promise<readonly FirstAdmissionRecord[]>
  /** Those of these ids that a Space of any kind has, with something in it or not. */
  takenIds(spaceIds: readonly string[]): Promise<readonly string[]>
  /** Space ids of this kind, ascending. */
  listSpaces(kind: SpaceKind | 'open'): Promise<readonly string[]>
}

/** Queries over the read models. All are bounded. */
/** Who asks for what concerns it, and what it sees of a Group. */
export interface ConcernedMember {
  readonly memberId: string
  /** Sequence that introduced it, to which mentions lead. */
  readonly introducedAt: number
  readonly visibleFrom: number
  /** Sequences whose words are withheld from it, and with them whom they refer to. */
  readonly withheld: readonly number[]
}

export interface ReadModels {
  /** With the sequence of the last Event in each Mission's Space. */
  missionsOf(memberId: string): Promise<readonly (MissionRow & { readonly head: number })[]>
  missionById(missionId: string): Promise<MissionRow | undefined>
  membershipsOf(memberId: string): Promise<readonly MembershipRow[]>
  /** Spaces in which this Agent holds an active Execution Lease or a blocked lease. */
  spacesWithActiveLease(agentId: string): Promise<readonly string[]>
  /** Newest first when `before` is given, at most `limit` sequences of message Events. */
  messageSequences(spaceId: string, filter: { conversationId?: string; before?: number; limit: number }): Promise<readonly number[]>
  graphNodes(spaceId: string, range: { before?: number; limit: number }): Promise<readonly GraphNodeRow[]>
  graphEdges(spaceId: string, children: readonly number[]): Promise<readonly GraphEdgeRow[]>
  /** Replies, and amendments of Messages, with `after < child <= through`, ascending by child; those of one child come together. `limit` is more than a Message may refer to. */
  talkEdges(spaceId: string, range: { readonly after: number; readonly through: number; readonly limit: number }): Promise<readonly GraphEdgeRow[]>
  /**
   * Sequences of the Events that may concern a member, ascending, without most of those that do not: its own, and Messages that refer or
   * speak to others. The next ones with `after`, else the last ones before `before`.
   */
  concerning(spaceId: string, member: ConcernedMember, range: { readonly after: number; readonly limit: number } | { readonly before: number; readonly limit: number }): Promise<readonly number[]>
  /** Manifests' Spaces for one content hash: who may read the bytes. */
  spacesOfArtifact(contentHash: string): Promise<readonly string[]>
  /** Every read-model row of a Space in a fixed order, as canonical JSON: what `verify-log` compares. */
  dump(spaceId: string): Promise<string>
}

export type KeyUse = 'authority' | 'conversation' | 'agent' | 'service'
export interface RegisteredKey extends KeyBinding {
  readonly keyUse: KeyUse
  /** Where the private half lives, in words for people: 'browser, not extractable', 'held by the agent', … */
  readonly custody: string
  readonly label: string
}
export interface PrincipalRecord {
  readonly principal: Actor
  readonly name: string
  readonly isAdmin: boolean
  readonly createdAt: string
}
export interface Invitation { readonly tokenHash: string; readonly name: string; readonly isAdmin: boolean; readonly createdAt: string; readonly expiresAt: string }

/** A Principal with its first keys, or an Agent's further ones. */
export interface Registration {
  /** Used up by the registration. */
  readonly invitation?: { readonly tokenHash: string; readonly at: string }
  readonly principal: PrincipalRecord
  readonly keys: readonly RegisteredKey[]
}
export type RegistrationOutcome = 'registered' | 'invitation-used' | 'principal-taken' | 'key-taken'

export interface AuditEntry {
  readonly at: string
  readonly stage: string
  readonly reason: string
  readonly door: string
  readonly spaceId?: string
  readonly detail: Record<string, unknown>
}

/** Organization state outside the Space logs: Principals, keys, cards, invitations, sessions. */
export interface Directory {
  loadKeys(): Promise<{ revision: number; keys: readonly RegisteredKey[] }>
  /** The revision that `loadKeys` gives, without reading the keys. */
  keyRevision(): Promise<number>
  /** Fails with `taken` when the key id or public key exists under other terms. */
  addKey(key: RegisteredKey): Promise<'added' | 'same' | 'taken'>
  /** Only earlier boundaries are kept. */
  addKeyBoundary(keyId: string, boundary: { validUntil?: string; revokedAt?: string; recordedAt: string }): Promise<void>
  /**
   * Writes all of it or nothing. A Principal of that id and type and a key under those terms stay as they are; `invitation-used`
   * for all but one caller, `principal-taken` for another type, `key-taken` as for `addKey`.
   */
  register(registration: Registration): Promise<RegistrationOutcome>
  listPrincipals(): Promise<readonly PrincipalRecord[]>
  findPrincipal(principalId: string): Promise<PrincipalRecord | undefined>
  putCard(card: AgentCard, bytes: Uint8Array): Promise<void>
  listCards(): Promise<readonly AgentCard[]>
  /** Next Session Epoch of this Agent, stored before it is returned. */
  nextSessionEpoch(agentId: string): Promise<number>
  sessionEpochs(): Promise<ReadonlyMap<string, number>>
  addInvitation(invitation: Invitation): Promise<void>
  findInvitation(tokenHash: string): Promise<Invitation | undefined>
  addConsoleSession(session: { tokenHash: string; principalId: string; keyId: string; expiresAt: string }): Promise<void>
  findConsoleSession(tokenHash: string): Promise<{ principalId: string; keyId: string; expiresAt: string } | undefined>
  endConsoleSession(tokenHash: string): Promise<void>
  saveCursor(agentId: string, groupId: string, sequence: number): Promise<void>
  loadCursors(agentId: string): Promise<ReadonlyMap<string, number>>
  /** Refused verification and admission attempts with stage and reason, for auditors only. */
  addAuditEntry(entry: AuditEntry): Promise<void>
  /** Those about one Space, newest first, below the entry `before`. */
  auditEntries(range: { readonly spaceId: string; readonly before?: number; readonly limit: number }): Promise<readonly (AuditEntry & { readonly entry: number })[]>
  /** Deletes invitations and console sessions that expired, and audit entries that were written, before these times (UTC with milliseconds). */
  forget(older: { expiredBefore: string; auditedBefore: string }): Promise<void>
}

export type KeptRuling = Ruling & { readonly spaceId: string; readonly entry: number }
/** Rulings below the entry `before`, at most `limit`, and of one outcome where one is named. */
export interface RulingRange { readonly outcome?: Ruling['outcome']; readonly before?: number; readonly limit: number }

/** The Policy Log. It only grows; `append` of the log adds the rulings of its Events in their transaction. */
export interface RulingStore {
  add(spaceId: string, ruling: Ruling): Promise<void>
  /** Newest first, of one Space or of all. */
  list(range: RulingRange & { readonly spaceId?: string }): Promise<readonly KeptRuling[]>
  /** Deletes refusals from before this time; what let an Event through stays with it for ever. */
  forgetRefusals(before: string): Promise<void>
}

/** A bearer token or an access key as it is kept: by hash alone. Times are RFC 3339 UTC with milliseconds. */
interface KeptSecret {
  readonly label: string
  readonly createdAt: string
  readonly expiresAt?: string
  readonly revokedAt?: string
}
export interface KeptToken extends KeptSecret { readonly tokenId: string; readonly tokenHash: string; readonly principalId: string; readonly doors: readonly string[] }
export interface KeptAccessKey extends KeptSecret { readonly accessKeyId: string; readonly keyHash: string }
/** A private key that the server holds for an Agent. `sealed` is unreadable without the Organization's secret. */
export interface CustodialKey { readonly principalId: string; readonly keyId: string; readonly sealed: Uint8Array }

/** What Agents without a key of their own show at the doors, and the keys that are held for them. */
export interface CredentialStore {
  addToken(token: KeptToken): Promise<void>
  findToken(tokenHash: string): Promise<KeptToken | undefined>
  /** The token as it stands afterwards: of several revocations the first counts. Undefined for an unknown one. */
  revokeToken(tokenId: string, at: string): Promise<KeptToken | undefined>
  /** Oldest first; of these Principals alone where some are named. */
  listTokens(principalIds?: readonly string[]): Promise<readonly KeptToken[]>
  addAccessKey(accessKey: KeptAccessKey): Promise<void>
  findAccessKey(keyHash: string): Promise<KeptAccessKey | undefined>
  /** As `revokeToken`. */
  revokeAccessKey(accessKeyId: string, at: string): Promise<KeptAccessKey | undefined>
  /** Oldest first. */
  listAccessKeys(): Promise<readonly KeptAccessKey[]>
  /** Deletes tokens and access keys that expired or were revoked before this time. */
  forgetEnded(before: string): Promise<void>
  findCustodialKey(principalId: string): Promise<CustodialKey | undefined>
  /** Keeps the key in place of the one with the id `replaces`, or where there was none. The key that is kept afterwards: another caller may have been faster. */
  putCustodialKey(key: CustodialKey, replaces?: string): Promise<CustodialKey>
}

export interface StoredArtifact { readonly contentHash: string; readonly sizeBytes: number; readonly mediaType: string }
/** Content-addressed bytes. `put` is durable (fsync) before it resolves; what is read was hashed again first, and a mismatch throws. */
export interface ArtifactStore {
  /** `no-room` when the disk would get too full for everything else that stands on it. */
  put(content: AsyncIterable<Uint8Array>, options: { mediaType: string; maxBytes: number; uploadedBy: string }): Promise<StoredArtifact | 'too-large' | 'no-room'>
  /** With who stored it first. */
  find(contentHash: string): Promise<(StoredArtifact & { uploadedBy: string }) | undefined>
  /** Whether the Principal has stored this content, first or again: it had the bytes in hand, and not their hash alone. */
  isFrom(contentHash: string, principalId: string): Promise<boolean>
  /** The content piece by piece; read it to its end or destroy it. */
  open(contentHash: string): Promise<Readable | undefined>
  /** All of it at once, for content whose size is known to be small. */
  read(contentHash: string): Promise<Uint8Array | undefined>
}

/** The database's clock, RFC 3339 UTC with milliseconds, never running backwards within the process. */
export interface Clock {
  now(): string
  /** Milliseconds since 1970 of `now()`. */
  nowMs(): number
}

/** Wake-ups between nodes; a lost one costs latency, never data. */
export interface WakeUps {
  publish(spaceId: string): void
  /** `onGap` is called when wake-ups may have been missed and are heard again. */
  subscribe(listener: (spaceId: string) => void, onGap?: () => void): () => void
}

/** A place that one node at most has, of all that work on the store. */
export interface Seat {
  /** Asks for it now and from then on until `leave`. Resolves after the first attempt, with all that came of it. */
  hold(holder: SeatHolder): Promise<void>
  /** Gives it up, and asks no longer. */
  leave(): Promise<void>
}
export interface SeatHolder {
  /** Where it rejects, the seat is given up and asked for again. */
  taken(): Promise<void>
  /** It may be another node's already. */
  lost(): Promise<void>
}

export interface Store {
  readonly log: SpaceLog
  readonly readModels: ReadModels
  readonly directory: Directory
  readonly rulings: RulingStore
  readonly credentials: CredentialStore
  readonly openSpaces: OpenSpaceStore
  readonly iap: IapStore
  /** Of the node that serves the Inter-Agent Protocol. */
  readonly iapSeat: Seat
  readonly clock: Clock
  readonly wakeUps: WakeUps
  close(): Promise<void>
}

export type DecodedEntry = LogEntry & { readonly event: EventDocument }
