// What stands in for Events that have left the online log: a snapshot of the Group, signed by its authority.
import { decodeBase64url } from '../protocol/base64url.ts'
import { sha256Hash } from '../protocol/digest.ts'
import { verifyStrict } from '../protocol/ed25519-strict.ts'
import type { GroupSnapshot } from '../protocol/generated/types.ts'
import { signingBytes } from '../protocol/signed-documents.ts'
import { parseStrictJson } from '../protocol/strict-json.ts'
import { validateDocument } from '../protocol/validate.ts'
import { SnapshotFault } from './refusal.ts'

const maximumSnapshotBytes = 64 * 1024 * 1024

/** A Group up to the snapshot's `throughSequence`. */
export interface RestoredGroup {
  readonly snapshot: GroupSnapshot
  /** Canonical JSON of the whole state, in the authority's own form; its hash is the snapshot's `stateHash`. */
  readonly state: Uint8Array
}

export interface SnapshotSource {
  readonly groupId: string
  /** From the ERROR frame. */
  readonly snapshotArtifactHash: string
  /** base64url of the key that the Agent trusts to sign for the Group Authority. */
  readonly authorityPublicKey: string
  /** Content by its hash; undefined where it does not exist for the Agent. */
  download(contentHash: string): Promise<Uint8Array | undefined>
}

/** The snapshot and the state, both checked against hash and signature; throws SnapshotFault where something does not hold. */
export async function restoreGroup(source: SnapshotSource): Promise<RestoredGroup> {
  const { groupId } = source
  const snapshot = readSnapshot(await fetchContent(source, source.snapshotArtifactHash))
  if (snapshot?.groupId !== groupId) throw new SnapshotFault(groupId, 'it is no snapshot of this Group')
  if (!isSignedBy(source.authorityPublicKey, snapshot)) throw new SnapshotFault(groupId, 'its signature is not by the authority that this Agent trusts')
  return { snapshot, state: await fetchContent(source, snapshot.stateHash) }
}

async function fetchContent({ groupId, download }: SnapshotSource, hash: string): Promise<Uint8Array> {
  const bytes = await download(hash)
  if (bytes === undefined) throw new SnapshotFault(groupId, `${hash} is not there for this Agent`)
  if (sha256Hash(bytes) !== hash) throw new SnapshotFault(groupId, `what was delivered is not ${hash}`)
  return bytes
}

function readSnapshot(bytes: Uint8Array): GroupSnapshot | undefined {
  const parsed = parseStrictJson(bytes, { maxBytes: maximumSnapshotBytes })
  if (!parsed.ok || validateDocument('group-snapshot', parsed.value.schemaView) !== undefined) return undefined
  return parsed.value.value as unknown as GroupSnapshot
}

function isSignedBy(publicKey: string, snapshot: GroupSnapshot): boolean {
  const [key, signature] = [decodeBase64url(publicKey), decodeBase64url(snapshot.signature.value)]
  return key !== undefined && signature !== undefined && verifyStrict(key, signingBytes(snapshot), signature)
}
