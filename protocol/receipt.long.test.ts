import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeBase64url } from './base64url.ts'
import { canonicalText } from './canonical-json.ts'
import { sha256Hash } from './digest.ts'
import type { KeyBinding } from './key-registry.ts'
import type { ReceiptOptions } from './receipt.ts'
import { buildReceipt, verifyReceipt } from './receipt.ts'
import type { UnsignedReceipt } from './receipt-format.ts'
import { RECEIPT_FORMAT, RECEIPT_LIMITS } from './receipt-format.ts'
import type { ApprovedMissionChanges } from './testing/approved-mission.ts'
import { approvedMission, authority, DATA, owner, receiptFile, REPORT } from './testing/approved-mission.ts'
import { testKey } from './testing/test-keys.ts'

const reportHash = sha256Hash(REPORT)
const dataHash = sha256Hash(DATA)

/** Name of the first check that refuses, with its reason. */
async function refusalOf(file: Uint8Array, options: ReceiptOptions = {}): Promise<string | undefined> {
  const report = await verifyReceipt(file, options)
  return report.ok ? undefined : `${report.refusal.name}: ${report.refusal.detail}`
}

describe('a receipt', () => {
  it('is one line of canonical JSON that names its format and its limits', async () => {
    const text = new TextDecoder().decode(await receiptFile())
    const receipt = JSON.parse(text) as UnsignedReceipt
    expect(text).toBe(`${canonicalText(receipt)}\n`)
    expect(receipt.format).toBe(RECEIPT_FORMAT)
    expect(receipt.limits).toEqual(RECEIPT_LIMITS)
  })

  it('includes the contents at hand, lists the others as omitted, and shows nothing else of the registry', async () => {
    const parts = await approvedMission()
    const registered = { ...owner.binding, custody: 'browser', history: [{ recordedAt: '2026-07-01T00:00:00Z', note: 'x' }] }
    const receipt = buildReceipt({ ...parts, registry: { revision: 3, bindings: [registered] } })
    expect(receipt.contents).toEqual([{ hash: reportHash, bytes: encodeBase64url(REPORT) }])
    expect(receipt.omitted).toEqual([{ hash: dataHash, sizeBytes: DATA.length }])
    expect(receipt.registry).toEqual({
      revision: 3,
      bindings: [{ ...owner.binding, history: [{ recordedAt: '2026-07-01T00:00:00Z' }] }],
    })
  })

  it('verifies offline, check by check', async () => {
    const report = await verifyReceipt(await receiptFile())
    expect(report.checks.filter((check) => !check.ok)).toEqual([])
    expect(report.checks.map(({ name }) => name)).toEqual([
      'file',
      'key registry',
      'authority signature',
      'authority key',
      'command',
      'event',
      'manifests',
      'approval',
      'decision',
      'acceptance',
      'admission',
      'artifact set',
      'included content',
    ])
    expect(report.checks.find(({ name }) => name === 'authority key')?.detail).toContain('not compared')
    expect(report.ok && report.receipt.mission.title).toBe('Handbook')
    expect(report.limits).toEqual(RECEIPT_LIMITS)
  })

  it('can be held against a known authority key and against files', async () => {
    const file = await receiptFile()
    const files = [{ name: 'report.txt', bytes: REPORT }, { name: 'data.csv', bytes: DATA }]
    const report = await verifyReceipt(file, { authorityPublicKey: authority.binding.publicKey, files })
    expect(report.ok && report.artifacts).toEqual([
      { hash: reportHash, name: expect.any(String), sizeBytes: REPORT.length, isIncluded: true, files: ['report.txt'] },
      { hash: dataHash, name: expect.any(String), sizeBytes: DATA.length, isIncluded: false, files: ['data.csv'] },
    ])
    expect(await refusalOf(file, { authorityPublicKey: owner.binding.publicKey })).toMatch(/^authority key: .* not by/)
    const other = { name: 'other.txt', bytes: new TextEncoder().encode('The rep0rt.\n') }
    expect(await refusalOf(file, { files: [...files, other] })).toMatch(/^given files: other.txt has the hash sha256:.*not approved/)
  })
})

