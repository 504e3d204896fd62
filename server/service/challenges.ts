// Challenges that nobody can crowd out: what was issued is not kept but recognized by its authentication code.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { decodeBase64url, encodeBase64url } from '../../protocol/base64url.ts'
import { encodeCanonical } from '../../protocol/canonical-json.ts'
import { instantFromEpochMs } from '../../protocol/timestamp.ts'
import type { Clock } from './ports.ts'

const nonceBytes = 16
const expiryBytes = 6
const idBytes = nonceBytes + expiryBytes + 32

/** What a challenge says besides its id and its end. */
export type ChallengeMembers = Readonly<Record<string, string>>

export interface IssuedChallenge {
  readonly challengeId: string
  readonly expiresAt: string
  /** What is to be signed: the members with `challengeId` and `expiresAt`, in canonical form. */
  readonly bytes: Uint8Array
}

/** Good for this process alone. Only challenges that were spent are kept, until they end. */
export class Challenges {
  readonly #clock: Clock
  readonly #seconds: number
  readonly #key = randomBytes(32)
  readonly #spent = new Map<string, number>()

  constructor(clock: Clock, seconds: number) {
    this.#clock = clock
    this.#seconds = seconds
  }

  issue(members: ChallengeMembers): IssuedChallenge {
    const opening = Buffer.alloc(nonceBytes + expiryBytes)
    randomBytes(nonceBytes).copy(opening)
    opening.writeUIntBE(this.#clock.nowMs() + this.#seconds * 1000, nonceBytes, expiryBytes)
    return written(Buffer.concat([opening, this.#code(opening, members)]), members)
  }

  /** The bytes of an issued challenge; undefined when it was not issued over exactly these members, has ended or was spent. */
  recall(challengeId: string, members: ChallengeMembers): Uint8Array | undefined {
    const id = readId(challengeId)
    if (id === undefined || this.#spent.has(challengeId) || expiryOf(id) <= this.#clock.nowMs()) return undefined
    const opening = id.subarray(0, nonceBytes + expiryBytes)
    return timingSafeEqual(id.subarray(opening.length), this.#code(opening, members)) ? written(id, members).bytes : undefined
  }

  /**
   * True for exactly one caller. To be called once the signature over a recalled challenge has been verified, so that only
   * holders of keys can make this table grow.
   */
  spend(challengeId: string): boolean {
    const id = readId(challengeId)
    if (id === undefined || this.#spent.has(challengeId)) return false
    const nowMs = this.#clock.nowMs()
    for (const [spent, endsAtMs] of this.#spent) {
      if (endsAtMs > nowMs) break
      this.#spent.delete(spent)
    }
    this.#spent.set(challengeId, expiryOf(id))
    return true
  }

  #code(opening: Uint8Array, members: ChallengeMembers): Uint8Array {
    return createHmac('sha256', this.#key).update(opening).update(encodeCanonical(members)).digest()
  }
}

function readId(challengeId: string): Buffer | undefined {
  const bytes = decodeBase64url(challengeId)
  return bytes?.length === idBytes ? Buffer.from(bytes) : undefined
}

const expiryOf = (id: Buffer): number => id.readUIntBE(nonceBytes, expiryBytes)

function written(id: Buffer, members: ChallengeMembers): IssuedChallenge {
  const challengeId = encodeBase64url(id)
  const expiresAt = instantFromEpochMs(expiryOf(id))
  return { challengeId, expiresAt, bytes: encodeCanonical({ ...members, challengeId, expiresAt }) }
}
