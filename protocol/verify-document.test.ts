import { createPublicKey, verify } from 'node:crypto'
import { Point } from '@noble/ed25519'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { decodeBase64url, encodeBase64url } from './base64url.ts'
import { encodeCanonical } from './canonical-json.ts'
import type { Command } from './generated/types.ts'
import { unavailableRegistry } from './key-registry.ts'
import type { DocumentKind, SignedDocument } from './signed-documents.ts'
import { DOCUMENT_PROFILES, signDocument } from './signed-documents.ts'
import type { JsonValue } from './strict-json.ts'
import { exampleDocuments } from './testing/example-documents.ts'
import type { TestKey } from './testing/test-keys.ts'
import { ORGANIZATION, registryWith, testKey } from './testing/test-keys.ts'
import type { SignatureVerifier } from './verify-document.ts'
import { verifyDocument, verifyParsedDocument } from './verify-document.ts'

const kinds = Object.keys(DOCUMENT_PROFILES) as DocumentKind[]
const service = testKey('registry', { type: 'service', id: 'urn:example:registry' })
const agent = testKey('agent', exampleDocuments.command.actor)
const others = kinds.flatMap((kind) => {
  const signer = signerOf(kind)
  const isNew = signer.rule === 'principal' && signer.principal.id !== agent.binding.principal.id
  return isNew ? [testKey(`of-${kind}`, signer.principal)] : []
})
const registry = registryWith(service, agent, ...others)
const command = exampleDocuments.command

function signerOf<K extends DocumentKind>(kind: K) {
  return DOCUMENT_PROFILES[kind].signerOf(exampleDocuments[kind])
}

function keyFor(kind: DocumentKind): TestKey {
  const signer = signerOf(kind)
  if (signer.rule === 'service') return service
  const key = [agent, ...others].find(({ binding }) => binding.principal.id === signer.principal.id)
  if (key === undefined) throw new Error(`no key for ${kind}`)
  return key
}

async function signedExample<K extends DocumentKind>(kind: K): Promise<SignedDocument<K>> {
  const { binding, sign } = keyFor(kind)
  const document: SignedDocument<K> = exampleDocuments[kind]
  return signDocument(document, DOCUMENT_PROFILES[kind].protectedTime, binding.keyId, sign)
}

const native: SignatureVerifier = (publicKey, message, signature) => {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: encodeBase64url(publicKey) }
  return verify(null, message, createPublicKey({ key: jwk, format: 'jwk' }), signature)
}

const bytesOf = (text: string) => new TextEncoder().encode(text)
const textOf = (document: object) => JSON.stringify(document)

/** Stage and wire code at which a command's text fails, the same for both verifiers. */
async function failureOf(text: string | Uint8Array, keys = registry): Promise<string | undefined> {
  const bytes = typeof text === 'string' ? bytesOf(text) : text
  const portable = await verifyDocument({ kind: 'command', bytes, registry: keys })
  const injected = await verifyDocument({ kind: 'command', bytes, registry: keys, verifySignature: native })
  expect(injected.ok ? undefined : injected.error).toEqual(portable.ok ? undefined : portable.error)
  return portable.ok ? undefined : `${portable.error.stage} ${portable.error.code}`
}

let signed: Command
beforeAll(async () => {
  signed = await signedExample('command')
})

const withSignature = (changes: Partial<Command['signature']>) => textOf({ ...signed, signature: { ...signed.signature, ...changes } })

