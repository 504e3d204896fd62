// Keys of this browser, in IndexedDB: the one place that can hold a private key without being able to read it.
import type { HeldKey } from './signer.ts'

/** Seed encrypted under a passphrase: PBKDF2-SHA-256 to an AES-256-GCM key, the public key as additional data. */
export interface WrappedSeed {
  readonly salt: Uint8Array<ArrayBuffer>
  readonly iterations: number
  readonly iv: Uint8Array<ArrayBuffer>
  readonly ciphertext: Uint8Array<ArrayBuffer>
}

/** A held key with its private half in the form that its custody allows. */
export type WrappedKey = HeldKey & { readonly custody: 'passphrase' | 'key-file'; readonly wrapped: WrappedSeed }
export type StoredKey = (HeldKey & { readonly custody: 'not-extractable'; readonly privateKey: CryptoKey }) | WrappedKey

export interface KeyStore {
  list(): Promise<readonly StoredKey[]>
  find(publicKey: string): Promise<StoredKey | undefined>
  put(key: StoredKey): Promise<void>
  remove(publicKey: string): Promise<void>
}

const DATABASE = 'countersign-signer'
const STORE = 'keys'

/** Opens the store for each call: a connection held open would block an upgrade in another tab. Rejects where storage is refused. */
export const indexedDbKeyStore: KeyStore = {
  list: async () => (await inStore('readonly', (store) => store.getAll())) as StoredKey[],
  find: async (publicKey) => (await inStore('readonly', (store) => store.get(publicKey))) as StoredKey | undefined,
  put: async (key) => void (await inStore('readwrite', (store) => store.put(key))),
  remove: async (publicKey) => void (await inStore('readwrite', (store) => store.delete(publicKey))),
}

async function inStore(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest): Promise<unknown> {
  const database = await openDatabase()
  try {
    return await new Promise((resolve, reject) => {
      const transaction = database.transaction(STORE, mode)
      const request = act(transaction.objectStore(STORE))
      transaction.oncomplete = () => resolve(request.result)
      transaction.onabort = () => reject(transaction.error ?? new DOMException('the transaction was aborted', 'AbortError'))
    })
  } finally {
    database.close()
  }
}

function openDatabase(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(DATABASE, 1)
    opening.onupgradeneeded = () => opening.result.createObjectStore(STORE, { keyPath: 'publicKey' })
    opening.onsuccess = () => resolve(opening.result)
    opening.onerror = () => reject(opening.error ?? new DOMException('the database did not open', 'UnknownError'))
  })
}
