// The receipt of an approved Mission, put together from the log, the Registry and the artifact store.
import { encodeCanonical } from '../../protocol/canonical-json.ts'
import type { Approval, Artifact } from '../../protocol/generated/types.ts'
import type { ReceiptParts } from '../../protocol/receipt.ts'
import { buildReceipt, sealReceipt } from '../../protocol/receipt.ts'
import { signingBytes, signingHash } from '../../protocol/signed-documents.ts'
import { resultManifests } from '../authority/artifact.ts'
import type { GroupState } from '../authority/types.ts'
import { isByItsMaker } from './artifact-maker.ts'
import { decodeEvent } from './event-bytes.ts'
import type { OrganizationKeys } from './organization-keys.ts'
import type { ArtifactStore, Clock, SpaceLog } from './ports.ts'
import type { RegistryMirror } from './registry-mirror.ts'
import type { Reads } from './service.ts'

/** Contents beyond this many bytes in one receipt are named by their hash only. */
const maximumContentBytes = 24 * 1024 * 1024

interface Needs {
  readonly organization: OrganizationKeys
  readonly reads: Pick<Reads, 'groupFor' | 'groupIdOfMission'>
  readonly log: Pick<SpaceLog, 'readAt' | 'findReceiptAt' | 'findAdmissions'>
  readonly keys: RegistryMirror
  readonly artifacts: Pick<ArtifactStore, 'find' | 'isFrom' | 'read'>
  readonly clock: Clock
}

/** The exact receipt file, or `undefined` when the Mission is not approved or hidden from the caller. */
export async function exportReceipt(needs: Needs, principalId: string, missionId: string): Promise<Uint8Array | undefined> {
  const groupId = await needs.reads.groupIdOfMission(missionId)
  const found = groupId === undefined ? undefined : await needs.reads.groupFor(principalId, groupId)
  const approval = found?.state.submissions.find((submission) => submission.outcome === 'approved')?.approval
  const sequence = approval && found?.state.sequenceOf.get(approval.approvalId)
  if (!found || !approval || sequence === undefined) return undefined
  // All that is needed of the fold is taken before the first wait.
  const { mission, title } = found.state
  const manifests = manifestsOf(found.state, approval)
  const [[entry], receipt] = await Promise.all([needs.log.readAt(mission.groupId, [sequence]), needs.log.findReceiptAt(mission.groupId, sequence)])
  if (!entry || !receipt) return undefined
  const event = decodeEvent(entry.bytes)
  const command = JSON.parse(new TextDecoder().decode(receipt.commandBytes)) as { signature: { keyId: string } }
  const { organizationId, authority } = needs.organization
  const documents = [event, approval, ...manifests]
  const hashes = [receipt.signingHash, ...documents.map((document) => signingHash(signingBytes(document)))]
  const signers = new Set([authority.keyId, ...[command, ...documents].map(({ signature }) => signature.keyId)])
  const unsigned = buildReceipt({
    exportedAt: needs.clock.now(),
    organizationId,
    mission: { missionId, groupId: mission.groupId, title, objective: mission.objective, revision: approval.missionRevision },
    commandBytes: receipt.commandBytes,
    eventBytes: entry.bytes,
    registry: { revision: needs.keys.revision, bindings: [...signers].flatMap((keyId) => needs.keys.key(keyId) ?? []) },
    admissionRecords: await needs.log.findAdmissions(organizationId, [...new Set(hashes)]),
    manifests: manifests.map((manifest) => ({ manifest, bytes: encodeCanonical(manifest) })),
    contents: await readContents(needs.artifacts, found.state, manifests),
  })
  return sealReceipt(unsigned, authority.keyId, authority.sign)
}

const manifestsOf = (state: GroupState, { artifactHashes }: Approval): readonly Artifact[] => artifactHashes.flatMap((hash) => resultManifests(state, hash))

async function readContents(artifacts: Needs['artifacts'], state: GroupState, manifests: readonly Artifact[]): Promise<ReceiptParts['contents']> {
  const contents = new Map<string, Uint8Array>()
  let left = maximumContentBytes
  for (const { contentHash, sizeBytes } of manifests) {
    if (contents.has(contentHash) || sizeBytes > left) continue
    // A manifest may state a size that the content does not have; such content is for its reader to fetch and judge.
    if ((await artifacts.find(contentHash))?.sizeBytes !== sizeBytes || !(await isByItsMaker(artifacts, state, contentHash))) continue
    contents.set(contentHash, (await artifacts.read(contentHash))!)
    left -= sizeBytes
  }
  return contents
}