describe('the six stages (A-72 to A-81)', () => {
  it.each(kinds)('let a well-signed %s through and tell what they established', async (kind) => {
    const document = await signedExample(kind)
    const bytes = bytesOf(JSON.stringify(document, null, 2))
    const verified = await verifyDocument({ kind, bytes, registry })
    const { binding } = keyFor(kind)
    if (!verified.ok) throw new Error(verified.error.reason)
    expect(verified.value).toMatchObject({ kind, keyId: binding.keyId, principal: binding.principal, organizationId: ORGANIZATION })
    expect(verified.value.protectedTime).toBe(document.signature.createdAt)
    expect(verified.value.bytes).toBe(bytes)
    expect(encodeCanonical(verified.value.value)).toEqual(encodeCanonical(document))
    expect(verified.value.signingHash).toMatch(/^sha256:[0-9a-f]{64}$/)
  })

  it('report faults where they belong', async () => {
    const at = command.issuedAt
    const signature = decodeBase64url(signed.signature.value)!
    const cases: readonly (readonly [string, string | Uint8Array, string])[] = [
      ['trailing data', `${textOf(signed)}{}`, 'parse PROTOCOL_VIOLATION'],
      ['a byte order mark', `\ufeff${textOf(signed)}`, 'parse PROTOCOL_VIOLATION'],
      ['a repeated member', textOf(signed).replace('{', '{"payload":{},'), 'parse PROTOCOL_VIOLATION'],
      ['an unknown member', textOf({ ...signed, note: 1 }), 'schema SCHEMA_VALIDATION_FAILED'],
      ['no object at all', '[]', 'schema SCHEMA_VALIDATION_FAILED'],
      ['a padded value', withSignature({ value: `${signed.signature.value}=` }), 'schema SCHEMA_VALIDATION_FAILED'],
      ['a lower-case z', textOf(signed).replaceAll(at, at.toLowerCase()), 'signature-envelope AUTH_INVALID_SIGNATURE'],
      ['a numeric offset', textOf(signed).replaceAll(at, at.replace('Z', '+00:00')), 'signature-envelope AUTH_INVALID_SIGNATURE'],
      ['another createdAt', withSignature({ createdAt: at.replace('Z', '.0Z') }), 'signature-envelope AUTH_INVALID_SIGNATURE'],
      ['63 bytes', withSignature({ value: encodeBase64url(signature.subarray(1)) }), 'signature-envelope AUTH_INVALID_SIGNATURE'],
      ['unused bits', withSignature({ value: signed.signature.value.replace(/.$/, nextLetter) }), 'signature-envelope AUTH_INVALID_SIGNATURE'],
      ['a large S', withSignature({ value: encodeBase64url(Uint8Array.from(signature, (byte, n) => (n > 31 ? 255 : byte))) }), 'signature-envelope AUTH_INVALID_SIGNATURE'],
      ['an unknown key', withSignature({ keyId: 'urn:example:key:nobody' }), 'key-resolution AUTH_INVALID_SIGNATURE'],
      ['a lone surrogate', textOf({ ...signed, payload: { text: '\ud800' } }), 'canonicalization PROTOCOL_VIOLATION'],
      ['1e400', textOf(signed).replace('"payload":{}', '"payload":{"n":1e400}'), 'canonicalization PROTOCOL_VIOLATION'],
      ['another payload', textOf({ ...signed, payload: { text: 'more' } }), 'signature AUTH_INVALID_SIGNATURE'],
    ]
    for (const [what, text, failure] of cases) expect([what, await failureOf(text)]).toEqual([what, failure])
  })

  it('refuse a signature that covers its own envelope, as a later scheme might (A-56)', async () => {
    const { value: _value, ...envelope } = signed.signature
    const covered = keyFor('command').sign(encodeCanonical({ ...signed, signature: envelope }))
    expect(await failureOf(withSignature({ value: encodeBase64url(covered) }))).toBe('signature AUTH_INVALID_SIGNATURE')
  })

  it('judge integers as written, before binary64 rounds them (G-7)', async () => {
    const text = textOf({ ...signed, expectedRevision: 7 }).replace('"expectedRevision":7', '"expectedRevision":7.00000000000000000001')
    expect(await failureOf(text)).toBe('schema SCHEMA_VALIDATION_FAILED')
  })

  it('name the schema fault, and nothing about keys or signatures', async () => {
    const verdict = await verifyDocument({ kind: 'command', bytes: bytesOf(textOf({ ...signed, sessionEpoch: 0 })), registry })
    expect(verdict.ok ? undefined : verdict.error.schemaFault?.path).toBe('/sessionEpoch')
    const unknown = await verifyDocument({ kind: 'command', bytes: bytesOf(withSignature({ keyId: 'urn:example:key:nobody' })), registry })
    expect(unknown).toEqual({ ok: false, error: { stage: 'key-resolution', code: 'AUTH_INVALID_SIGNATURE', reason: 'key-unknown' } })
  })

  it('report a bad R at stage 3, although later stages fail as well', async () => {
    const lateFaults = [
      (value: string) => withSignature({ value, keyId: 'urn:example:key:nobody' }),
      (value: string) => textOf({ ...signed, payload: { text: '\ud800' }, signature: { ...signed.signature, value } }),
      (value: string) => withSignature({ value }),
    ]
    const s = decodeBase64url(signed.signature.value)!.subarray(32)
    const orderTwo = Uint8Array.from(Point.ZERO.toBytes(), (byte, n) => (n === 0 ? 0xec : n === 31 ? 0x7f : 0xff | byte))
    const smallOrder = encodeBase64url(Uint8Array.from([...orderTwo, ...s]))
    const identity = encodeBase64url(Uint8Array.from([...Point.ZERO.toBytes(), ...s]))
    for (const late of lateFaults) expect(await failureOf(late(smallOrder))).toBe('signature-envelope AUTH_INVALID_SIGNATURE')
    const stages = await Promise.all(lateFaults.map((late) => failureOf(late(identity))))
    expect(stages.map((stage) => stage?.split(' ')[0])).toEqual(['key-resolution', 'canonicalization', 'signature'])
  })

  it('fail stage 4 when there is no registry, after judging the stages before it', async () => {
    const verdict = (text: string) => verifyDocument({ kind: 'command', bytes: bytesOf(text), registry: unavailableRegistry })
    const [whole, early] = [await verdict(textOf(signed)), await verdict(withSignature({ createdAt: '2020-01-01T00:00:00Z' }))]
    expect(whole.ok ? undefined : whole.error).toMatchObject({ stage: 'key-resolution', reason: 'registry-unavailable' })
    expect(early.ok ? undefined : early.error.stage).toBe('signature-envelope')
  })

  it('never take a document of one kind for another', async () => {
    for (const kind of kinds) {
      if (kind !== 'command') expect((await verifyDocument({ kind, bytes: bytesOf(textOf(signed)), registry })).ok).toBe(false)
    }
  })

  it('ask an injected verifier only for checked keys, and believe only true', async () => {
    const asked: Uint8Array[] = []
    const answering = (answer: boolean): SignatureVerifier => async (publicKey) => {
      asked.push(publicKey)
      return answer
    }
    const verdict = (answer: boolean) =>
      verifyDocument({ kind: 'command', bytes: bytesOf(textOf(signed)), registry, verifySignature: answering(answer) })
    expect((await verdict(true)).ok).toBe(true)
    expect((await verdict(false)).ok).toBe(false)
    expect(asked).toEqual([registry.keys.get(agent.binding.keyId)?.publicKey, registry.keys.get(agent.binding.keyId)?.publicKey])
  })

  it('refuse a document after any one of its bytes is flipped', async () => {
    const bytes = encodeCanonical(signed)
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: bytes.length - 1 }), fc.integer({ min: 1, max: 255 }), async (at, mask) => {
        const flipped = bytes.map((byte, n) => (n === at ? byte ^ mask : byte))
        expect(await failureOf(flipped)).toBeDefined()
      }),
      { numRuns: 150 },
    )
  })
})

describe('nested documents', () => {
  it('pass the same stages from the second on and carry their canonical bytes', async () => {
    const approval = await signedExample('approval')
    const verified = await verifyParsedDocument({ kind: 'approval', value: approval as unknown as JsonValue, registry })
    expect(verified.ok && verified.value.bytes).toEqual(encodeCanonical(approval))
    const changed = { ...approval, comments: 'on second thoughts' } as unknown as JsonValue
    const refused = await verifyParsedDocument({ kind: 'approval', value: changed, registry })
    expect(refused.ok ? undefined : refused.error.stage).toBe('signature')
  })

  it('are judged by the schema view where one is given', async () => {
    const value = signed as unknown as JsonValue
    const verdict = await verifyParsedDocument({ kind: 'command', value, schemaView: { ...signed, sessionEpoch: 0.5 } as unknown as JsonValue, registry })
    expect(verdict.ok ? undefined : verdict.error.stage).toBe('schema')
  })
})

/** The next letter of the base64url alphabet differs in the lowest bit only, which a 64-byte value leaves unused. */
function nextLetter(letter: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return alphabet[alphabet.indexOf(letter) ^ 1] ?? letter
}
