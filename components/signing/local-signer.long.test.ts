import { describe, expect, it } from 'vitest'
import { decodeBase64url } from '../../protocol/base64url.ts'
import { encodeCanonical } from '../../protocol/canonical-json.ts'
import { verifyStrict } from '../../protocol/ed25519-strict.ts'
import { signingBytes } from '../../protocol/signed-documents.ts'
import type { KeyStore, StoredKey } from './key-store.ts'
import { createLocalSigner, type ConfirmRequest, type Gestures } from './local-signer.ts'
import { approveDraft, bytesOf, createDraft, IDS, memoryKeyStore, ORIGIN, postDraft, STAMP } from './signing-fixture.ts'
import type { HeldKey, KeyUse, Signer } from './signer.ts'

const PASSPHRASE = 'four unrelated small words'
const challengeOf = (purpose: string) => encodeCanonical({ audience: ORIGIN, challengeId: 'c', expiresAt: '2026-11-29T12:02:00.000Z', purpose })

interface Person extends Gestures {
  readonly asked: string[]
}

/** A person who does what the test says and whose questions are counted. */
function person(answers: { confirm?: (request: ConfirmRequest) => Promise<'done' | 'cancelled' | 'stale'>; passphrase?: string } = {}): Person {
  const asked: string[] = []
  return {
    asked,
    confirm: async (request) => {
      asked.push('confirm')
      if (answers.confirm !== undefined) return answers.confirm(request)
      return (await request.attempt(request.keys[0]!, answers.passphrase)) ? 'done' : 'cancelled'
    },
    unlock: async ({ attempt }) => {
      asked.push('unlock')
      return (await attempt(answers.passphrase ?? '')) ? 'done' : 'cancelled'
    },
    newPassphrase: async () => {
      asked.push('passphrase')
      return answers.passphrase
    },
  }
}

/** A store like that of a browser which makes Ed25519 keys but cannot keep them. */
function refusingKeyStore(): KeyStore {
  const store = memoryKeyStore()
  return {
    ...store,
    put: async (key: StoredKey) => {
      if (key.custody === 'not-extractable') throw new DOMException('no', 'DataCloneError')
      await store.put(key)
    },
  }
}

async function registered(signer: Signer, use: KeyUse, keyId: string): Promise<HeldKey> {
  const made = await signer.createKeys([{ use, label: 'test', place: 'browser' }])
  if (!made.ok) throw new Error(made.error)
  await signer.bindKey(made.value[0]!.publicKey, { keyId, principalId: IDS.me, personName: 'Ada' })
  return made.value[0]!
}

function isSignedBy(document: Record<string, unknown>, key: HeldKey): boolean {
  const { value } = document['signature'] as { value: string }
  return verifyStrict(decodeBase64url(key.publicKey)!, signingBytes(document), decodeBase64url(value)!)
}

const parse = (bytes: Uint8Array) => JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>

