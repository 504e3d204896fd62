import type { EventDocument, ProtocolError } from '../protocol/generated/types.ts'
import type { Result } from '../protocol/result.ts'

/** The authority's answer to something that it does not do. Branch on `code`, never on `message`. */
export type Refusal = Readonly<ProtocolError>

/** The primary Event of an accepted Command, which is its receipt, or why it was refused. */
export type Receipt = Result<EventDocument, Refusal>

/** The authority does not open a session for this Agent and key. */
export class HandshakeRefused extends Error {
  override readonly name = 'HandshakeRefused'
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(`${refusal.code}: ${refusal.message}`)
    this.refusal = refusal
  }
}

/** A Group that cannot be followed: it does not exist for this Agent. */
export class SubscriptionRefused extends Error {
  override readonly name = 'SubscriptionRefused'
  readonly refusal: Refusal

  constructor(groupId: string, refusal: Refusal) {
    super(`${groupId}: ${refusal.code}: ${refusal.message}`)
    this.refusal = refusal
  }
}

/** Another runtime opened a newer session of the same Agent; this client will not fight over it. */
export class SessionReplaced extends Error {
  override readonly name = 'SessionReplaced'
}

/** The client was closed while something was still waiting. */
export class ClientClosed extends Error {
  override readonly name = 'ClientClosed'
}

/** An answer of the HTTP side that the caller did not ask for. */
export class HttpFault extends Error {
  override readonly name = 'HttpFault'
  readonly status: number

  constructor(status: number, what: string) {
    super(`${what} answered ${status}`)
    this.status = status
  }
}

/** Content that does not have the hash by which it was asked for. */
export class IntegrityFault extends Error {
  override readonly name = 'IntegrityFault'

  constructor(contentHash: string) {
    super(`what was delivered is not ${contentHash}`)
  }
}

/** The snapshot of a Group does not hold: wrong hash, wrong signature, or nothing at all. */
export class SnapshotFault extends Error {
  override readonly name = 'SnapshotFault'

  constructor(groupId: string, what: string) {
    super(`${groupId}: the snapshot cannot be used: ${what}`)
  }
}
