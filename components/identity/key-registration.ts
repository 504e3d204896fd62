// The way of a key from this browser into the Registry: made, proven over the server's challenge, registered, bound.
import type { TRPCClient } from '@trpc/client'
import type { AppRouter } from '../../server/gateways/console/router.ts'
import { decodeBase64url } from '../../protocol/base64url.ts'
import { encodeCanonical } from '../../protocol/canonical-json.ts'
import { invariant, err, ok, type Result } from '../../protocol/result.ts'
import { LOCAL_SENTENCES, CODE_OF_SIGNER_REFUSAL, type RefusalWords } from '../signing/refusal-sentences.ts'
import { ADD_KEY_PURPOSE, ENROL_PURPOSE, SIGN_IN_PURPOSE } from '../signing/signing-plan.ts'
import { fingerprintOf } from '../signing/fingerprint.ts'
import { CUSTODY_WORDS, type HeldKey, type Signer, type SignerRefusal, type WantedKey } from '../signing/signer.ts'
import { errorCode, type KeyView, type SignedInPerson } from '../trpc.tsx'

export interface Registrar {
  readonly signer: Signer
  readonly api: TRPCClient<AppRouter>
}

export type RegistrationResult<T> = Result<T, RefusalWords>

const refusedBySigner = (refusal: SignerRefusal) => err(LOCAL_SENTENCES[CODE_OF_SIGNER_REFUSAL[refusal]])

/** Founds a person: two keys made here, each proving possession, and the invitation's token. */
export async function enrol({ signer, api }: Registrar, invitation: { readonly token: string; readonly name: string; readonly label: string }): Promise<RegistrationResult<{ principalId: string }>> {
  const { token, name, label } = invitation
  const made = await signer.createKeys([
    { use: 'authority', label, place: 'browser' },
    { use: 'conversation', label, place: 'browser' },
  ])
  if (!made.ok) return refusedBySigner(made.error)
  return registering(signer, made.value, async () => {
    const { challengeId, bytes } = await challengeFor(api, ENROL_PURPOSE)
    const keys = []
    for (const key of made.value) {
      const proof = await signer.proveKey(key.publicKey, bytes)
      if (!proof.ok) return refusedBySigner(proof.error)
      keys.push({ use: key.use, publicKey: key.publicKey, custody: CUSTODY_WORDS[key.custody], label: key.label, proof: proof.value })
    }
    const enrolled = await api.enrolment.complete.mutate({ token, name, challengeId, keys })
    await bindRegistered(signer, made.value, { principalId: enrolled.principalId, name, keys: enrolled.keys })
    return ok({ principalId: enrolled.principalId })
  })
}

/** Adds one key of mine; an authority key that is held here authorizes it in the dialog. */
export async function addKey({ signer, api }: Registrar, me: SignedInPerson, wanted: WantedKey): Promise<RegistrationResult<HeldKey>> {
  const made = await signer.createKeys([wanted])
  if (!made.ok) return refusedBySigner(made.error)
  const key = made.value[0]
  invariant(key !== undefined, 'one wanted key gives one key')
  return registering(signer, made.value, async () => {
    const { challengeId, bytes } = await challengeFor(api, ADD_KEY_PURPOSE)
    const proof = await signer.proveKey(key.publicKey, bytes)
    if (!proof.ok) return refusedBySigner(proof.error)
    const authorization = await signer.signStatement({
      bytes: encodeCanonical({ challengeId, publicKey: key.publicKey, purpose: ADD_KEY_PURPOSE, use: key.use }),
      keyIds: await usableKeyIds(signer, me),
    })
    if (!authorization.ok) return refusedBySigner(authorization.error)
    const registered = await api.keys.add.mutate({
      challengeId,
      key: { use: key.use, publicKey: key.publicKey, custody: CUSTODY_WORDS[key.custody], label: key.label, proof: proof.value },
      keyId: authorization.value.keyId,
      authorization: authorization.value.signature,
    })
    await bindRegistered(signer, made.value, { ...me, keys: [registered] })
    return ok(key)
  })
}

/** Opens a console session with a key that is held here. */
export async function signIn({ signer, api }: Registrar, keyId: string): Promise<RegistrationResult<void>> {
  try {
    const { challengeId, bytes } = await challengeFor(api, SIGN_IN_PURPOSE)
    const signed = await signer.signStatement({ bytes, keyIds: [keyId] })
    if (!signed.ok) return refusedBySigner(signed.error)
    await api.session.signIn.mutate({ challengeId, keyId, signature: signed.value.signature })
    return ok(undefined)
  } catch (cause) {
    return err(wordsOf(cause))
  }
}

/** Binds keys held here to what the Registry calls them; also repairs a registration whose answer was lost. */
export async function bindRegistered(signer: Signer, held: readonly HeldKey[], person: { readonly principalId: string; readonly name: string; readonly keys: readonly KeyView[] }): Promise<void> {
  for (const key of held) {
    const registered = person.keys.find((known) => known.fingerprint === fingerprintOf(key.publicKey))
    if (registered === undefined || key.binding !== undefined) continue
    await signer.bindKey(key.publicKey, { keyId: registered.keyId, principalId: person.principalId, personName: person.name })
  }
}

/** Keys that the server has certainly not registered leave this browser; after silence or a fault they stay, for it may have registered them. */
async function registering<T>(signer: Signer, made: readonly HeldKey[], register: () => Promise<RegistrationResult<T>>): Promise<RegistrationResult<T>> {
  const forget = () => Promise.all(made.map((key) => signer.forgetKey(key.publicKey)))
  try {
    const outcome = await register()
    if (!outcome.ok) await forget()
    return outcome
  } catch (cause) {
    if (isRefusal(cause)) await forget()
    return err(wordsOf(cause))
  }
}

const isRefusal = (cause: unknown) => ![undefined, 'INTERNAL_SERVER_ERROR'].includes(errorCode(cause))

/** Keys of mine held here and not revoked; also one registered a moment ago, which the session does not list yet. */
async function usableKeyIds(signer: Signer, me: SignedInPerson): Promise<readonly string[]> {
  const revoked = new Set(me.keys.filter((known) => known.revokedAt !== undefined).map((known) => known.keyId))
  const bindings = (await signer.listKeys()).flatMap(({ binding }) => binding ?? [])
  return bindings.filter(({ principalId, keyId }) => principalId === me.principalId && !revoked.has(keyId)).map(({ keyId }) => keyId)
}

async function challengeFor(api: Registrar['api'], purpose: Parameters<Registrar['api']['session']['challenge']['mutate']>[0]['purpose']) {
  const { challengeId, challenge } = await api.session.challenge.mutate({ purpose })
  return { challengeId, bytes: decodeBase64url(challenge) ?? new Uint8Array() }
}

// The console's procedures say in plain words what was wrong; only silence needs words of our own.
function wordsOf(cause: unknown): RefusalWords {
  if (errorCode(cause) !== undefined && cause instanceof Error) return { happened: cause.message, next: '' }
  return { happened: 'The server did not answer.', next: 'Check the connection, then try again. If it then says that the invitation was used, ask for a new one.' }
}
