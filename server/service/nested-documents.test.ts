import { expect, it } from 'vitest'
import { encodeBase64url } from '../../protocol/base64url.ts'
import type { Command } from '../../protocol/generated/types.ts'
import type { KeyResolver } from '../../protocol/key-registry.ts'
import { err } from '../../protocol/result.ts'
import { verifyNestedDocuments } from './nested-documents.ts'

const at = '2026-11-29T12:00:00Z'
const evidence = {
  evidenceId: 'urn:example:evidence',
  missionId: 'urn:example:mission',
  groupId: 'urn:example:group',
  workItemId: 'urn:example:item',
  type: 'artifact_integrity',
  subject: { type: 'work_item', id: 'urn:example:item' },
  criterionIds: ['report'],
  method: 'Hashed it.',
  result: 'passed',
  artifactHashes: [`sha256:${'a'.repeat(64)}`],
  generatedBy: { type: 'agent', id: 'urn:example:agent' },
  createdAt: at,
  signature: { algorithm: 'Ed25519', keyId: 'urn:example:key', createdAt: at, value: encodeBase64url(new Uint8Array(64)) },
}

/** A Command with so many pieces of Evidence, and how many of them were looked at before it was refused. */
async function refuse(count: number) {
  let asked = 0
  const registry: KeyResolver = {
    resolve() {
      asked++
      return err('key-unknown')
    },
  }
  const command = { kind: 'work.submit', payload: { evidence: Array.from({ length: count }, () => evidence) } } as unknown as Command
  return { result: await verifyNestedDocuments(command, registry, () => true), asked }
}

it('work on the documents of a Command ends soon after the first failure', async () => {
  const { result, asked } = await refuse(64)
  expect(result).toMatchObject({ ok: false, error: { code: 'AUTH_INVALID_SIGNATURE' } })
  expect(asked).toBe(4)
})

it('more documents than any honest Command carries are not looked at', async () => {
  const { result, asked } = await refuse(65)
  expect(result).toMatchObject({ ok: false, error: { code: 'SCHEMA_VALIDATION_FAILED', schemaFault: { path: '/payload/evidence', keyword: 'maxItems' } } })
  expect(asked).toBe(0)
})
