// Content of another Group enters this one as an artifact that was approved there, and with an Event that says so.
import type { Artifact, ArtifactImportPayload } from '../../protocol/generated/types.ts'
import { reject } from '../../protocol/error-codes.ts'
import { type ARTIFACT_IMPORT, ARTIFACT_IMPORTED } from '../../protocol/kinds.ts'
import { err, invariant } from '../../protocol/result.ts'
import { keepArtifact } from './artifact.ts'
import { accept } from './draft.ts'
import { pinnedOtherwise } from './extension-use.ts'
import type { Refusal } from './fences.ts'
import { actingLeaseOver, idInUse, missionNotActive, neitherOwnerNorCoordinator, revisionConflict } from './fences.ts'
import type { Decider, Evolver, MemberRequest } from './request.ts'
import type { ArtifactApproval, ArtifactSource, GroupState } from './types.ts'
import { introduce } from './work-record.ts'

type Request = MemberRequest<typeof ARTIFACT_IMPORT>
type ArtifactName = Pick<ArtifactImportPayload, 'artifactId' | 'contentHash'>

/** What the Group that holds an artifact tells this reader of it; nothing where there is no such Group, artifact or member. */
export function artifactSourceIn(state: GroupState | undefined, { artifactId, contentHash }: ArtifactName, readerId: string): ArtifactSource | undefined {
  const membership = state?.memberships.get(readerId)
  const artifact = state?.artifacts.get(contentHash)?.find((published) => published.artifactId === artifactId)
  if (!state || !artifact || membership?.state !== 'active') return undefined
  const [approved, accepted] = [approvalOf(state, contentHash), acceptanceOf(state, contentHash)]
  return { artifact, role: membership.role, ...(approved && { approved }), ...(accepted && { accepted }) }
}

function approvalOf(state: GroupState, contentHash: string): ArtifactApproval | undefined {
  const { approval } = state.submissions.find(({ outcome, artifactHashes }) => outcome === 'approved' && artifactHashes.includes(contentHash)) ?? {}
  return approval && { sourceEventId: eventAt(state, state.sequenceOf.get(approval.approvalId)), approval }
}

/** `verified` ends a WorkItem, so the Event that accepted its result is its last step. */
function acceptanceOf(state: GroupState, contentHash: string): ArtifactApproval | undefined {
  const record = [...state.workItems.values()].find(({ item }) => item.state === 'verified' && item.submission?.artifactHashes.includes(contentHash))
  return record && { sourceEventId: eventAt(state, state.workSteps.get(record.item.workItemId)?.at(-1)) }
}

function eventAt({ eventIds }: GroupState, sequence = 0): string {
  const eventId = eventIds[sequence - 1]
  invariant(eventId, 'what was approved has no Event')
  return eventId
}

/** `ext.countersign.artifact.import`, by the MissionOwner or the Coordinator; `expectedRevision` is the Mission's, which stays. */
export const decideImport: Decider<typeof ARTIFACT_IMPORT> = (request) => {
  const { state, command, payload: { sourceGroupId, reason }, source } = request
  const { revision } = state.mission
  const refusal = revisionConflict(command, revision) ?? neitherOwnerNorCoordinator(request)
  if (refusal) return err(refusal)
  if (!source) return err(reject('INVALID_COMMAND', 'there is no such artifact in a Group of yours'))
  const approved = source.approved ?? (isAbove(request) ? source.accepted : undefined)
  if (!approved) return err(reject('AUTH_FORBIDDEN', 'the artifact was not approved in its Group'))
  const { artifact } = source
  const misfit = undisclosed(request, source) ?? actingLeaseOver(request) ?? missionNotActive(request) ?? mistakable(state, artifact) ?? pinnedOtherwise(state.extensionPins, { payload: { artifact } })
  if (misfit) return err(misfit)
  return accept(request, { kind: ARTIFACT_IMPORTED, aggregateRevision: revision, payload: { artifact, sourceGroupId, ...approved, reason } })
}

/** Whether the artifact is of the Mission that this one works for: what its Coordinator accepted there is approved enough here. */
const isAbove = ({ state, payload }: Request): boolean => state.parentLink?.groupId === payload.sourceGroupId

/** What is not for the whole Organization leaves its Group by whoever answers for it: the MissionOwner, downwards the Coordinator too. */
function undisclosed(request: Request, { artifact: { classification }, role }: ArtifactSource): Refusal {
  const isShared = classification === 'public' || classification === 'internal'
  if (isShared || role === 'mission_owner' || (role === 'coordinator' && isAbove(request))) return undefined
  return reject('AUTH_FORBIDDEN', `a ${classification} artifact leaves its Group by its MissionOwner alone`)
}

/** The manifest names work of another Group, which no work of this one may be taken for, now or later. */
function mistakable(state: GroupState, { artifactId, workItemId }: Artifact): Refusal {
  if (state.workItems.has(workItemId)) return reject('INVALID_COMMAND', 'work of this Group has the id of the work that made the artifact')
  return idInUse(state, artifactId)
}

export const evolveImported: Evolver<typeof ARTIFACT_IMPORTED> = (state, { payload: { artifact }, sequence }) => {
  keepArtifact(state, artifact, sequence)
  introduce(state, artifact.workItemId, sequence)
}
