// A key that its owner keeps outside the browser: the seed under a passphrase, with what the Registry calls the key.
import { decodeBase64url, encodeBase64url } from '../../protocol/base64url.ts'
import { isJsonObject, parseStrictJson, type JsonObject } from '../../protocol/strict-json.ts'
import type { WrappedKey } from './key-store.ts'
import type { KeyBinding } from './signer.ts'

const FORMAT = 'countersign.key-file.v1'
// Fewer would make guessing cheap, far more would hang the page that opens the file.
const MIN_ITERATIONS = 100_000
const MAX_ITERATIONS = 10_000_000

const utf8 = new TextEncoder()

/** The file's text, or undefined while the key is not registered: such a file would open nothing. */
export function encodeKeyFile({ publicKey, use, label, createdAt, binding, wrapped }: WrappedKey): string | undefined {
  if (binding === undefined) return undefined
  const { salt, iterations, iv, ciphertext } = wrapped
  const seed = { derivation: 'PBKDF2-SHA-256', cipher: 'AES-256-GCM', iterations, salt: encodeBase64url(salt), iv: encodeBase64url(iv), ciphertext: encodeBase64url(ciphertext) }
  return `${JSON.stringify({ format: FORMAT, binding, use, label, createdAt, publicKey, seed }, null, 2)}\n`
}

/** The key of a key file, or undefined when the text is none. Says nothing about the passphrase. */
export function parseKeyFile(text: string): WrappedKey | undefined {
  const parsed = parseStrictJson(utf8.encode(text))
  if (!parsed.ok || !isJsonObject(parsed.value.value)) return undefined
  const { format, use, label, createdAt, publicKey, binding, seed } = parsed.value.value
  if (format !== FORMAT || (use !== 'authority' && use !== 'conversation')) return undefined
  if (typeof label !== 'string' || typeof createdAt !== 'string' || typeof publicKey !== 'string') return undefined
  if (decodeBase64url(publicKey)?.length !== 32 || !isJsonObject(binding) || !isJsonObject(seed)) return undefined
  const known = parseBinding(binding)
  const wrapped = parseSeed(seed)
  return known && wrapped && { publicKey, use, label, createdAt, custody: 'key-file', binding: known, wrapped }
}

function parseBinding({ keyId, principalId, personName }: JsonObject): KeyBinding | undefined {
  return typeof keyId === 'string' && typeof principalId === 'string' && typeof personName === 'string' ? { keyId, principalId, personName } : undefined
}

function parseSeed({ iterations, salt, iv, ciphertext }: JsonObject): WrappedKey['wrapped'] | undefined {
  if (typeof iterations !== 'number' || !Number.isInteger(iterations) || iterations < MIN_ITERATIONS || iterations > MAX_ITERATIONS) return undefined
  const [saltBytes, ivBytes, ciphertextBytes] = [salt, iv, ciphertext].map((text) => (typeof text === 'string' ? decodeBase64url(text) : undefined))
  if (saltBytes === undefined || ivBytes?.length !== 12 || ciphertextBytes === undefined) return undefined
  return { iterations, salt: new Uint8Array(saltBytes), iv: new Uint8Array(ivBytes), ciphertext: new Uint8Array(ciphertextBytes) }
}
