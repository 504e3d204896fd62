// A registered key as its owner sees it.
import { sha256Hash } from '../../../protocol/digest.ts'
import { decodeBase64url } from '../../../protocol/base64url.ts'
import type { RegisteredKey } from '../../service/ports.ts'

export interface KeyView {
  readonly keyId: string
  readonly use: string
  readonly label: string
  readonly custody: string
  readonly validFrom: string
  readonly revokedAt?: string
  /** SHA-256 of the 32 public key bytes. */
  readonly fingerprint: string
}

export function keyView(key: RegisteredKey): KeyView {
  const revokedAt = key.history.map((boundary) => boundary.revokedAt).filter((at) => at !== undefined).sort()[0]
  return {
    keyId: key.keyId,
    use: key.keyUse,
    label: key.label,
    custody: key.custody,
    validFrom: key.validFrom,
    ...(revokedAt && { revokedAt }),
    fingerprint: sha256Hash(decodeBase64url(key.publicKey) ?? new Uint8Array()),
  }
}
