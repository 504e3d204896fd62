// How a person signs in: sign a challenge with a registered key, get a cookie. There is no password anywhere.
import { encodeBase64url } from '../../protocol/base64url.ts'
import { addSeconds } from '../../protocol/timestamp.ts'
import { Challenges } from './challenges.ts'
import type { Clock, Directory, RegisteredKey } from './ports.ts'
import { newToken, tokenHashOf } from './secret-token.ts'
import type { ConsoleAccess, ConsolePurpose } from './service.ts'

const challengeSeconds = 10 * 60
const sessionSeconds = 12 * 60 * 60

interface Needs {
  readonly directory: Pick<Directory, 'addConsoleSession' | 'findConsoleSession' | 'endConsoleSession'>
  readonly clock: Clock
  /** Public origin of this server; a signature made for another server is worthless here. */
  readonly audience: string
  /** The key when it is registered and valid now. */
  readonly validKey: (keyId: string) => RegisteredKey | undefined
}

export class ConsoleSessions implements ConsoleAccess {
  readonly #needs: Needs
  readonly #challenges: Challenges

  constructor(needs: Needs) {
    this.#needs = needs
    this.#challenges = new Challenges(needs.clock, challengeSeconds)
  }

  challenge(purpose: ConsolePurpose) {
    const { challengeId, bytes, expiresAt } = this.#challenges.issue(this.#members(purpose))
    return { challengeId, challenge: encodeBase64url(bytes), expiresAt }
  }

  recall(challengeId: string, purpose: ConsolePurpose) {
    return this.#challenges.recall(challengeId, this.#members(purpose))
  }

  spend(challengeId: string) {
    return this.#challenges.spend(challengeId)
  }

  async open(principalId: string, keyId: string) {
    const token = newToken()
    const expiresAt = addSeconds(this.#needs.clock.now(), sessionSeconds)
    await this.#needs.directory.addConsoleSession({ tokenHash: tokenHashOf(token), principalId, keyId, expiresAt })
    return { token, expiresAt }
  }

  async find(token: string) {
    const session = await this.#needs.directory.findConsoleSession(tokenHashOf(token))
    if (!session || session.expiresAt <= this.#needs.clock.now() || !this.#needs.validKey(session.keyId)) return undefined
    return { principalId: session.principalId, keyId: session.keyId }
  }

  async end(token: string) {
    await this.#needs.directory.endConsoleSession(tokenHashOf(token))
  }

  #members(purpose: ConsolePurpose) {
    return { audience: this.#needs.audience, purpose }
  }
}
