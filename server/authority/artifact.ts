// Registering what executing work has produced: immutable, content-addressed, with provenance.
import type { Artifact, ArtifactPublishPayload } from '../../protocol/generated/types.ts'
import { reject } from '../../protocol/error-codes.ts'
import { err } from '../../protocol/result.ts'
import { addSeconds } from '../../protocol/timestamp.ts'
import { accept } from './draft.ts'
import type { Refusal } from './fences.ts'
import { idInUse, leasesOver, notInState, notOwner, revisionConflict } from './fences.ts'
import { isAfter } from './instants.ts'
import type { Decider, Evolver, MemberRequest } from './request.ts'
import type { GroupState, WorkRecord } from './types.ts'
import { findWork, introduce } from './work-record.ts'

/** How far a producer's clock may run ahead, in seconds; the same as for a Command. */
const CLOCK_TOLERANCE_SECONDS = 300

const CLASSIFICATIONS: readonly Artifact['classification'][] = ['public', 'internal', 'confidential', 'restricted']

/** `artifact.publish`; no transition of the WorkItem, so its revision stays. */
export const decidePublish: Decider<'artifact.publish'> = (request) => {
  const { state, command, payload } = request
  const { artifact, ownershipEpoch, executionLeaseId } = payload
  const found = findWork(state, artifact.workItemId)
  if (!found.ok) return found
  const record = found.value
  const refusal =
    revisionConflict(command, record.item.revision) ??
    notOwner(request, record, ownershipEpoch) ??
    leasesOver(request, record, executionLeaseId) ??
    notInState(record, 'active') ??
    wrongManifest(request, record) ??
    wrongSources(state, payload)
  if (refusal) return err(refusal)
  return accept(request, { kind: 'artifact.published', aggregateRevision: record.item.revision, item: record.item, payload: { artifact } })
}

function wrongManifest({ state, command, payload, env }: MemberRequest<'artifact.publish'>, { item }: WorkRecord): Refusal {
  const { artifactId, missionId, groupId, workItemId, producer, createdAt } = payload.artifact
  if (command.workItemId !== undefined && command.workItemId !== workItemId) {
    return reject('INVALID_COMMAND', 'the manifest is about other work than the Command')
  }
  if (missionId !== item.missionId || groupId !== item.groupId) return reject('INVALID_COMMAND', 'the manifest names another Mission')
  if (producer.agentId !== command.actor.id) return reject('INVALID_COMMAND', 'the manifest names another producer')
  if (producer.agentCardVersion !== item.owner?.agentCardVersion) {
    return reject('REVISION_CONFLICT', 'the work was accepted under another Agent Card version')
  }
  const latest = addSeconds(env.now, CLOCK_TOLERANCE_SECONDS)
  return isAfter(createdAt, latest) ? reject('INVALID_COMMAND', 'the manifest is dated in the future') : idInUse(state, artifactId)
}

/** Sources are known here, and what is made of them is at least as confidential as each of them. */
function wrongSources({ artifacts }: GroupState, { artifact }: ArtifactPublishPayload): Refusal {
  if (artifact.sourceArtifactHashes.includes(artifact.contentHash)) return reject('INVALID_COMMAND', 'an artifact is not its own source')
  const sources = artifact.sourceArtifactHashes.map((hash) => artifacts.get(hash))
  if (sources.includes(undefined)) return reject('INVALID_COMMAND', 'a source is not an artifact of this Group')
  const levels = sources.flatMap((published) => published ?? []).map(({ classification }) => CLASSIFICATIONS.indexOf(classification))
  if (CLASSIFICATIONS.indexOf(artifact.classification) >= Math.max(0, ...levels)) return undefined
  return reject('AUTH_FORBIDDEN', 'the classification is lower than that of a source')
}

export const evolvePublished: Evolver<'artifact.published'> = (state, { payload, sequence }) => keepArtifact(state, payload.artifact, sequence)

/** The manifests under which this content is a result here: those of the Group itself, and where it has none those that came from other Missions. */
export function resultManifests({ artifacts, groupId }: GroupState, contentHash: string): readonly Artifact[] {
  const known = artifacts.get(contentHash) ?? []
  const own = known.filter((artifact) => artifact.groupId === groupId)
  return own.length > 0 ? own : known
}

/** The Group knows this artifact from now on; only evolvers call it. */
export function keepArtifact(state: GroupState, artifact: Artifact, sequence: number): void {
  const same = state.artifacts.get(artifact.contentHash) ?? []
  state.artifacts.set(artifact.contentHash, [...same, artifact])
  introduce(state, artifact.artifactId, sequence)
  introduce(state, artifact.contentHash, sequence)
}
