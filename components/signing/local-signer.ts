// The signer that lives in the page itself: keys in IndexedDB, gestures in dialogs.
import { encodeBase64url } from '../../protocol/base64url.ts'
import { instantFromEpochMs } from '../../protocol/timestamp.ts'
import type { Result } from '../../protocol/result.ts'
import { err, ok } from '../../protocol/result.ts'
import type { Signer as SignBytes } from '../../protocol/signed-documents.ts'
import { makeUnextractableKey, makeWrappedKey, probeCustody, signWith, unwrapSeed } from './key-custody.ts'
import type { KeyStore, StoredKey } from './key-store.ts'
import { encodeKeyFile, parseKeyFile } from './key-file.ts'
import type { Custody, HeldKey, KeyUse, NameHints, ProbeOutcome, SignRequest, Signer, SignerRefusal, WantedKey } from './signer.ts'
import { byReadiness } from './signer.ts'
import { completeCommand, isPossessionChallenge, planSigning, type SigningPlan } from './signing-plan.ts'

export interface ConfirmRequest {
  readonly plan: SigningPlan
  /** Keys that may sign this, at least one. */
  readonly keys: readonly StoredKey[]
  readonly names: NameHints
  /** Milliseconds since 1970 after which the authority would refuse the bytes as too old. */
  readonly staleAtMs: number | undefined
  /** False when the passphrase does not open the key; the dialog stays open. */
  readonly attempt: (key: StoredKey, passphrase: string | undefined) => Promise<boolean>
}

/** What only a person can give. */
export interface Gestures {
  confirm(request: ConfirmRequest): Promise<'done' | 'cancelled' | 'stale'>
  unlock(request: { readonly label: string; readonly attempt: (passphrase: string) => Promise<boolean> }): Promise<'done' | 'cancelled'>
  /** `file`: for a key file; `browser`: because this browser cannot keep a key in the better way. */
  newPassphrase(reason: 'file' | 'browser'): Promise<string | undefined>
}

export interface LocalSignerOptions {
  readonly store: KeyStore
  readonly gestures: Gestures
  /** Scheme, host and port of this page: challenges for another site are refused. */
  readonly origin: string
}

// Half a minute less than the authority's window, for the way there.
const FRESH_FOR_MS = 4.5 * 60_000

