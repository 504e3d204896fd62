// The two ways in which a browser can hold an Ed25519 key, and the probe that decides between them.
import { decodeBase64url, encodeBase64url } from '../../protocol/base64url.ts'
import { publicKeyOf, signBytes } from '../../protocol/ed25519-sign.ts'
import { invariant } from '../../protocol/result.ts'
import type { KeyStore, StoredKey, WrappedKey, WrappedSeed } from './key-store.ts'
import type { Custody, KeyUse, ProbeOutcome } from './signer.ts'

const ED25519 = 'Ed25519'
const PROBE_MESSAGE = new TextEncoder().encode('countersign key probe')
const PBKDF2_ITERATIONS = 600_000
const SEED_BYTES = 32

type NewKey = { readonly use: KeyUse; readonly label: string; readonly createdAt: string }

/**
 * Finds out by doing it (generate, store, reload, sign, verify) whether this browser can keep a key that cannot be
 * copied out. Firefox before 136 makes such keys but cannot store them; private modes may refuse storage altogether.
 */
export async function probeCustody(store: KeyStore): Promise<ProbeOutcome> {
  if (globalThis.crypto?.subtle === undefined) return { custody: 'none', reason: 'insecure-context' }
  try {
    await store.list()
  } catch {
    return { custody: 'none', reason: 'storage-refused' }
  }
  let made: StoredKey
  try {
    made = await makeUnextractableKey({ use: 'conversation', label: 'probe', createdAt: '' })
  } catch {
    return { custody: 'passphrase', reason: 'ed25519-missing' }
  }
  try {
    await store.put(made)
    const reloaded = await store.find(made.publicKey)
    return (await signsWell(reloaded)) ? { custody: 'not-extractable' } : { custody: 'passphrase', reason: 'key-not-storable' }
  } catch {
    return { custody: 'passphrase', reason: 'key-not-storable' }
  } finally {
    await store.remove(made.publicKey).catch(() => undefined)
  }
}

async function signsWell(key: StoredKey | undefined): Promise<boolean> {
  if (key?.custody !== 'not-extractable') return false
  const signature = await crypto.subtle.sign(ED25519, key.privateKey, PROBE_MESSAGE)
  const publicKey = await crypto.subtle.importKey('raw', publicKeyBytes(key), ED25519, true, ['verify'])
  return crypto.subtle.verify(ED25519, publicKey, signature, PROBE_MESSAGE)
}

export async function makeUnextractableKey(details: NewKey): Promise<StoredKey> {
  const pair = (await crypto.subtle.generateKey(ED25519, false, ['sign', 'verify'])) as CryptoKeyPair
  const publicKey = encodeBase64url(new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey)))
  return { ...details, publicKey, custody: 'not-extractable', privateKey: pair.privateKey }
}

export async function makeWrappedKey(details: NewKey & { readonly custody: Exclude<Custody, 'not-extractable'> }, passphrase: string): Promise<WrappedKey> {
  const seed = crypto.getRandomValues(new Uint8Array(SEED_BYTES))
  const publicKey = publicKeyOf(seed)
  const wrapped = await wrapSeed(seed, publicKey, passphrase)
  seed.fill(0)
  return { ...details, publicKey: encodeBase64url(publicKey), wrapped }
}

async function wrapSeed(seed: Uint8Array<ArrayBuffer>, publicKey: Uint8Array, passphrase: string): Promise<WrappedSeed> {
  const salt = crypto.getRandomValues(new Uint8Array(16))
  const iv = crypto.getRandomValues(new Uint8Array(12))
  const key = await passphraseKey(passphrase, salt, PBKDF2_ITERATIONS)
  const ciphertext = await crypto.subtle.encrypt({ name: 'AES-GCM', iv, additionalData: new Uint8Array(publicKey) }, key, seed)
  return { salt, iterations: PBKDF2_ITERATIONS, iv, ciphertext: new Uint8Array(ciphertext) }
}

/** The 32-byte seed, or undefined when the passphrase is wrong. */
export async function unwrapSeed(key: WrappedKey, passphrase: string): Promise<Uint8Array | undefined> {
  const { salt, iterations, iv, ciphertext } = key.wrapped
  const unwrapping = await passphraseKey(passphrase, salt, iterations)
  try {
    return new Uint8Array(await crypto.subtle.decrypt({ name: 'AES-GCM', iv, additionalData: publicKeyBytes(key) }, unwrapping, ciphertext))
  } catch {
    return undefined
  }
}

async function passphraseKey(passphrase: string, salt: Uint8Array<ArrayBuffer>, iterations: number): Promise<CryptoKey> {
  const material = await crypto.subtle.importKey('raw', new TextEncoder().encode(passphrase.normalize('NFKC')), 'PBKDF2', false, ['deriveKey'])
  return crypto.subtle.deriveKey({ name: 'PBKDF2', hash: 'SHA-256', salt, iterations }, material, { name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt'])
}

/** Signs with a held key; a wrapped one needs its seed, unlocked before. 64 bytes. */
export async function signWith(key: StoredKey, message: Uint8Array, seed: Uint8Array | undefined): Promise<Uint8Array> {
  if (key.custody === 'not-extractable') return new Uint8Array(await crypto.subtle.sign(ED25519, key.privateKey, new Uint8Array(message)))
  invariant(seed !== undefined, 'a wrapped key signs only once it is unlocked')
  return signBytes(seed, message)
}

function publicKeyBytes(key: StoredKey): Uint8Array<ArrayBuffer> {
  const bytes = decodeBase64url(key.publicKey)
  invariant(bytes !== undefined, 'a stored public key is base64url')
  return new Uint8Array(bytes)
}
