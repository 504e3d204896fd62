// What the doors of Agents without a key of their own ask for: whose a bearer token is, and to act with a key that is held for them.
import type { Artifact, Evidence } from '../../../protocol/generated/types.ts'
import type { Result } from '../../../protocol/result.ts'
import type { SubmitOutcome } from '../service.ts'

/** The doors that take bearer tokens. */
export type TokenDoor = 'ioa' | 'mcp' | 'iap'

export interface TokenRecord {
  readonly tokenId: string
  readonly principalId: string
  readonly doors: readonly TokenDoor[]
  readonly label: string
  readonly createdAt: string
  readonly expiresAt?: string
  readonly revokedAt?: string
}
export interface AccessKeyRecord {
  readonly accessKeyId: string
  readonly label: string
  readonly createdAt: string
  readonly expiresAt?: string
  readonly revokedAt?: string
}

export interface DoorTokens {
  /** `token` is 64 lower-case hex digits, shown once and kept as a hash. Without `ttlSeconds` it does not expire. */
  issue(input: { readonly principalId: string; readonly doors: readonly TokenDoor[]; readonly label: string; readonly ttlSeconds?: number }): Promise<Result<{ readonly token: string; readonly record: TokenRecord }, { reason: string }>>
  /** Whose token it is, at this door; undefined for unknown, expired and revoked ones alike. From memory where it was seen before. */
  find(token: string, door: TokenDoor): Promise<TokenRecord | undefined>
  /** Whether this node has seen the token in force and has not heard of its end: to look at it again costs nothing that strangers could drive up. */
  isKnown(token: string): boolean
  /** Called when a token of this node's memory was revoked or has expired: what it opened is to be closed. */
  onEnded(listener: (tokenId: string) => void): () => void
  revoke(tokenId: string): Promise<boolean>
  /** Of all, or of these Principals: Nodes that register themselves have any number of tokens. */
  list(principalIds?: readonly string[]): Promise<readonly TokenRecord[]>
  /** To be called by a door whose connection with the Agent lasts; the function that it gives is called when the connection has closed. */
  connected(principalId: string): () => void
  /** Whether the Agent is connected at a door of this node, or has shown a token there within the last two minutes. */
  isActive(principalId: string): boolean
  /** When a door of this node last saw the Agent, in milliseconds since 1970; undefined where none did since it started. */
  lastSeenMs(principalId: string): number | undefined
}

/** Keys that enrol Nodes. One that enrolled a Node may enrol it again; another may not. */
export interface AccessKeys {
  create(input: { readonly label: string; readonly ttlSeconds?: number }): Promise<{ readonly accessKey: string; readonly record: AccessKeyRecord }>
  find(accessKey: string): Promise<AccessKeyRecord | undefined>
  revoke(accessKeyId: string): Promise<boolean>
  list(): Promise<readonly AccessKeyRecord[]>
}

/** A Command without what custody adds: protocol version, Action ID, actor, epochs, time and signature. */
export interface CustodialCommand {
  readonly kind: string
  readonly groupId: string
  readonly conversationId?: string
  readonly workItemId?: string
  readonly expectedRevision?: number
  readonly payload: Readonly<Record<string, unknown>>
  /** Event of the same Group that led to it. */
  readonly causedByEventId?: string
  /** For retries of the same Command. */
  readonly actionId?: string
}

/**
 * Keys that the server makes, seals and uses for Agents that hold none. They sign messages and the work of a worker, never a
 * decision, and never exist for a human.
 */
export interface Custody {
  /** Makes an Agent with a custodial key and a card; or gives a keyless Agent of that id its key. */
  adopt(input: { readonly name: string; readonly capabilities: readonly { readonly id: string; readonly version: string }[]; readonly maxConcurrency?: number; readonly agentId?: string }): Promise<Result<{ readonly agentId: string; readonly keyId: string }, { reason: string }>>
  holds(principalId: string): boolean
  /** Signs and submits; AUTH_FORBIDDEN for a kind that custody does not sign or a Principal that it does not hold a key for. */
  submit(principalId: string, command: CustodialCommand): Promise<SubmitOutcome>
  /** Signs the manifest of what this Agent made, with `createdAt` as its time. Refused where no key is held and for another producer. */
  signArtifact(principalId: string, manifest: Omit<Artifact, 'signature'>): Promise<Result<Artifact, { reason: string }>>
  /** Signs what this Agent found out, with `createdAt` as its time. Refused where no key is held and for another's finding. */
  signEvidence(principalId: string, evidence: Omit<Evidence, 'signature'>): Promise<Result<Evidence, { reason: string }>>
}

/** What the service offers to the doors of Agents without a key of their own. */
export interface Doors {
  readonly tokens: DoorTokens
  readonly accessKeys: AccessKeys
  readonly custody: Custody
}
