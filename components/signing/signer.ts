// The one interface through which anything is signed. Callers hand over exact bytes and get exact bytes back; which key,
// which custody and which gesture is the signer's own affair, so that it can move to an origin of its own.
import type { Result } from '../../protocol/result.ts'

export type KeyUse = 'authority' | 'conversation'

/**
 * `not-extractable`: the browser signs and never gives the key away. `passphrase`: an encrypted seed in the browser,
 * weaker. `key-file`: an encrypted seed that its owner keeps as a file, to come back with when the browser is lost.
 */
export type Custody = 'not-extractable' | 'passphrase' | 'key-file'

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

/** Keys of the browser itself before key files, whose place is elsewhere; among equals the newest first. */
export function byReadiness(a: HeldKey, b: HeldKey): number {
  return Number(a.custody === 'key-file') - Number(b.custody === 'key-file') || b.createdAt.localeCompare(a.createdAt)
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
  /** What the bytes speak of moved between the reading and the press. */
  | 'moved'
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
  /** Asked after the press and before any signature: false says that what the bytes speak of has moved, and nothing is signed. */
  readonly isStillTrue?: () => Promise<boolean>
}

export interface DetachedSignature {
  readonly keyId: string
  /** Base64url of 64 bytes. */
  readonly signature: string
}

export interface WantedKey {
  readonly use: KeyUse
  readonly label: string
  /** `file`: made to be exported with `exportKeyFile`, always under a passphrase. */
  readonly place: 'browser' | 'file'
}

export interface Signer {
  probe(): Promise<ProbeOutcome>
  listKeys(): Promise<readonly HeldKey[]>
  /** Makes keys that are held here but not yet registered. Asks for a passphrase where one is needed. */
  createKeys(wanted: readonly WantedKey[]): Promise<Result<readonly HeldKey[], SignerRefusal>>
  /**
   * Proves possession of a key that is not yet registered over the server's challenge; base64url. The only signature
   * that an authority key gives without the dialog, because it has no authority yet.
   */
  proveKey(publicKey: string, challenge: Uint8Array): Promise<Result<string, SignerRefusal>>
  bindKey(publicKey: string, binding: KeyBinding): Promise<void>
  /** Removes the key from this browser for good. */
  forgetKey(publicKey: string): Promise<void>
  /** Text of the key file of a registered key under a passphrase; undefined for any other key. */
  exportKeyFile(publicKey: string): Promise<string | undefined>
  /** Takes the key of a key file into this browser. */
  importKeyFile(text: string): Promise<Result<HeldKey, SignerRefusal>>
  /** Signs a Command, and before it an unsigned Approval in its payload, by one gesture. Returns the whole signed Command. */
  signCommand(request: SignRequest): Promise<Result<Uint8Array, SignerRefusal>>
  /** Signs a sign-in challenge or the authorization of a new key. */
  signStatement(request: SignRequest): Promise<Result<DetachedSignature, SignerRefusal>>
}

/** Words for people on where a private key lives; registered with the key. */
export const CUSTODY_WORDS: Record<Custody, string> = {
  'not-extractable': 'browser key, cannot be copied out',
  passphrase: 'browser key, wrapped with a passphrase (weaker)',
  'key-file': 'key file, wrapped with a passphrase',
}
