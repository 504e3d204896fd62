// Keys that enrol Nodes at the IOA door. None exists until an operator or an administrator makes one.
import { randomBytes, randomUUID } from 'node:crypto'
import { addSeconds } from '../../../protocol/timestamp.ts'
import type { Clock, CredentialStore, KeptAccessKey } from '../ports.ts'
import { tokenHashOf } from '../secret-token.ts'
import { isTokenText } from './door-tokens.ts'
import type { AccessKeyRecord, AccessKeys } from './types.ts'

interface Needs {
  readonly store: Pick<CredentialStore, 'addAccessKey' | 'findAccessKey' | 'revokeAccessKey' | 'listAccessKeys'>
  readonly clock: Clock
}

export class EnrolmentKeys implements AccessKeys {
  readonly #needs: Needs

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** 64 lower-case hex digits, shown once and kept as a hash. */
  async create({ label, ttlSeconds }: Parameters<AccessKeys['create']>[0]): ReturnType<AccessKeys['create']> {
    const accessKey = randomBytes(32).toString('hex')
    const now = this.#needs.clock.now()
    const record: AccessKeyRecord = { accessKeyId: `urn:uuid:${randomUUID()}`, label, createdAt: now, ...(ttlSeconds !== undefined && { expiresAt: addSeconds(now, ttlSeconds) }) }
    await this.#needs.store.addAccessKey({ ...record, keyHash: tokenHashOf(accessKey) })
    return { accessKey, record }
  }

  /** Enrolment is rare: every look goes to the store, so that a revocation counts at once. */
  async find(accessKey: string): Promise<AccessKeyRecord | undefined> {
    const kept = isTokenText(accessKey) ? await this.#needs.store.findAccessKey(tokenHashOf(accessKey)) : undefined
    if (kept === undefined || kept.revokedAt !== undefined) return undefined
    const isOver = kept.expiresAt !== undefined && Date.parse(kept.expiresAt) <= this.#needs.clock.nowMs()
    return isOver ? undefined : recordOf(kept)
  }

  revoke = async (accessKeyId: string): Promise<boolean> => (await this.#needs.store.revokeAccessKey(accessKeyId, this.#needs.clock.now())) !== undefined
  list = async (): Promise<readonly AccessKeyRecord[]> => (await this.#needs.store.listAccessKeys()).map(recordOf)
}

const recordOf = ({ keyHash: _keyHash, ...record }: KeptAccessKey): AccessKeyRecord => record
