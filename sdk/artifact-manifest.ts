import type { Artifact, CapabilityRef, Classification, Extensions, ModelVersion, ToolVersion } from '../protocol/generated/types.ts'
import type { StoredContent } from './authority-http.ts'
import type { Identity } from './identity.ts'
import { newId, timeNow } from './ids.ts'

/** The right to act on a WorkItem now: what every Command of an executing Worker cites. */
export interface ExecutionLease {
  readonly missionId: string
  readonly groupId: string
  readonly workItemId: string
  readonly ownershipEpoch: number
  readonly executionLeaseId: string
}

/** What a Worker says of an artifact. */
export interface ArtifactDescription {
  readonly lease: ExecutionLease
  readonly mediaType: string
  /** Schema of the content. */
  readonly schemaUri: string
  readonly agentCardVersion: number
  readonly capabilities: readonly CapabilityRef[]
  readonly sourceArtifactHashes?: readonly string[]
  readonly toolVersions?: readonly ToolVersion[]
  readonly modelVersions?: readonly ModelVersion[]
  /** `internal` when absent. */
  readonly classification?: Classification
  /** For example `urn:countersign:artifact-name`, the file name that people see. */
  readonly extensions?: Extensions
}

/** The signed manifest of stored content. */
export function signManifest(identity: Identity, stored: StoredContent, description: ArtifactDescription): Promise<Artifact> {
  const { lease, mediaType, schemaUri, agentCardVersion, capabilities } = description
  const { sourceArtifactHashes = [], toolVersions = [], modelVersions = [], classification = 'internal', extensions } = description
  const manifest: Omit<Artifact, 'signature'> = {
    artifactId: newId(),
    contentHash: stored.contentHash,
    uri: stored.uri,
    sizeBytes: stored.sizeBytes,
    mediaType,
    schemaUri,
    producer: { agentId: identity.principal.id, agentCardVersion, capabilities: [...capabilities] },
    missionId: lease.missionId,
    groupId: lease.groupId,
    workItemId: lease.workItemId,
    sourceArtifactHashes: [...sourceArtifactHashes],
    toolVersions: [...toolVersions],
    modelVersions: [...modelVersions],
    classification,
    createdAt: timeNow(),
    ...(extensions && { extensions }),
  }
  return identity.signDocument(manifest, 'createdAt')
}
