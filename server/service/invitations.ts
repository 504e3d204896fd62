// One-time links by which a person becomes a Principal.
import { addSeconds } from '../../protocol/timestamp.ts'
import type { Clock, Directory, Invitation } from './ports.ts'
import type { Identities } from './service.ts'
import { newToken, tokenHashOf } from './secret-token.ts'

type InvitationStore = Pick<Directory, 'addInvitation' | 'findInvitation'>

export class Invitations {
  readonly #store: InvitationStore
  readonly #clock: Clock

  constructor(store: InvitationStore, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  async invite({ name, isAdmin, ttlSeconds }: Parameters<Identities['invite']>[0]): ReturnType<Identities['invite']> {
    const token = newToken()
    const createdAt = this.#clock.now()
    const expiresAt = addSeconds(createdAt, ttlSeconds)
    await this.#store.addInvitation({ tokenHash: tokenHashOf(token), name, isAdmin, createdAt, expiresAt })
    return { token, expiresAt }
  }

  async look(token: string): ReturnType<Identities['lookInvitation']> {
    const found = await this.find(token)
    if (typeof found === 'string') return { ok: false, reason: found }
    return { ok: true, name: found.name, isAdmin: found.isAdmin, expiresAt: found.expiresAt }
  }

  /** The invitation, or why it is no use. */
  async find(token: string): Promise<Invitation | string> {
    const invitation = await this.#store.findInvitation(tokenHashOf(token))
    if (invitation === undefined) return 'this invitation does not exist or was already used'
    return invitation.expiresAt > this.#clock.now() ? invitation : 'this invitation has expired'
  }
}