describe('a browser that can keep keys which cannot be copied out', () => {
  it('finds that out by doing it and leaves nothing behind', async () => {
    const store = memoryKeyStore()
    const signer = createLocalSigner({ store, gestures: person(), origin: ORIGIN })
    expect(await signer.probe()).toEqual({ custody: 'not-extractable' })
    expect(await store.list()).toEqual([])
  })

  it('makes a private key that cannot be exported', async () => {
    const store = memoryKeyStore()
    await registered(createLocalSigner({ store, gestures: person(), origin: ORIGIN }), 'authority', IDS.myKey)
    const [stored] = await store.list()
    expect(stored?.custody === 'not-extractable' && stored.privateKey.extractable).toBe(false)
  })

  it('signs talk without a question and every act of authority after one', async () => {
    const gestures = person()
    const signer = createLocalSigner({ store: memoryKeyStore(), gestures, origin: ORIGIN })
    const talk = await registered(signer, 'conversation', IDS.myKey)
    const authority = await registered(signer, 'authority', IDS.authorityKey)
    const keyIds = [IDS.myKey, IDS.authorityKey]

    const said = await signer.signCommand({ bytes: bytesOf(postDraft), keyIds })
    expect(gestures.asked).toEqual([])
    expect(said.ok && isSignedBy(parse(said.value), talk)).toBe(true)

    const created = await signer.signCommand({ bytes: bytesOf(createDraft), keyIds })
    const approved = await signer.signCommand({ bytes: bytesOf(approveDraft), keyIds })
    expect(gestures.asked).toEqual(['confirm', 'confirm'])
    expect(created.ok && isSignedBy(parse(created.value), authority)).toBe(true)
    expect(approved.ok && isSignedBy((parse(approved.value)['payload'] as { approval: Record<string, unknown> }).approval, authority)).toBe(true)
  })

  it('signs nothing when the person closes the dialog or the bytes grew old', async () => {
    for (const answer of ['cancelled', 'stale'] as const) {
      const signer = createLocalSigner({ store: memoryKeyStore(), gestures: person({ confirm: async () => answer }), origin: ORIGIN })
      await registered(signer, 'authority', IDS.myKey)
      expect(await signer.signCommand({ bytes: bytesOf(createDraft), keyIds: [IDS.myKey] })).toEqual({ ok: false, error: answer })
    }
  })

  it('signs nothing when what the bytes speak of moved before the press, and asks no earlier', async () => {
    const gestures = person()
    const signer = createLocalSigner({ store: memoryKeyStore(), gestures, origin: ORIGIN })
    await registered(signer, 'authority', IDS.myKey)
    const isStillTrue = async () => {
      gestures.asked.push('still true?')
      return false
    }
    expect(await signer.signCommand({ bytes: bytesOf(approveDraft), keyIds: [IDS.myKey], isStillTrue })).toEqual({ ok: false, error: 'moved' })
    expect(gestures.asked).toEqual(['confirm', 'still true?'])
  })

  it('never uses a conversation key for authority, nor a key that the caller does not hold valid', async () => {
    const signer = createLocalSigner({ store: memoryKeyStore(), gestures: person(), origin: ORIGIN })
    await registered(signer, 'conversation', IDS.myKey)
    await registered(signer, 'authority', IDS.authorityKey)
    expect(await signer.signCommand({ bytes: bytesOf(createDraft), keyIds: [IDS.myKey] })).toEqual({ ok: false, error: 'no-key' })
  })

  it('proves possession once, before the key is registered, and answers no other challenge', async () => {
    const signer = createLocalSigner({ store: memoryKeyStore(), gestures: person(), origin: ORIGIN })
    const made = await signer.createKeys([{ use: 'authority', label: 'test', place: 'browser' }])
    const key = made.ok ? made.value[0]! : undefined
    const challenge = challengeOf('countersign.console.enrol')
    const proof = await signer.proveKey(key!.publicKey, challenge)
    expect(proof.ok && verifyStrict(decodeBase64url(key!.publicKey)!, challenge, decodeBase64url(proof.value)!)).toBe(true)
    expect(await signer.proveKey(key!.publicKey, bytesOf(createDraft))).toEqual({ ok: false, error: 'unreadable' })

    await signer.bindKey(key!.publicKey, { keyId: IDS.myKey, principalId: IDS.me, personName: 'Ada' })
    expect(await signer.proveKey(key!.publicKey, challenge)).toEqual({ ok: false, error: 'no-key' })
  })

  it('signs in with the conversation key, without a question, where both are allowed', async () => {
    const gestures = person()
    const signer = createLocalSigner({ store: memoryKeyStore(), gestures, origin: ORIGIN })
    await registered(signer, 'authority', IDS.authorityKey)
    await registered(signer, 'conversation', IDS.myKey)
    const signed = await signer.signStatement({ bytes: challengeOf('countersign.console.sign-in'), keyIds: [IDS.authorityKey, IDS.myKey] })
    expect(signed.ok && signed.value.keyId).toBe(IDS.myKey)
    expect(gestures.asked).toEqual([])
  })

  it('tells the dialog when the authority would find the bytes too old', async () => {
    let staleAtMs: number | undefined
    const gestures = person({ confirm: async (request) => ((staleAtMs = request.staleAtMs), 'cancelled') })
    const signer = createLocalSigner({ store: memoryKeyStore(), gestures, origin: ORIGIN })
    await registered(signer, 'authority', IDS.myKey)
    await signer.signCommand({ bytes: bytesOf(createDraft), keyIds: [IDS.myKey] })
    expect(staleAtMs! - Date.parse(STAMP.issuedAt)).toBeLessThan(5 * 60_000)
  })
})

// Key derivation is slow on purpose, and slower on a busy machine.
const patiently = { timeout: 30_000 }

