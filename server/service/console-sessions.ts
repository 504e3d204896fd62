// How a person signs in: sign a challenge with a registered key, get a cookie. There is no password anywhere.
import { createHash, randomBytes } from 'node:crypto'
import { encodeBase64url } from '../../protocol/base64url.ts'
import { encodeCanonical } from '../../protocol/canonical-json.ts'
import { addSeconds } from '../../protocol/timestamp.ts'
import type { Clock, Directory, RegisteredKey } from './ports.ts'
import type { ConsoleAccess, ConsolePurpose } from './service.ts'

const challengeSeconds = 10 * 60
const sessionSeconds = 12 * 60 * 60
const maximumOpenChallenges = 10_000

interface OpenChallenge { readonly purpose: ConsolePurpose; readonly bytes: Uint8Array; readonly expiresAt: string }

interface Needs {
  readonly directory: Pick<Directory, 'addConsoleSession' | 'findConsoleSession' | 'endConsoleSession'>
  readonly clock: Clock
  /** Public origin of this server; a signature made for another server is worthless here. */
  readonly audience: string
  /** The key when it is registered and valid now. */
  readonly validKey: (keyId: string) => RegisteredKey | undefined
}

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex')

export class ConsoleSessions implements ConsoleAccess {
  readonly #needs: Needs
  readonly #challenges = new Map<string, OpenChallenge>()

  constructor(needs: Needs) {
    this.#needs = needs
  }

  challenge(purpose: ConsolePurpose) {
    this.#dropExpired()
    const challengeId = encodeBase64url(randomBytes(18))
    const expiresAt = addSeconds(this.#needs.clock.now(), challengeSeconds)
    const bytes = encodeCanonical({ audience: this.#needs.audience, challengeId, expiresAt, purpose })
    this.#challenges.set(challengeId, { purpose, bytes, expiresAt })
    return { challengeId, challenge: encodeBase64url(bytes), expiresAt }
  }

  take(challengeId: string, purpose: ConsolePurpose): Uint8Array | undefined {
    const open = this.#challenges.get(challengeId)
    this.#challenges.delete(challengeId)
    if (!open || open.purpose !== purpose || open.expiresAt <= this.#needs.clock.now()) return undefined
    return open.bytes
  }

  async open(principalId: string, keyId: string) {
    const token = encodeBase64url(randomBytes(32))
    const expiresAt = addSeconds(this.#needs.clock.now(), sessionSeconds)
    await this.#needs.directory.addConsoleSession({ tokenHash: hashOf(token), principalId, keyId, expiresAt })
    return { token, expiresAt }
  }

  async find(token: string) {
    const session = await this.#needs.directory.findConsoleSession(hashOf(token))
    if (!session || session.expiresAt <= this.#needs.clock.now() || !this.#needs.validKey(session.keyId)) return undefined
    return { principalId: session.principalId, keyId: session.keyId }
  }

  async end(token: string) {
    await this.#needs.directory.endConsoleSession(hashOf(token))
  }

  /** Anybody may ask for a challenge, so the table is bounded: expired ones go first, then the oldest. */
  #dropExpired() {
    if (this.#challenges.size < maximumOpenChallenges) return
    const now = this.#needs.clock.now()
    for (const [id, open] of this.#challenges) if (open.expiresAt <= now) this.#challenges.delete(id)
    for (const id of this.#challenges.keys()) {
      if (this.#challenges.size < maximumOpenChallenges) return
      this.#challenges.delete(id)
    }
  }
}
