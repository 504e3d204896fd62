import { describe, expect, it } from 'vitest'
import { decodeBase64url } from './base64url.ts'
import { verifyStrict } from './ed25519-strict.ts'
import type { DocumentKind } from './signed-documents.ts'
import { DOCUMENT_PROFILES, signDocument, signingBytes, signingHash } from './signed-documents.ts'
import { exampleDocuments } from './testing/example-documents.ts'
import { testKey } from './testing/test-keys.ts'

const key = testKey('owner', { type: 'human', id: 'urn:example:owner' })
const bytesOf = (text: string) => new TextEncoder().encode(text)

describe('document profiles (A-43 to A-52)', () => {
  it.each([
    ['agent-card', 'issuedAt', { rule: 'service' }],
    ['approval', 'occurredAt', { rule: 'principal', principal: exampleDocuments.approval.approver }],
    ['artifact', 'createdAt', { rule: 'principal', principal: { type: 'agent', id: exampleDocuments.artifact.producer.agentId } }],
    ['command', 'issuedAt', { rule: 'principal', principal: exampleDocuments.command.actor }],
    ['context-package', 'generatedAt', { rule: 'principal', principal: exampleDocuments['context-package'].generatedBy }],
    ['event', 'occurredAt', { rule: 'principal', principal: exampleDocuments.event.acceptedBy }],
    ['evidence', 'createdAt', { rule: 'principal', principal: exampleDocuments.evidence.generatedBy }],
    ['extension-profile', 'approvedAt', { rule: 'principal', principal: exampleDocuments['extension-profile'].approvedBy }],
    ['group-snapshot', 'createdAt', { rule: 'principal', principal: exampleDocuments['group-snapshot'].createdBy }],
  ] as const)('%s is protected by %s and signed by its Principal', (kind, protectedTime, signer) => {
    expect(DOCUMENT_PROFILES[kind].protectedTime).toBe(protectedTime)
    expect(signerOf(kind)).toEqual(signer)
  })

  it('cover the nine kinds and no other', () => {
    expect(Object.keys(DOCUMENT_PROFILES)).toHaveLength(9)
  })
})

const signerOf = <K extends DocumentKind>(kind: K) => DOCUMENT_PROFILES[kind].signerOf(exampleDocuments[kind])

describe('signing (A-53 to A-55)', () => {
  it('leaves out the top-level signature and nothing else', () => {
    const document = { b: 1, signature: { value: 'x' }, a: { signature: 'nested' } }
    expect(signingBytes(document)).toEqual(bytesOf('{"a":{"signature":"nested"},"b":1}'))
    expect(document.signature).toEqual({ value: 'x' })
  })

  it('hashes the signing bytes', () => {
    expect(signingHash(bytesOf('{}'))).toBe('sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a')
  })

  it('repeats the protected time and covers the whole document', async () => {
    const signed = await signDocument({ at: '2026-07-15T08:00:00.10Z', n: [1] }, 'at', key.binding.keyId, key.sign)
    const { value, ...envelope } = signed.signature
    expect(envelope).toEqual({ algorithm: 'Ed25519', keyId: key.binding.keyId, createdAt: '2026-07-15T08:00:00.10Z' })
    const publicKey = decodeBase64url(key.binding.publicKey)!
    expect(verifyStrict(publicKey, signingBytes(signed), decodeBase64url(value)!)).toBe(true)
    expect(verifyStrict(publicKey, signingBytes({ ...signed, n: [2] }), decodeBase64url(value)!)).toBe(false)
  })

  it('awaits a signer that answers later and replaces an older signature', async () => {
    const document = { at: '2026-07-15T08:00:00Z', signature: 'old' }
    const later = await signDocument(document, 'at', key.binding.keyId, async (bytes) => key.sign(bytes))
    const now = await signDocument({ at: document.at }, 'at', key.binding.keyId, key.sign)
    expect(later).toEqual(now)
  })

  it.each(['2026-07-15T08:00:00z', '2026-07-15T08:00:00+00:00', '2026-02-30T08:00:00Z', ''])(
    'will not sign under the time %j (A-54)',
    async (at) => {
      await expect(signDocument({ at }, 'at', key.binding.keyId, key.sign)).rejects.toThrow('not a protected time')
    },
  )
})
