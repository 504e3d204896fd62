// Founding a Mission: one Event holds the Mission, its Group, the main Conversation, both first Memberships and the lease.
import type { Actor, Conversation, Group, Membership, Mission, MissionCreatedPayload, MissionCreateFollowUpPayload, MissionCreatePayload } from '../../protocol/generated/types.ts'
import { deriveUrn } from '../../protocol/digest.ts'
import { reject } from '../../protocol/error-codes.ts'
import { isIdentifier } from '../../protocol/identifier.ts'
import { err, ok } from '../../protocol/result.ts'
import { openAccount } from './budget.ts'
import { inCharge, unfitToCoordinate } from './coordinator.ts'
import type { CommandOrigin } from './draft.ts'
import { primaryDraft } from './draft.ts'
import type { Refusal } from './fences.ts'
import { isAfter } from './instants.ts'
import { followUpRefused } from './mission-follow-up.ts'
import type { GroupEvent } from './request.ts'
import type { Decision, DecisionEnv, GroupState, VerifiedCommand } from './types.ts'
import { introduce } from './work-record.ts'

/** A Membership that names no scopes covers all that its role may do in the Group. */
export const WHOLE_GROUP = ['group']

export const mainConversationIdOf = (groupId: string): string => `${groupId}:mission`

export const membershipIdOf = (groupId: string, memberId: string): string => deriveUrn('membership', groupId, memberId)

export type FoundingKind = 'mission.create' | 'mission.create_follow_up'
export type FoundedKind = 'mission.created' | 'mission.follow_up.created'
type FoundingPayload = MissionCreatePayload & Partial<Pick<MissionCreateFollowUpPayload, 'followUpOfMissionId'>>

/** The Commands of a Group that does not exist yet. */
export const isFounding = (kind: string): kind is FoundingKind => kind === 'mission.create' || kind === 'mission.create_follow_up'

/** `mission.create` and `mission.create_follow_up`. */
export function decideMissionCreate(state: GroupState | undefined, verified: VerifiedCommand, env: DecisionEnv): Decision {
  const payload = verified.command.payload as FoundingPayload
  const { actor } = verified.command
  const refusal = foundingRefused(state, verified, env) ?? followUpRefused(payload, actor, env) ?? incoherentMission(payload, actor, env)
  if (refusal) return err(refusal)
  const { followUpOfMissionId } = payload
  const founding = foundingOf(payload, verified, env, followUpOfMissionId === undefined ? {} : { followUpToMissionId: followUpOfMissionId })
  const { revision } = founding.mission
  if (followUpOfMissionId === undefined) return ok([primaryDraft(verified, { kind: 'mission.created', aggregateRevision: revision, payload: founding })])
  const followUp = { ...founding, followUpOfMissionId }
  return ok([primaryDraft(verified, { kind: 'mission.follow_up.created', aggregateRevision: revision, payload: followUp })])
}

/** What a founding Command says of the Mission, a root one or a child. */
export type MissionTerms = Omit<MissionCreatePayload, 'approvalPolicy'> & Pick<Mission, 'approvalPolicy'>

/** The founding state of a Mission that the sender of the Command owns. */
export function foundingOf(payload: MissionTerms, origin: CommandOrigin, env: DecisionEnv, links: Pick<Mission, 'parent' | 'followUpToMissionId'>): MissionCreatedPayload {
  const { mission, coordinatorLease } = missionOf(payload, origin, env, links)
  const { title } = payload
  return { mission, group: groupOf(mission), conversation: mainConversationOf(mission, title), memberships: foundersOf(mission), coordinatorLease, title }
}

function foundingRefused(state: GroupState | undefined, { command, keyUse }: VerifiedCommand, env: DecisionEnv): Refusal {
  const { groupId, coordinatorAgentId } = command.payload as FoundingPayload
  if (command.actor.type !== 'human' || keyUse !== 'authority') {
    return reject('AUTH_FORBIDDEN', 'only a person with an authority key may found a Mission')
  }
  if (groupId !== command.groupId) return reject('INVALID_COMMAND', 'the payload founds another Group than the Command names')
  if (state) return reject('INVALID_COMMAND', 'this Group id cannot be used')
  if (!isIdentifier(mainConversationIdOf(groupId))) return reject('INVALID_COMMAND', 'this Group id leaves no room for Conversation ids')
  return unfitToCoordinate(coordinatorAgentId, env)
}

