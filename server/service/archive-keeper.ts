// Archives a Group in the name of the Group Authority: state and snapshot become Artifacts, then the Command closes the log.
import { randomUUID } from 'node:crypto'
import { encodeCanonical } from '../../protocol/canonical-json.ts'
import type { GroupSnapshot } from '../../protocol/generated/types.ts'
import { GROUP_ARCHIVE } from '../../protocol/kinds.ts'
import type { Result } from '../../protocol/result.ts'
import { err, invariant, ok } from '../../protocol/result.ts'
import { signDocument } from '../../protocol/signed-documents.ts'
import type { ParsedJson } from '../../protocol/strict-json.ts'
import { parseStrictJson } from '../../protocol/strict-json.ts'
import { encodeState } from '../authority/encode-state.ts'
import { snapshotOf } from '../authority/group-archive.ts'
import type { GroupState } from '../authority/types.ts'
import type { OrganizationKeys } from './organization-keys.ts'
import type { ArtifactStore, Clock } from './ports.ts'
import type { GroupArchives, SubmitOutcome } from './service.ts'
import type { SpaceActors } from './space-actors.ts'

const snapshotType = 'application/vnd.countersign.group-snapshot+json'
const stateType = 'application/vnd.countersign.group-state+json'
/** Whether the authority keeps this content for a Group, whose id then stands as the uploader. */
export const isArchiveMediaType = (mediaType: string): boolean => mediaType === snapshotType || mediaType === stateType

const maximumStateBytes = 1024 * 1024 * 1024
/** A snapshot names every Event: 48 bytes for each. */
export const maximumSnapshotBytes = 64 * 1024 * 1024

export interface ArchiveNeeds {
  readonly organization: OrganizationKeys
  readonly actors: Pick<SpaceActors, 'read'>
  readonly artifacts: Pick<ArtifactStore, 'put'>
  readonly clock: Clock
  readonly submit: (command: ParsedJson) => Promise<SubmitOutcome>
  /** What one document of this authority may hold; `maximumSnapshotBytes` when absent. */
  readonly maximumCommandBytes?: number
}

/** Archives the Group as it is; refused in words when the Mission goes on, or when something was written meanwhile. */
export async function archiveGroup(needs: ArchiveNeeds, groupId: string, { isHistoryOffline }: { isHistoryOffline: boolean }): ReturnType<GroupArchives['archive']> {
  const { actors, clock, organization } = needs
  const { group } = await actors.read(groupId)
  if (!group) return err({ reason: 'there is no such Group' })
  const refusal = notOver(group)
  if (refusal) return refusal
  // All that is needed of the fold is taken before the next wait.
  const state = encodeState(group)
  const events = group.sequence
  const now = laterOf(clock.now(), group.lastOccurredAt)
  const unsigned = snapshotOf(group, { snapshotId: `urn:uuid:${randomUUID()}`, createdBy: organization.authority.principal, createdAt: now })
  const snapshot = await signDocument(unsigned, 'createdAt', organization.authority.keyId, organization.authority.sign)
  const command = await archiveCommand(needs, snapshot, isHistoryOffline)
  if (!command) return err({ reason: `the Group has ${events} Events, more than one snapshot can name` })
  const unkept = (await keep(needs, groupId, state, stateType)) ?? (await keep(needs, groupId, encodeCanonical(snapshot), snapshotType))
  if (unkept) return err({ reason: unkept })
  const outcome = await needs.submit(command)
  if (!outcome.ok) return err({ reason: `${outcome.rejection.code}: ${outcome.rejection.message}` })
  const archive = (await actors.read(groupId)).group?.archive
  invariant(archive, 'an archived Group has its snapshot')
  return ok({ groupId, ...archive })
}

/** Said before anything is stored; the decision asks again. */
function notOver({ mission, group }: GroupState): Result<never, { reason: string }> | undefined {
  if (group.state === 'archived') return err({ reason: 'the Group is archived already' })
  const isOver = mission.state !== 'active' && mission.state !== 'awaiting_approval'
  return isOver ? undefined : err({ reason: `the Mission is ${mission.state}; only a finished one is archived` })
}

/** Why the content cannot be kept; undefined once it is. */
async function keep({ artifacts }: ArchiveNeeds, groupId: string, bytes: Uint8Array, mediaType: string): Promise<string | undefined> {
  const stored = await artifacts.put(once(bytes), { mediaType, maxBytes: maximumStateBytes, uploadedBy: groupId })
  if (stored === 'no-room') return 'there is no room for the archive'
  return stored === 'too-large' ? `the state of the Group has more than ${maximumStateBytes} bytes` : undefined
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
  yield bytes
}

/** Undefined where the snapshot is too long for one Command. */
async function archiveCommand({ organization: { authority }, maximumCommandBytes = maximumSnapshotBytes }: ArchiveNeeds, snapshot: GroupSnapshot, isHistoryOffline: boolean): Promise<ParsedJson | undefined> {
  const actionId = `urn:uuid:${randomUUID()}`
  const { groupId, createdAt: issuedAt, throughSequence } = snapshot
  const payload = { snapshot, ...(isHistoryOffline && { firstOnlineSequence: throughSequence + 1 }) }
  const command = { protocolVersion: '0.1', actionId, correlationId: actionId, actor: authority.principal, kind: GROUP_ARCHIVE, groupId, issuedAt, payload }
  const bytes = encodeCanonical(await signDocument(command, 'issuedAt', authority.keyId, authority.sign))
  if (bytes.length > maximumCommandBytes) return undefined
  const parsed = parseStrictJson(bytes, { maxBytes: maximumCommandBytes })
  invariant(parsed.ok, 'what was encoded can be read')
  return parsed.value
}

const laterOf = (a: string, b: string): string => (a > b ? a : b)