describe('a browser that cannot keep such keys', patiently, () => {
  it('says why, and wraps the seed under a passphrase that is asked for each signature of authority', async () => {
    const gestures = person({ passphrase: PASSPHRASE })
    const signer = createLocalSigner({ store: refusingKeyStore(), gestures, origin: ORIGIN })
    expect(await signer.probe()).toEqual({ custody: 'passphrase', reason: 'key-not-storable' })
    const key = await registered(signer, 'authority', IDS.myKey)
    expect(key.custody).toBe('passphrase')
    const signed = await signer.signCommand({ bytes: bytesOf(createDraft), keyIds: [IDS.myKey] })
    expect(gestures.asked).toEqual(['passphrase', 'confirm'])
    expect(signed.ok && isSignedBy(parse(signed.value), key)).toBe(true)
  })

  it('does not sign with a wrong passphrase', async () => {
    const store = refusingKeyStore()
    await registered(createLocalSigner({ store, gestures: person({ passphrase: PASSPHRASE }), origin: ORIGIN }), 'authority', IDS.myKey)
    const signer = createLocalSigner({ store, gestures: person({ passphrase: 'something else entirely' }), origin: ORIGIN })
    expect(await signer.signCommand({ bytes: bytesOf(createDraft), keyIds: [IDS.myKey] })).toEqual({ ok: false, error: 'cancelled' })
  })

  it('unlocks a conversation key once for as long as the page lives', async () => {
    const store = refusingKeyStore()
    await registered(createLocalSigner({ store, gestures: person({ passphrase: PASSPHRASE }), origin: ORIGIN }), 'conversation', IDS.myKey)
    const gestures = person({ passphrase: PASSPHRASE })
    const reloaded = createLocalSigner({ store, gestures, origin: ORIGIN })
    for (let time = 0; time < 2; time++) expect((await reloaded.signCommand({ bytes: bytesOf(postDraft), keyIds: [IDS.myKey] })).ok).toBe(true)
    expect(gestures.asked).toEqual(['unlock'])
  })

  it('makes no key when the person chooses no passphrase', async () => {
    const store = refusingKeyStore()
    const signer = createLocalSigner({ store, gestures: person(), origin: ORIGIN })
    expect(await signer.createKeys([{ use: 'authority', label: 'test', place: 'browser' }])).toEqual({ ok: false, error: 'cancelled' })
    expect(await store.list()).toEqual([])
  })
})

describe('a key file', patiently, () => {
  it('carries a registered key into another browser, where it signs under its passphrase', async () => {
    const first = createLocalSigner({ store: memoryKeyStore(), gestures: person({ passphrase: PASSPHRASE }), origin: ORIGIN })
    const made = await first.createKeys([{ use: 'authority', label: 'Key file', place: 'file' }])
    const key = made.ok ? made.value[0]! : undefined
    expect(await first.exportKeyFile(key!.publicKey)).toBeUndefined()
    await first.bindKey(key!.publicKey, { keyId: IDS.myKey, principalId: IDS.me, personName: 'Ada' })
    const text = await first.exportKeyFile(key!.publicKey)

    const second = createLocalSigner({ store: memoryKeyStore(), gestures: person({ passphrase: PASSPHRASE }), origin: ORIGIN })
    expect((await second.importKeyFile(text!)).ok).toBe(true)
    const signed = await second.signCommand({ bytes: bytesOf(createDraft), keyIds: [IDS.myKey] })
    expect(signed.ok && isSignedBy(parse(signed.value), key!)).toBe(true)
  })

  it('is offered after the key of the browser, however new it is', async () => {
    const offered: string[][] = []
    const gestures = person({ passphrase: PASSPHRASE, confirm: async ({ keys }) => (offered.push(keys.map(({ custody }) => custody)), 'cancelled') })
    const signer = createLocalSigner({ store: memoryKeyStore(), gestures, origin: ORIGIN })
    await registered(signer, 'authority', IDS.authorityKey)
    const made = await signer.createKeys([{ use: 'authority', label: 'Key file', place: 'file' }])
    await signer.bindKey(made.ok ? made.value[0]!.publicKey : '', { keyId: IDS.myKey, principalId: IDS.me, personName: 'Ada' })
    await signer.signCommand({ bytes: bytesOf(createDraft), keyIds: [IDS.authorityKey, IDS.myKey] })
    expect(offered).toEqual([['not-extractable', 'key-file']])
  })

  it('refuses a file that is none, or that would make guessing its passphrase cheap', async () => {
    const signer = createLocalSigner({ store: memoryKeyStore(), gestures: person({ passphrase: PASSPHRASE }), origin: ORIGIN })
    const made = await signer.createKeys([{ use: 'authority', label: 'Key file', place: 'file' }])
    const publicKey = made.ok ? made.value[0]!.publicKey : ''
    await signer.bindKey(publicKey, { keyId: IDS.myKey, principalId: IDS.me, personName: 'Ada' })
    const text = (await signer.exportKeyFile(publicKey))!
    for (const broken of ['', '{}', text.slice(1), text.replace('600000', '1'), text.replace('key-file.v1', 'key-file.v9')]) {
      expect(await signer.importKeyFile(broken)).toEqual({ ok: false, error: 'unreadable' })
    }
  })
})
