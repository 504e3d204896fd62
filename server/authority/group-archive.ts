// The end of a Group's log: a signed snapshot of all of it, and nothing after that.
import { canonicalText, encodeCanonical } from '../../protocol/canonical-json.ts'
import { sha256Hash } from '../../protocol/digest.ts'
import type { GroupSnapshot } from '../../protocol/generated/types.ts'
import { reject } from '../../protocol/error-codes.ts'
import type { GROUP_ARCHIVE } from '../../protocol/kinds.ts'
import { err, invariant, ok } from '../../protocol/result.ts'
import { followingDraft, primaryDraft } from './draft.ts'
import { encodeState } from './encode-state.ts'
import type { Refusal } from './fences.ts'
import { idInUse, isSame, revisionConflict } from './fences.ts'
import { isAfter } from './instants.ts'
import type { Decider, Evolver, MemberRequest } from './request.ts'
import type { EventDraft, GroupState } from './types.ts'
import { introduce, runningChildren } from './work-record.ts'

type Request = MemberRequest<typeof GROUP_ARCHIVE>

/** What the authority signs to archive the Group as it is now. */
export function snapshotOf(state: GroupState, { snapshotId, createdBy, createdAt }: Pick<GroupSnapshot, 'snapshotId' | 'createdBy' | 'createdAt'>): Omit<GroupSnapshot, 'signature'> {
  const { groupId, sequence: throughSequence, eventIds, policyLog } = state
  const stateHash = sha256Hash(encodeState(state))
  return { snapshotId, groupId, throughSequence, eventIds: [...eventIds], stateHash, policyLog: [...policyLog], createdBy, createdAt }
}

/** Hash of the Artifact that is the signed snapshot, byte for byte. */
export const snapshotHashOf = (snapshot: GroupSnapshot): string => sha256Hash(encodeCanonical(snapshot))

/** `ext.missionweaveprotocol.core.group_archive`; `expectedRevision` is the Group's sequence. */
export const decideArchive: Decider<typeof GROUP_ARCHIVE> = (request) => {
  const { state, command, payload } = request
  const refusal =
    notArchivist(request) ??
    revisionConflict(command, state.sequence) ??
    behindHead(request) ??
    idInUse(state, payload.snapshot.snapshotId) ??
    wrongTimes(request) ??
    wrongHorizon(request) ??
    missionNotOver(state) ??
    otherThanGroup(request)
  return refusal ? err(refusal) : ok(archival(request))
}

/** The snapshot comes first, as the Event of the archive rests on it; the sender is answered with the latter. */
function archival(request: Request): readonly EventDraft[] {
  const { state, env, payload: { snapshot, firstOnlineSequence } } = request
  const { snapshotId, throughSequence, stateHash } = snapshot
  const created = followingDraft(request, 1, {
    kind: 'group.snapshot.created',
    aggregateRevision: state.sequence + 1,
    payload: { snapshotId, throughSequence, stateHash, snapshotArtifactHash: snapshotHashOf(snapshot) },
  })
  const archived = primaryDraft(request, {
    kind: 'group.archived',
    aggregateRevision: state.sequence + 2,
    payload: { snapshotId, archivedAt: env.now, ...(firstOnlineSequence !== undefined && { firstOnlineSequence }) },
  })
  const lastEventId = state.eventIds.at(-1)
  invariant(lastEventId !== undefined, 'a Group has a first Event')
  return [{ ...created, cause: { type: 'event', id: lastEventId } }, archived]
}

/** who sends the Command has passed policy already; the snapshot has to be its own. */
function notArchivist({ command, payload: { snapshot } }: Request): Refusal {
  if (command.actor.type === 'service' && isSame(snapshot.createdBy, command.actor)) return undefined
  return reject('AUTH_FORBIDDEN', 'only an archival service archives a Group, with a snapshot of its own')
}

function behindHead({ state, payload: { snapshot } }: Request): Refusal {
  const [expectedRevision, currentRevision] = [snapshot.throughSequence, state.sequence]
  if (expectedRevision === currentRevision) return undefined
  return reject('REVISION_CONFLICT', 'the snapshot does not end where the log does', { expectedRevision, currentRevision })
}

function wrongTimes({ state, command, payload: { snapshot: { createdAt } } }: Request): Refusal {
  if (!isAfter(state.lastOccurredAt, createdAt) && !isAfter(createdAt, command.issuedAt)) return undefined
  return reject('INVALID_COMMAND', 'the snapshot was not made between the last Event and the Command')
}

function wrongHorizon({ state, payload: { firstOnlineSequence } }: Request): Refusal {
  if (firstOnlineSequence === undefined || firstOnlineSequence <= state.sequence + 1) return undefined
  return reject('INVALID_COMMAND', 'the snapshot does not cover what is to leave the online log')
}

function missionNotOver(state: GroupState): Refusal {
  const { mission } = state
  if (mission.state === 'active' || mission.state === 'awaiting_approval') return reject('INVALID_STATE_TRANSITION', `the Mission is ${mission.state}`)
  if (runningChildren(state).length === 0) return undefined
  return reject('INVALID_STATE_TRANSITION', 'a child Mission has still to report its end')
}

/** The snapshot names every Event, every entry of the Policy Log and the state that they give (O-6). */
function otherThanGroup({ state, payload: { snapshot } }: Request): Refusal {
  const { groupId, eventIds, policyLog, stateHash } = snapshot
  if (groupId !== state.groupId) return reject('INVALID_COMMAND', 'the snapshot is of another Group')
  if (canonicalText(eventIds) !== canonicalText(state.eventIds)) return reject('INVALID_COMMAND', 'the snapshot names other Events than the log')
  if (canonicalText(policyLog) !== canonicalText(state.policyLog)) return reject('INVALID_COMMAND', 'the snapshot has another Policy Log than the Group')
  if (stateHash === sha256Hash(encodeState(state))) return undefined
  return reject('INVALID_COMMAND', 'the snapshot is of another state')
}

/** After the archive nothing is accepted, whatever else would allow it. */
export function groupArchived({ group }: GroupState): Refusal {
  return group.state === 'archived' ? reject('INVALID_STATE_TRANSITION', 'the Group is archived') : undefined
}

export const evolveSnapshotCreated: Evolver<'group.snapshot.created'> = (state, { payload, sequence }) => {
  state.archive = payload
  introduce(state, payload.snapshotId, sequence)
}

export const evolveArchived: Evolver<'group.archived'> = (state, { payload: { snapshotId, archivedAt, firstOnlineSequence } }) => {
  invariant(state.archive?.snapshotId === snapshotId, 'a Group is archived with the snapshot before it')
  state.group = { ...state.group, state: 'archived', archivedAt, archiveSnapshotId: snapshotId }
  if (firstOnlineSequence !== undefined) state.archive = { ...state.archive, firstOnlineSequence }
}