/** What is wrong with the terms themselves, whoever sends them. */
export function incoherentMission(payload: MissionTerms, actor: Actor, env: DecisionEnv): Refusal {
  const criteria = payload.definitionOfDone.map(({ criterionId }) => criterionId)
  if (payload.coordinatorAgentId === actor.id) return reject('INVALID_COMMAND', 'nobody both owns and coordinates a Mission')
  if (payload.missionId === payload.groupId) return reject('INVALID_COMMAND', 'Mission and Group need different ids')
  if (!isAfter(payload.deadline, env.now)) return reject('INVALID_COMMAND', 'the deadline has passed')
  if (new Set(criteria).size === criteria.length) return undefined
  return reject('INVALID_COMMAND', 'the definition of done names one criterion twice')
}

type Founding = Pick<MissionCreatedPayload, 'mission' | 'coordinatorLease'>

function missionOf(payload: MissionTerms, { command, signingHash }: CommandOrigin, env: DecisionEnv, links: Pick<Mission, 'parent' | 'followUpToMissionId'>): Founding {
  const { missionId, groupId, objective, definitionOfDone, budget, deadline, approvalPolicy, coordinatorAgentId } = payload
  const charge = { missionId, groupId, agentId: coordinatorAgentId, coordinatorEpoch: 1, signingHash, leaseSeconds: payload.coordinatorLeaseSeconds }
  const { coordinator, coordinatorLease } = inCharge(charge, env)
  const mission: Mission = {
    missionId,
    groupId,
    revision: 1,
    objective,
    definitionOfDone,
    missionOwner: command.actor,
    coordinator,
    state: 'active',
    budget,
    deadline,
    approvalPolicy,
    ...links,
    createdAt: env.now,
  }
  return { mission, coordinatorLease }
}

function groupOf({ groupId, missionId, createdAt }: Mission): Group {
  return { groupId, missionId, state: 'active', mainConversationId: mainConversationIdOf(groupId), createdAt }
}

function mainConversationOf({ groupId, missionId, missionOwner, createdAt }: Mission, title: string): Conversation {
  return {
    conversationId: mainConversationIdOf(groupId),
    missionId,
    groupId,
    type: 'group',
    title,
    access: { mode: 'group' },
    createdBy: missionOwner,
    createdAt,
    state: 'active',
    revision: 1,
  }
}

/** owner and Coordinator see the whole Group. */
function foundersOf({ groupId, missionId, missionOwner, coordinator, createdAt }: Mission): Membership[] {
  const founder = (member: Actor, role: Membership['role']) => foundingMembership({ groupId, missionId, createdAt }, member, role)
  return [founder(missionOwner, 'mission_owner'), founder({ type: 'agent', id: coordinator.agentId }, 'coordinator')]
}

/** A Membership from the first Event on, with complete visibility. */
export function foundingMembership({ groupId, missionId, createdAt }: Pick<Mission, 'groupId' | 'missionId' | 'createdAt'>, member: Actor, role: Membership['role']): Membership {
  return {
    membershipId: membershipIdOf(groupId, member.id),
    missionId,
    groupId,
    member,
    role,
    state: 'active',
    membershipEpoch: 1,
    scopes: WHOLE_GROUP,
    visibilityStartSequence: 0,
    grantedAt: createdAt,
    activatedAt: createdAt,
  }
}

/** The first state of a Group. */
export function foundGroup({ payload, sequence, occurredAt }: GroupEvent<FoundedKind>): GroupState {
  const { parentLink } = payload as MissionCreatedPayload
  const { mission, group, conversation, memberships, coordinatorLease: lease, title } = payload
  const state: GroupState = {
    groupId: group.groupId,
    sequence,
    lastOccurredAt: occurredAt,
    title,
    mission,
    ...(parentLink && { parentLink }),
    group,
    coordinatorLease: lease,
    conversations: new Map([[conversation.conversationId, conversation]]),
    memberships: new Map(memberships.map((membership) => [membership.member.id, membership])),
    candidacies: new Map(),
    temporary: new Set(),
    contextPackages: new Map(),
    workItems: new Map(),
    proposals: new Map(),
    delegations: new Map(),
    artifacts: new Map(),
    messages: new Map(),
    redactedBy: new Map(),
    confidential: new Map(),
    ledgers: new Map(),
    submissions: [],
    eventIds: [],
    policyLog: [],
    sequenceOf: new Map(),
    workSteps: new Map(),
    ownedBy: new Map(),
    overrides: new Map(),
    extensionPins: new Map(),
    recent: new Map(),
    executing: new Set(),
    waiting: new Set(),
  }
  openAccount(state, mission.missionId, mission.budget)
  for (const id of [group.groupId, mission.missionId, conversation.conversationId]) introduce(state, id, sequence)
  return state
}