export function createLocalSigner({ store, gestures, origin }: LocalSignerOptions): Signer {
  const unlockedSeeds = new Map<string, Uint8Array>()
  let probing: Promise<ProbeOutcome> | undefined
  const probe = () => (probing ??= probeCustody(store))

  /** Bytes to sign with, by way of the gesture that the key's use demands. */
  async function withKey<T>(plan: SigningPlan, request: SignRequest, act: (keyId: string, sign: SignBytes) => Promise<T>): Promise<Result<T, SignerRefusal>> {
    const keys = await candidates(store, plan.use, request.keyIds)
    const first = keys[0]
    if (first === undefined) return err('no-key')
    let made: Result<T, 'moved'> | undefined
    const attempt = async (key: StoredKey, passphrase: string | undefined): Promise<boolean> => {
      const seed = await seedOf(key, passphrase)
      if (seed === 'locked') return false
      const isStillTrue = (await request.isStillTrue?.()) ?? true
      made = isStillTrue ? ok(await act(key.binding!.keyId, (bytes) => signWith(key, bytes, seed))) : err('moved')
      return true
    }
    const outcome =
      first.use === 'authority'
        ? await gestures.confirm({ plan, keys, names: request.names ?? {}, staleAtMs: staleAtMs(plan), attempt })
        : (await attempt(first, undefined))
          ? 'done'
          : await gestures.unlock({ label: first.label, attempt: (passphrase) => attempt(first, passphrase) })
    return outcome === 'done' ? made! : err(outcome)
  }

  /** Seed of a wrapped key. A conversation key stays unlocked while the page lives, an authority key for one signature. */
  async function seedOf(key: StoredKey, passphrase: string | undefined): Promise<Uint8Array | undefined | 'locked'> {
    if (key.custody === 'not-extractable') return undefined
    const known = unlockedSeeds.get(key.publicKey)
    if (known !== undefined) return known
    const seed = passphrase === undefined ? undefined : await unwrapSeed(key, passphrase)
    if (seed !== undefined && key.use === 'conversation') unlockedSeeds.set(key.publicKey, seed)
    return seed ?? 'locked'
  }

  async function createKeys(wanted: readonly WantedKey[]): Promise<Result<readonly HeldKey[], SignerRefusal>> {
    const custodies = await custodiesOf(wanted, probe)
    if (!custodies.ok) return custodies
    const isWrapping = custodies.value.some((custody) => custody !== 'not-extractable')
    const passphrase = isWrapping ? await gestures.newPassphrase(custodies.value.includes('key-file') ? 'file' : 'browser') : undefined
    if (isWrapping && passphrase === undefined) return err('cancelled')
    // Asks the browser not to evict the keys; a refusal changes nothing but the odds.
    await globalThis.navigator?.storage?.persist?.().catch(() => false)
    const made: HeldKey[] = []
    for (const [at, { use, label }] of wanted.entries()) {
      const custody = custodies.value[at]!
      const details = { use, label, createdAt: instantFromEpochMs(Date.now()) }
      const key = custody === 'not-extractable' ? await makeUnextractableKey(details) : await makeWrappedKey({ ...details, custody }, passphrase!)
      // Unlocked until it is registered, for its proof.
      if (key.custody !== 'not-extractable') unlockedSeeds.set(key.publicKey, (await unwrapSeed(key, passphrase!))!)
      await store.put(key)
      made.push(withoutPrivateHalf(key))
    }
    return ok(made)
  }

  return {
    probe,
    listKeys: async () => (await store.list()).map(withoutPrivateHalf),
    bindKey: async (publicKey, binding) => {
      const key = await store.find(publicKey)
      if (key === undefined) return
      await store.put({ ...key, binding })
      if (key.use === 'authority') unlockedSeeds.delete(publicKey)
    },
    forgetKey: async (publicKey) => {
      unlockedSeeds.delete(publicKey)
      await store.remove(publicKey)
    },
    createKeys,
    proveKey: async (publicKey, challenge) => {
      const key = await store.find(publicKey)
      if (key === undefined || key.binding !== undefined) return err('no-key')
      if (!isPossessionChallenge(challenge, origin)) return err('unreadable')
      const seed = await seedOf(key, undefined)
      return seed === 'locked' ? err('no-key') : ok(encodeBase64url(await signWith(key, challenge, seed)))
    },
    exportKeyFile: async (publicKey) => {
      const key = await store.find(publicKey)
      return key === undefined || key.custody === 'not-extractable' ? undefined : encodeKeyFile(key)
    },
    importKeyFile: async (text) => {
      const key = parseKeyFile(text)
      if (key === undefined) return err('unreadable')
      await store.put(key)
      return ok(withoutPrivateHalf(key))
    },
    signCommand: async (request) => {
      const plan = planSigning(request.bytes, origin)
      if (!plan.ok || plan.value.form !== 'command') return err('unreadable')
      const command = plan.value
      return withKey(command, request, (keyId, sign) => completeCommand(command, keyId, sign))
    },
    signStatement: async (request) => {
      const plan = planSigning(request.bytes, origin)
      if (!plan.ok || plan.value.form === 'command') return err('unreadable')
      return withKey(plan.value, request, async (keyId, sign) => ({ keyId, signature: encodeBase64url(await sign(request.bytes)) }))
    },
  }
}

/** How each wanted key is held: a file always under a passphrase, this browser as well as the probe allows. */
async function custodiesOf(wanted: readonly WantedKey[], probe: () => Promise<ProbeOutcome>): Promise<Result<readonly Custody[], SignerRefusal>> {
  const { custody } = await probe()
  if (custody === 'none') return err('no-storage')
  return ok(wanted.map(({ place }) => (place === 'file' ? 'key-file' : custody)))
}

/** Registered keys of this use that the request allows: conversation keys first, then as {@link byReadiness} says. */
async function candidates(store: KeyStore, use: KeyUse | 'any', keyIds: readonly string[]): Promise<readonly StoredKey[]> {
  const keys = await store.list()
  return keys
    .filter((key) => (use === 'any' || key.use === use) && key.binding !== undefined && keyIds.includes(key.binding.keyId))
    .sort((a, b) => b.use.localeCompare(a.use) || byReadiness(a, b))
}

function staleAtMs(plan: SigningPlan): number | undefined {
  const { document } = plan
  if (plan.form === 'command') return Date.parse(String(document['issuedAt'])) + FRESH_FOR_MS
  return typeof document['expiresAt'] === 'string' ? Date.parse(document['expiresAt']) : undefined
}

function withoutPrivateHalf(key: StoredKey): HeldKey {
  const { publicKey, use, label, custody, createdAt, binding } = key
  return { publicKey, use, label, custody, createdAt, ...(binding !== undefined && { binding }) }
}
