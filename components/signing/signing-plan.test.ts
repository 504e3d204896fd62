import { describe, expect, it } from 'vitest'
import { decodeBase64url, encodeBase64url } from '../../protocol/base64url.ts'
import { canonicalText, encodeCanonical } from '../../protocol/canonical-json.ts'
import { publicKeyOf, signBytes } from '../../protocol/ed25519-sign.ts'
import { verifyStrict } from '../../protocol/ed25519-strict.ts'
import { signingBytes } from '../../protocol/signed-documents.ts'
import { isJsonObject, parseStrictJson, type JsonObject } from '../../protocol/strict-json.ts'
import { approveDraft, bytesOf, createDraft, IDS, ORIGIN, postDraft, STAMP } from './signing-fixture.ts'
import { completeCommand, isPossessionChallenge, planSigning, type SigningPlan } from './signing-plan.ts'

const seed = new Uint8Array(32).fill(9)
const publicKey = publicKeyOf(seed)

function parsed(bytes: Uint8Array): JsonObject {
  const result = parseStrictJson(bytes)
  if (!result.ok || !isJsonObject(result.value.value)) throw new Error('not an object')
  return result.value.value
}

function commandPlan(bytes: Uint8Array): SigningPlan & { form: 'command' } {
  const plan = planSigning(bytes, ORIGIN)
  if (!plan.ok || plan.value.form !== 'command') throw new Error('no command')
  return plan.value
}

function isSignedBy(document: JsonObject): boolean {
  const { value } = document['signature'] as { value: string }
  return verifyStrict(publicKey, signingBytes(document), decodeBase64url(value)!)
}

describe('planSigning', () => {
  it.each([
    ['mission.create', createDraft, 'authority'],
    ['mission.approve', approveDraft, 'authority'],
    ['message.post', postDraft, 'conversation'],
  ] as const)('needs for %s the key of the right use', (_, draft, use) => {
    expect(commandPlan(bytesOf(draft)).use).toBe(use)
  })

  it('treats a kind that it does not know as an act of authority', () => {
    expect(commandPlan(bytesOf({ ...createDraft, kind: 'ext.some.other.act' as never })).use).toBe('authority')
  })

  it('shows the Approval inside a decision, not the Command around it', () => {
    const plan = commandPlan(bytesOf(approveDraft))
    expect(parsed(plan.shownBytes)).toMatchObject({ decision: 'approved', missionRevision: 17 })
  })

  it.each([
    ['text that is no JSON', new TextEncoder().encode('sign me')],
    ['bytes that are not canonical', new TextEncoder().encode(`${canonicalText(parsed(bytesOf(createDraft)))} `)],
    ['a repeated member', new TextEncoder().encode('{"kind":"message.post","kind":"mission.create"}')],
    ['a document that is signed already', encodeCanonical({ ...parsed(bytesOf(createDraft)), signature: {} })],
    ['an object without a known form', encodeCanonical({ hash: `sha256:${'0'.repeat(64)}` })],
    ['a challenge with one member too many', encodeCanonical({ audience: ORIGIN, challengeId: 'c', expiresAt: STAMP.issuedAt, purpose: 'countersign.console.sign-in', extra: 'x' })],
    ['a challenge of another site', encodeCanonical({ audience: 'https://evil.example', challengeId: 'c', expiresAt: STAMP.issuedAt, purpose: 'countersign.console.sign-in' })],
    ['a challenge for another purpose', encodeCanonical({ audience: ORIGIN, challengeId: 'c', expiresAt: STAMP.issuedAt, purpose: 'countersign.console.enrol' })],
  ])('refuses %s', (_, bytes) => {
    expect(planSigning(bytes, ORIGIN)).toEqual({ ok: false, error: 'unreadable' })
  })

  it('takes a sign-in challenge of this site with any key, and a new key only with authority', () => {
    const challenge = encodeCanonical({ audience: ORIGIN, challengeId: 'c', expiresAt: STAMP.issuedAt, purpose: 'countersign.console.sign-in' })
    const addition = encodeCanonical({ challengeId: 'c', publicKey: encodeBase64url(publicKey), purpose: 'countersign.console.add-key', use: 'authority' })
    expect(planSigning(challenge, ORIGIN)).toMatchObject({ ok: true, value: { form: 'sign-in', use: 'any' } })
    expect(planSigning(addition, ORIGIN)).toMatchObject({ ok: true, value: { form: 'add-key', use: 'authority' } })
  })
})

describe('isPossessionChallenge', () => {
  const challenge = (purpose: string, audience = ORIGIN) => encodeCanonical({ audience, challengeId: 'c', expiresAt: STAMP.issuedAt, purpose })

  it('lets a new key answer only challenges that enrol or add, made by this site', () => {
    expect(isPossessionChallenge(challenge('countersign.console.enrol'), ORIGIN)).toBe(true)
    expect(isPossessionChallenge(challenge('countersign.console.add-key'), ORIGIN)).toBe(true)
    expect(isPossessionChallenge(challenge('countersign.console.sign-in'), ORIGIN)).toBe(false)
    expect(isPossessionChallenge(challenge('countersign.console.enrol', 'https://evil.example'), ORIGIN)).toBe(false)
    expect(isPossessionChallenge(bytesOf(createDraft), ORIGIN)).toBe(false)
  })
})

describe('completeCommand', () => {
  const sign = (message: Uint8Array) => signBytes(seed, message)

  it('signs exactly the planned bytes and repeats the protected time (A-53, A-54)', async () => {
    const bytes = bytesOf(createDraft)
    const signed = parsed(await completeCommand(commandPlan(bytes), IDS.myKey, sign))
    expect(signingBytes(signed)).toEqual(bytes)
    expect(signed['signature']).toMatchObject({ algorithm: 'Ed25519', keyId: IDS.myKey, createdAt: STAMP.issuedAt })
    expect(isSignedBy(signed)).toBe(true)
  })

  it('signs the inner Approval first, so that the Command covers its signature', async () => {
    const signed = parsed(await completeCommand(commandPlan(bytesOf(approveDraft)), IDS.myKey, sign))
    const approval = (signed['payload'] as JsonObject)['approval'] as JsonObject
    expect(approval['signature']).toMatchObject({ createdAt: approval['occurredAt'] })
    expect(isSignedBy(approval)).toBe(true)
    expect(isSignedBy(signed)).toBe(true)
  })

  it('leaves a Command unmoved whose Approval is signed already', async () => {
    const once = parsed(await completeCommand(commandPlan(bytesOf(approveDraft)), IDS.myKey, sign))
    const { signature: _, ...unsigned } = once
    expect(commandPlan(encodeCanonical(unsigned)).approval).toBeUndefined()
  })
})
