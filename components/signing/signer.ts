// The one interface through which anything is signed. Callers hand over exact bytes and get exact bytes back; which key,
// which custody and which gesture is the signer's own affair, so that it can move to an origin of its own.
import type { Result } from '../../protocol/result.ts'

export type KeyUse = 'authority' | 'conversation'

/** `not-extractable`: the browser signs and never gives the key away. `passphrase`: an encrypted seed, weaker. */
export type Custody = 'not-extractable' | 'passphrase'

/** What a key held in this browser is known as in the Organization's Registry. */
export interface KeyBinding {
  readonly keyId: string
  readonly principalId: string
  readonly personName: string
}

export interface HeldKey {
  /** Base64url of the 32 bytes; the key's identity in this browser. */
  readonly publicKey: string
  readonly use: KeyUse
  readonly label: string
  readonly custody: Custody
  readonly createdAt: string
  /** Absent until the Registry has accepted the key. */
  readonly binding?: KeyBinding
}

/** Why a browser that cannot hold a key in the best way cannot, found out by doing it. */
export type ProbeOutcome =
  | { readonly custody: 'not-extractable' }
  | { readonly custody: 'passphrase'; readonly reason: 'ed25519-missing' | 'key-not-storable' }
  | { readonly custody: 'none'; readonly reason: 'insecure-context' | 'storage-refused' }

export type SignerRefusal =
  /** The person closed the dialog. */
  | 'cancelled'
  /** No valid key for this use and person is held here. */
  | 'no-key'
  /** The bytes grew too old while they were being read; prepare new ones. */
  | 'stale'
  /** The bytes are no document that this signer can show, so it does not sign them. */
  | 'unreadable'
  /** This browser cannot keep keys. */
  | 'no-storage'

/** Names for ids inside the bytes, as the directory has them; the dialog says that they are not part of what is signed. */
export type NameHints = Readonly<Record<string, string>>

export interface SignRequest {
  /** RFC 8785 bytes: a Command without `signature`, a sign-in challenge, or the authorization of a new key. */
  readonly bytes: Uint8Array
  /** Registered keys that are valid now; any other key is refused. */
  readonly keyIds: readonly string[]
  readonly names?: NameHints
}

export interface DetachedSignature {
  readonly keyId: string
  /** Base64url of 64 bytes. */
  readonly signature: string
}

export interface NewKeyProof {
  readonly key: HeldKey
  /** Signature of the new key over the challenge, base64url. */
  readonly proof: string
}

export interface Signer {
  probe(): Promise<ProbeOutcome>
  listKeys(): Promise<readonly HeldKey[]>
  /**
   * Makes keys that are not yet registered, each proving possession over the server's challenge: the only signature
   * that an authority key gives without the dialog, because the key has no authority yet.
   */
  createKeys(keys: readonly { readonly use: KeyUse; readonly label: string }[], challenge: Uint8Array): Promise<Result<readonly NewKeyProof[], SignerRefusal>>
  bindKey(publicKey: string, binding: KeyBinding): Promise<void>
  /** Removes the key from this browser for good. */
  forgetKey(publicKey: string): Promise<void>
  /** Signs a Command, and before it an unsigned Approval in its payload, by one gesture. Returns the whole signed Command. */
  signCommand(request: SignRequest): Promise<Result<Uint8Array, SignerRefusal>>
  /** Signs a sign-in challenge or the authorization of a new key. */
  signStatement(request: SignRequest): Promise<Result<DetachedSignature, SignerRefusal>>
}

/** Words for people on where a private key lives; registered with the key. */
export const CUSTODY_WORDS: Record<Custody, string> = {
  'not-extractable': 'browser key, cannot be copied out',
  passphrase: 'browser key, wrapped with a passphrase (weaker)',
}
