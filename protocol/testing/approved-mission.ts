import { encodeCanonical } from '../canonical-json.ts'
import { sha256Hash } from '../digest.ts'
import type { Approval, Artifact, Command, EventDocument, FirstAdmissionRecord } from '../generated/types.ts'
import type { ReceiptParts } from '../receipt.ts'
import { buildReceipt, sealReceipt } from '../receipt.ts'
import type { UnsignedReceipt } from '../receipt-format.ts'
import { signDocument, signingBytes, signingHash } from '../signed-documents.ts'
import { exampleDocuments } from './example-documents.ts'
import { ORGANIZATION, testKey } from './test-keys.ts'

export const owner = testKey('owner', { type: 'human', id: 'urn:example:owner' }, { use: 'authority' })
export const authority = testKey('authority', { type: 'service', id: 'urn:example:authority' })
export const producer = testKey('producer', { type: 'agent', id: 'urn:example:producer' })

export const REPORT = new TextEncoder().encode('The report.\n')
export const DATA = new TextEncoder().encode('1,2,3\n')

const mission = {
  missionId: 'urn:example:mission',
  groupId: 'urn:example:group',
  title: 'Handbook',
  objective: 'Translate the handbook.',
  revision: 4,
}
const scope = { missionId: mission.missionId, groupId: mission.groupId }

/** What a test may change before each document is signed. */
export type ApprovedMissionChanges = {
  readonly approval?: Partial<Approval>
  readonly command?: Partial<Command>
  readonly event?: Partial<EventDocument>
  readonly manifest?: Partial<Artifact>
}

async function signedManifest(content: Uint8Array, changes: Partial<Artifact> = {}): Promise<Artifact> {
  const manifest: Artifact = {
    ...exampleDocuments.artifact,
    ...scope,
    artifactId: `urn:example:artifact:${content.length}`,
    contentHash: sha256Hash(content),
    sizeBytes: content.length,
    producer: { ...exampleDocuments.artifact.producer, agentId: producer.binding.principal.id },
    ...changes,
  }
  return signDocument(manifest, 'createdAt', producer.binding.keyId, producer.sign)
}

/** An approved Mission with two Artifacts, of which one is at hand: the parts of its receipt. */
export async function approvedMission(changes: ApprovedMissionChanges = {}): Promise<ReceiptParts> {
  const manifests = [await signedManifest(REPORT, changes.manifest), await signedManifest(DATA)]
  const drafted: Approval = {
    ...exampleDocuments.approval,
    ...scope,
    missionRevision: mission.revision,
    artifactHashes: [sha256Hash(REPORT), sha256Hash(DATA)],
    approver: owner.binding.principal,
    ...changes.approval,
  }
  const approval = await signDocument(drafted, 'occurredAt', owner.binding.keyId, owner.sign)
  const { sessionEpoch: _agentsOnly, ...envelope } = exampleDocuments.command
  const asked: Command = {
    ...envelope,
    actor: owner.binding.principal,
    groupId: mission.groupId,
    kind: 'mission.approve',
    payload: { approval },
    ...changes.command,
  }
  const command = await signDocument(asked, 'issuedAt', owner.binding.keyId, owner.sign)
  const accepted: EventDocument = {
    ...exampleDocuments.event,
    groupId: mission.groupId,
    kind: 'mission.approved',
    actor: owner.binding.principal,
    cause: { type: 'command', id: command.actionId },
    commandHash: signingHash(signingBytes(command)),
    payload: { missionId: mission.missionId, approval },
    acceptedBy: authority.binding.principal,
    ...changes.event,
  }
  const event = await signDocument(accepted, 'occurredAt', authority.binding.keyId, authority.sign)
  return {
    exportedAt: '2026-08-01T12:00:00Z',
    organizationId: ORGANIZATION,
    mission,
    commandBytes: encodeCanonical(command),
    eventBytes: encodeCanonical(event),
    registry: { revision: 9, bindings: [owner, authority, producer].map(({ binding }) => binding) },
    admissionRecords: [
      recordOf('command', command),
      recordOf('event', event),
      recordOf('approval', approval),
    ],
    manifests: manifests.map((manifest) => ({ manifest, bytes: encodeCanonical(manifest) })),
    contents: new Map([[sha256Hash(REPORT), REPORT]]),
    pageBuild: 'build-1',
  }
}

function recordOf(kind: 'command' | 'event' | 'approval', document: Command | EventDocument | Approval): FirstAdmissionRecord {
  return {
    protocolVersion: '0.1',
    admissionRecordId: `urn:example:record:${kind}`,
    organizationId: ORGANIZATION,
    documentKind: kind,
    signingHash: signingHash(signingBytes(document)),
    keyId: document.signature.keyId,
    principal: kind === 'event' ? authority.binding.principal : owner.binding.principal,
    trustedAcceptedAt: '2026-07-15T08:00:01Z',
    acceptedBy: { type: 'service', id: authority.binding.principal.id },
  }
}

/** The file of a receipt that the authority signed after the changes: what an authority that errs or lies could issue. */
export async function receiptFile(
  changes: (receipt: UnsignedReceipt) => object = (receipt) => receipt,
  documents: ApprovedMissionChanges = {},
  signer = authority,
): Promise<Uint8Array> {
  const receipt = changes(buildReceipt(await approvedMission(documents))) as UnsignedReceipt
  return sealReceipt(receipt, signer.binding.keyId, signer.sign)
}
