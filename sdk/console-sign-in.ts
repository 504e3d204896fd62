// Opening a console session by proving possession of keys: with registered ones, or with new ones and an invitation.
import { randomBytes } from 'node:crypto'
import { decodeBase64url, encodeBase64url } from '../protocol/base64url.ts'
import { publicKeyOf, signBytes } from '../protocol/ed25519-sign.ts'
import { isJsonObject, parseStrictJson } from '../protocol/strict-json.ts'
import type { ConsoleHttp } from './console-http.ts'

export type HumanKeyUse = 'authority' | 'conversation'

/** A registered key with its private half. */
export interface HumanKey {
  readonly use: HumanKeyUse
  readonly keyId: string
  readonly seed: Uint8Array
}

type Purpose = 'countersign.console.sign-in' | 'countersign.console.enrol'

interface Challenge {
  readonly challengeId: string
  readonly bytes: Uint8Array
}

/** Signs in with a registered key; the id of its person. */
export async function signInWith(console: ConsoleHttp, { keyId, seed }: HumanKey): Promise<string> {
  const { challengeId, bytes } = await askChallenge(console, 'countersign.console.sign-in')
  const signature = encodeBase64url(signBytes(seed, bytes))
  const signedIn = await console.mutate<{ principalId: string }>('session.signIn', { challengeId, keyId, signature })
  return signedIn.principalId
}

/** Redeems an invitation with an authority and a conversation key made here. */
export async function enrolWith(
  console: ConsoleHttp,
  { token, name }: { token: string; name: string },
): Promise<{ principalId: string; keys: HumanKey[] }> {
  const { challengeId, bytes } = await askChallenge(console, 'countersign.console.enrol')
  const made = (['authority', 'conversation'] as const).map((use) => ({ use, seed: new Uint8Array(randomBytes(32)) }))
  const keys = made.map(({ use, seed }) => ({
    use,
    publicKey: encodeBase64url(publicKeyOf(seed)),
    custody: 'held by a script',
    label: `${use} key`,
    proof: encodeBase64url(signBytes(seed, bytes)),
  }))
  const enrolled = await console.mutate<{ principalId: string; keys: { keyId: string; use: HumanKeyUse }[] }>(
    'enrolment.complete',
    { token, name, challengeId, keys },
  )
  const keyIds = new Map(enrolled.keys.map(({ use, keyId }) => [use, keyId]))
  return { principalId: enrolled.principalId, keys: made.map((key) => ({ ...key, keyId: keyIds.get(key.use) ?? '' })) }
}

/** Only bytes that say what they are for get signed: nothing else of a server's choosing. */
async function askChallenge(console: ConsoleHttp, purpose: Purpose): Promise<Challenge> {
  const { challengeId, challenge } = await console.mutate<{ challengeId: string; challenge: string }>('session.challenge', { purpose })
  const bytes = decodeBase64url(challenge)
  const parsed = bytes === undefined ? undefined : parseStrictJson(bytes)
  const claimed = parsed?.ok === true ? parsed.value.value : undefined
  if (bytes === undefined || !isJsonObject(claimed) || claimed.purpose !== purpose || claimed.challengeId !== challengeId) {
    throw new TypeError('the challenge does not say what it is for')
  }
  return { challengeId, bytes }
}
