// What the log holds about the Commands of a batch. Most batches need no question to the database at all.
import type { Command, EventDocument } from '../../protocol/generated/types.ts'
import { isFounding } from '../authority/mission-create.ts'
import type { GroupState } from '../authority/types.ts'
import { runningChildren } from '../authority/work-record.ts'
import type { AcceptedActions } from './accepted-actions.ts'
import type { KnownRecords, Verdict } from './decide-batch.ts'
import { repeated } from './decide-batch.ts'
import type { CommandReceipt, ReadModels, SpaceLog } from './ports.ts'
import type { AdmissibleCommand, SpaceWork } from './space-fold.ts'

export interface RecordSources {
  readonly log: Pick<SpaceLog, 'takenIds' | 'findReceipts' | 'findAdmissions'>
  readonly readModels: Pick<ReadModels, 'missionById' | 'membershipsOf'>
  readonly actions: AcceptedActions
  readonly organizationId: string
}

/** The Mission that a Command founds and the one that it follows up. */
function missionsNamedBy({ kind, payload: { missionId, followUpOfMissionId } }: Command): string[] {
  return isFounding(kind) || kind === 'mission.create_child' ? [missionId, followUpOfMissionId].filter((id) => typeof id === 'string') : []
}

/** The Group that a Command founds besides its own. */
function groupsFoundedBy({ kind, payload: { groupId } }: Command): string[] {
  return kind === 'mission.create_child' && typeof groupId === 'string' ? [groupId] : []
}

/** Agents of whom a decision may ask what else they coordinate: the owner of a child Mission, and who is to coordinate a parent. */
function agentsInQuestion(works: readonly SpaceWork[], group: GroupState | undefined): Set<string> {
  if (!group) return new Set()
  const { parent, missionOwner } = group.mission
  // A reaction may give the Mission another owner, whose Commands are in the same batch.
  const mayMove = works.some((work) => work.type === 'reaction')
  return new Set(
    commandsOf(works).flatMap(({ document: { value } }) => {
      const isOwners = parent !== undefined && (mayMove || value.actor.id === missionOwner.id)
      const { coordinatorAgentId } = value.payload
      const isPut = value.kind === 'mission.assign_coordinator' && typeof coordinatorAgentId === 'string' && runningChildren(group).length > 0
      return [...(isOwners ? [value.actor.id] : []), ...(isPut ? [coordinatorAgentId] : [])]
    }),
  )
}

/** Talk, which turns on nothing outside its own Group; it is most of all Commands. */
const isTalk = ({ document, nested }: AdmissibleCommand): boolean => document.value.kind === 'message.post' && nested.length === 0

const nothingAsked: Omit<KnownRecords, 'actions'> = { admissions: [], missions: new Map(), takenGroups: new Set(), coordinates: () => false }

const commandsOf = (works: readonly SpaceWork[]): AdmissibleCommand[] => works.flatMap((work) => (work.type === 'command' ? [work.command] : []))

export class BatchRecords {
  readonly #spaceId: string
  readonly #sources: RecordSources

  constructor(spaceId: string, sources: RecordSources) {
    this.#spaceId = spaceId
    this.#sources = sources
  }

  /** What a decision needs to know beforehand: nested documents may be on record, Mission ids may be taken, a follow-up has its source. */
  async before(works: readonly SpaceWork[], group: GroupState | undefined): Promise<KnownRecords> {
    const { log, readModels, actions, organizationId } = this.#sources
    const isSuspect = ({ document }: AdmissibleCommand): boolean => actions.isSuspect(document.value.actor.id)
    if (works.every((work) => work.type === 'command' && isTalk(work.command) && !isSuspect(work.command))) return { actions, ...nothingAsked }
    const commands = commandsOf(works)
    const suspects = commands.filter(isSuspect)
    const groupIds = new Set(commands.flatMap(({ document: { value } }) => groupsFoundedBy(value)))
    const agentIds = agentsInQuestion(works, group)
    const hashes = new Set(commands.flatMap(({ nested }) => nested.map((document) => document.signingHash)))
    const missionIds = new Set(commands.flatMap(({ document: { value } }) => missionsNamedBy(value)))
    const [admissions, found, taken, memberships] = await Promise.all([
      hashes.size > 0 ? log.findAdmissions(organizationId, [...hashes]) : [],
      Promise.all([...missionIds].map((missionId) => readModels.missionById(missionId))),
      groupIds.size > 0 ? log.takenIds([...groupIds]) : [],
      Promise.all([...agentIds].map((agentId) => readModels.membershipsOf(agentId))),
      this.#lookUp(suspects),
    ])
    const missions = new Map(found.flatMap((mission) => (mission && mission.spaceId !== this.#spaceId ? [[mission.missionId, mission]] : [])))
    const posts = memberships.flat().filter(({ role, state }) => role === 'coordinator' && state === 'active')
    const coordinates = (agentId: string, missionId: string): boolean => posts.some((post) => post.memberId === agentId && post.missionId === missionId)
    return { actions, admissions, missions, takenGroups: new Set(taken), coordinates }
  }

  /** A refused Command may be the retry of one that this node has forgotten; its receipt goes before the refusal. */
  async reconsider(works: readonly SpaceWork[], verdicts: readonly Verdict[]): Promise<readonly Verdict[]> {
    const refused = works.flatMap((work, index) => (work.type === 'command' && verdicts[index]?.type === 'refused' ? [work.command] : []))
    if (refused.length === 0) return verdicts
    await this.#lookUp(refused)
    return verdicts.map((verdict, index) => {
      const work = works[index]
      if (verdict.type !== 'refused' || work?.type !== 'command') return verdict
      const { value, signingHash } = work.command.document
      const action = this.#sources.actions.find(value.actor.id, value.actionId)
      return action ? repeated(action, signingHash) : verdict
    })
  }

  /** A constraint refused the batch: finds out which Commands were accepted before. */
  async afterConflict(works: readonly SpaceWork[]): Promise<void> {
    const receipts = await this.#lookUp(works.flatMap((work) => (work.type === 'command' ? [work.command] : [])))
    for (const { actorId } of receipts) this.#sources.actions.suspect(actorId)
  }

  accepted(receipts: readonly CommandReceipt[]): void {
    for (const receipt of receipts) this.#sources.actions.add(receipt)
  }

  /** An Event from the log names the Command that it answered. */
  loaded({ cause, actor, commandHash }: EventDocument, sequence: number): void {
    if (cause.type !== 'command' || commandHash === undefined) return
    this.#sources.actions.add({ actorId: actor.id, actionId: cause.id, signingHash: commandHash, spaceId: this.#spaceId, sequence })
  }

  async #lookUp(commands: readonly AdmissibleCommand[]): Promise<readonly CommandReceipt[]> {
    const keys = commands.map(({ document: { value } }) => ({ actorId: value.actor.id, actionId: value.actionId }))
    const receipts = keys.length > 0 ? await this.#sources.log.findReceipts(keys) : []
    this.accepted(receipts)
    return receipts
  }
}