describe('a receipt that is no longer the one issued', () => {
  it('is refused after any one of its bytes is changed', async () => {
    const file = await receiptFile()
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: file.length - 1 }), fc.integer({ min: 1, max: 255 }), async (at, mask) => {
        const flipped = file.map((byte, n) => (n === at ? byte ^ mask : byte))
        expect((await verifyReceipt(flipped)).ok).toBe(false)
      }),
      { numRuns: 400 },
    )
  }, 60_000)

  it.each([
    ['no bytes', (file: Uint8Array) => file.subarray(0, 0)],
    ['no line feed', (file: Uint8Array) => file.subarray(0, -1)],
    ['two line feeds', (file: Uint8Array) => Uint8Array.from([...file, 0x0a])],
    ['white space before it', (file: Uint8Array) => Uint8Array.from([0x20, ...file])],
    ['half of it', (file: Uint8Array) => Uint8Array.from([...file.subarray(0, file.length >> 1), 0x0a])],
  ])('is refused with %s', async (_what, change) => {
    expect(await refusalOf(change(await receiptFile()))).toMatch(/^file: /)
  })
})

describe('a receipt that the authority signed, but that does not hold together', () => {
  type Change = (receipt: UnsignedReceipt) => object
  const registry = (change: (binding: KeyBinding) => KeyBinding): Change => (receipt) => ({
    ...receipt,
    registry: { ...receipt.registry, bindings: receipt.registry.bindings.map(change) },
  })
  const ended = (keyId: string, revokedAt: string) =>
    registry((binding) => (binding.keyId === keyId ? { ...binding, history: [{ revokedAt }] } : binding))

  it.each<[string, Change, RegExp]>([
    ['a foreign member', (receipt) => ({ ...receipt, note: '' }), /^file: the member "note"/],
    ['a missing member', ({ omitted: _omitted, ...receipt }) => receipt, /^file: the member "omitted"/],
    ['another format', (receipt) => ({ ...receipt, format: 'countersign.approval-receipt.v2' }), /^file: the member "format"/],
    ['a foreign member inside', (receipt) => ({ ...receipt, mission: { ...receipt.mission, state: 'approved' } }), /^file: the member "mission"/],
    ['a key bound twice', (receipt) => ({ ...receipt, registry: { ...receipt.registry, bindings: [...receipt.registry.bindings, { ...owner.binding, keyId: 'urn:example:alias' }] } }), /^key registry: .*public-key-reused/],
    ['an owner key revoked before the approval', ended(owner.binding.keyId, '2026-07-15T08:00:00Z'), /^command: .*outside-key-interval/],
    ['an owner key revoked between approval and acceptance', ended(owner.binding.keyId, '2026-07-15T08:00:01Z'), /^admission: .*command: trusted-time/],
    ['an authority key revoked before the export', ended(authority.binding.keyId, '2026-08-01T12:00:00Z'), /^authority signature: .*outside-key-interval/],
    ['another Mission', (receipt) => ({ ...receipt, mission: { ...receipt.mission, missionId: 'urn:example:else' } }), /^decision: .*another Mission/],
    ['another Group', (receipt) => ({ ...receipt, mission: { ...receipt.mission, groupId: 'urn:example:else' } }), /^decision: .*another Group/],
    ['another revision', (receipt) => ({ ...receipt, mission: { ...receipt.mission, revision: 5 } }), /^decision: the Approval is of revision 4, the receipt shows 5/],
    ['another Organization', (receipt) => ({ ...receipt, organizationId: 'urn:example:else' }), /^admission: .*record-binding-mismatch/],
    ['a missing record', (receipt) => ({ ...receipt, admissionRecords: receipt.admissionRecords.slice(1) }), /^admission: the command has no record/],
    ['a record given twice', (receipt) => ({ ...receipt, admissionRecords: [...receipt.admissionRecords, receipt.admissionRecords[0]] }), /^admission: two records/],
    ['a record of something else', (receipt) => ({ ...receipt, admissionRecords: [...receipt.admissionRecords, { ...receipt.admissionRecords[0], signingHash: dataHash }] }), /^admission: a record is of no document/],
    ['a record by another service', (receipt) => ({ ...receipt, admissionRecords: receipt.admissionRecords.map((record) => ({ ...record, acceptedBy: { type: 'service', id: 'urn:example:else' } })) }), /^admission: .*log-authentication-failed/],
    ['an approved Artifact without manifest', (receipt) => ({ ...receipt, manifests: receipt.manifests.slice(1) }), /^artifact set: .*has no manifest/],
    ['a manifest that is not base64url', (receipt) => ({ ...receipt, manifests: ['A', ...receipt.manifests] }), /^manifests: manifest 1: its bytes/],
    ['other content under the hash', (receipt) => ({ ...receipt, contents: [{ hash: reportHash, bytes: encodeBase64url(DATA) }] }), /^included content: .*another hash/],
    ['content that was not approved', (receipt) => ({ ...receipt, contents: [...receipt.contents, { hash: sha256Hash(Uint8Array.of(1)), bytes: 'AQ' }] }), /^included content: .*not listed/],
    ['content both included and omitted', (receipt) => ({ ...receipt, omitted: [...receipt.omitted, { hash: reportHash, sizeBytes: REPORT.length }] }), /^included content: .*omitted/],
    ['content neither included nor omitted', (receipt) => ({ ...receipt, omitted: [] }), /^included content: .*neither/],
    ['an omitted size that is wrong', (receipt) => ({ ...receipt, omitted: [{ hash: dataHash, sizeBytes: 7 }] }), /^included content: .*this size/],
  ])('is refused for %s', async (_what, change, refusal) => {
    expect(await refusalOf(await receiptFile(change))).toMatch(refusal)
  })

  const human = owner.binding.principal
  it.each<[string, ApprovedMissionChanges, RegExp]>([
    ['a change request', { approval: { decision: 'changes_requested' } }, /^decision: the decision is "changes_requested"/],
    ['an approval of a hash more', { approval: { artifactHashes: [reportHash, dataHash, sha256Hash(Uint8Array.of(1))] } }, /^artifact set: .*has no manifest/],
    ['an approval of a hash less', { approval: { artifactHashes: [reportHash] } }, /^artifact set: .*was not approved/],
    ['an approval of work', { approval: { kind: 'work_execution', workItemId: 'urn:example:work' } }, /^decision: .*releases work/],
    ['another Command', { command: { kind: 'mission.request_changes' } }, /^decision: the Command is mission.request_changes/],
    ['a Command without Approval', { command: { payload: {} } }, /^approval: it does not fit its schema/],
    ['another Event', { event: { kind: 'mission.cancelled' } }, /^acceptance: the Event is mission.cancelled/],
    ['an Event for another Command', { event: { commandHash: reportHash } }, /^acceptance: .*another Command/],
    ['an Event with another cause', { event: { cause: { type: 'command', id: 'urn:example:else' } } }, /^acceptance: .*another cause/],
    ['an Event of another actor', { event: { actor: { ...human, id: 'urn:example:else' } } }, /^acceptance: .*another actor/],
    ['an Event of another Mission', { event: { payload: { missionId: 'urn:example:else' } } }, /^acceptance: .*another Mission/],
    ['an Event without Approval', { event: { payload: { missionId: 'urn:example:mission' } } }, /^acceptance: .*another Approval/],
    ['a manifest with another size', { manifest: { sizeBytes: 1 } }, /^included content: .*this size/],
  ])('is refused for %s', async (_what, documents, refusal) => {
    expect(await refusalOf(await receiptFile(undefined, documents))).toMatch(refusal)
  })

  it('is refused when a human sealed it, or another service than the one that accepted', async () => {
    expect(await refusalOf(await receiptFile(undefined, {}, owner))).toMatch(/^authority signature: .*signer-mismatch/)
    const archive = testKey('archive', { type: 'service', id: 'urn:example:archive' })
    const withArchive: Change = (receipt) => ({
      ...receipt,
      registry: { ...receipt.registry, bindings: [...receipt.registry.bindings, archive.binding] },
    })
    expect(await refusalOf(await receiptFile(withArchive, {}, archive))).toMatch(/^acceptance: another service/)
  })
})
