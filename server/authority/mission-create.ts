// Founding a Mission: one Event holds the Mission, its Group, the main Conversation, both first Memberships and the lease.
import type { Actor, Conversation, Group, Membership, Mission, MissionCreatedPayload, MissionCreatePayload } from '../../protocol/generated/types.ts'
import { deriveUrn } from '../../protocol/digest.ts'
import { reject } from '../../protocol/error-codes.ts'
import { isIdentifier } from '../../protocol/identifier.ts'
import { err, invariant, ok } from '../../protocol/result.ts'
import { openAccount } from './budget.ts'
import { isCardValid } from './capability.ts'
import { leaseIdOf, primaryDraft } from './draft.ts'
import type { Refusal } from './fences.ts'
import { isAfter } from './instants.ts'
import { coordinatorLease, DEFAULT_SECONDS } from './lease.ts'
import type { GroupEvent } from './request.ts'
import type { Decision, DecisionEnv, GroupState, VerifiedCommand } from './types.ts'
import { introduce } from './work-record.ts'

/** A Membership that names no scopes covers all that its role may do in the Group. */
export const WHOLE_GROUP = ['group']

export const mainConversationIdOf = (groupId: string): string => `${groupId}:mission`

export const membershipIdOf = (groupId: string, memberId: string): string => deriveUrn('membership', groupId, memberId)

/** `mission.create`; the only Command of a Group that does not exist yet. */
export function decideMissionCreate(state: GroupState | undefined, verified: VerifiedCommand, env: DecisionEnv): Decision {
  const payload = verified.command.payload as MissionCreatePayload
  const refusal = foundingRefused(state, verified, env) ?? incoherentMission(payload, verified.command.actor, env)
  if (refusal) return err(refusal)
  const { mission, coordinatorLease: lease } = missionOf(payload, verified, env)
  return ok([
    primaryDraft(verified, {
      kind: 'mission.created',
      aggregateRevision: mission.revision,
      payload: {
        mission,
        group: groupOf(mission),
        conversation: mainConversationOf(mission, payload.title),
        memberships: foundersOf(mission),
        coordinatorLease: lease,
        title: payload.title,
      },
    }),
  ])
}

function foundingRefused(state: GroupState | undefined, { command, keyUse }: VerifiedCommand, env: DecisionEnv): Refusal {
  const { groupId, coordinatorAgentId } = command.payload as MissionCreatePayload
  if (command.actor.type !== 'human' || keyUse !== 'authority') {
    return reject('AUTH_FORBIDDEN', 'only a person with an authority key may found a Mission')
  }
  if (groupId !== command.groupId) return reject('INVALID_COMMAND', 'the payload founds another Group than the Command names')
  if (state) return reject('INVALID_COMMAND', 'this Group id cannot be used')
  if (!isIdentifier(mainConversationIdOf(groupId))) return reject('INVALID_COMMAND', 'this Group id leaves no room for Conversation ids')
  const card = env.cardOf(coordinatorAgentId)
  return card && isCardValid(card, env.now) ? undefined : reject('INVALID_COMMAND', 'the Coordinator has no valid Agent Card')
}

function incoherentMission(payload: MissionCreatePayload, actor: Actor, env: DecisionEnv): Refusal {
  const criteria = payload.definitionOfDone.map(({ criterionId }) => criterionId)
  if (payload.coordinatorAgentId === actor.id) return reject('INVALID_COMMAND', 'nobody both owns and coordinates a Mission')
  if (payload.missionId === payload.groupId) return reject('INVALID_COMMAND', 'Mission and Group need different ids')
  if (!isAfter(payload.deadline, env.now)) return reject('INVALID_COMMAND', 'the deadline has passed')
  if (new Set(criteria).size === criteria.length) return undefined
  return reject('INVALID_COMMAND', 'the definition of done names one criterion twice')
}

type Founding = Pick<MissionCreatedPayload, 'mission' | 'coordinatorLease'>

function missionOf(payload: MissionCreatePayload, { command, signingHash }: VerifiedCommand, env: DecisionEnv): Founding {
  const { missionId, groupId, objective, definitionOfDone, budget, deadline, approvalPolicy, coordinatorAgentId } = payload
  const leaseId = leaseIdOf(signingHash, 'coordinator')
  const card = env.cardOf(coordinatorAgentId)
  invariant(card, 'the card was found before')
  const mission: Mission = {
    missionId,
    groupId,
    revision: 1,
    objective,
    definitionOfDone,
    missionOwner: command.actor,
    coordinator: { agentId: coordinatorAgentId, agentCardVersion: card.cardVersion, coordinatorEpoch: 1, leaseId },
    state: 'active',
    budget,
    deadline,
    approvalPolicy,
    createdAt: env.now,
  }
  // An Agent that has never connected will open Session Epoch 1.
  const sessionEpoch = Math.max(1, env.sessionEpochOf(coordinatorAgentId))
  const seconds = payload.coordinatorLeaseSeconds ?? DEFAULT_SECONDS.coordinator
  const terms = { leaseId, missionId, groupId, holderAgentId: coordinatorAgentId, sessionEpoch, now: env.now, seconds }
  return { mission, coordinatorLease: coordinatorLease(terms, 1) }
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
  const founder = (member: Actor, role: Membership['role']): Membership => ({
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
  })
  return [founder(missionOwner, 'mission_owner'), founder({ type: 'agent', id: coordinator.agentId }, 'coordinator')]
}

/** The first state of a Group. */
export function foundGroup({ payload, sequence, occurredAt }: GroupEvent<'mission.created'>): GroupState {
  const { mission, group, conversation, memberships, coordinatorLease: lease, title } = payload
  const state: GroupState = {
    groupId: group.groupId,
    sequence,
    lastOccurredAt: occurredAt,
    title,
    mission,
    group,
    coordinatorLease: lease,
    conversations: new Map([[conversation.conversationId, conversation]]),
    memberships: new Map(memberships.map((membership) => [membership.member.id, membership])),
    workItems: new Map(),
    proposals: new Map(),
    artifacts: new Map(),
    messages: new Map(),
    ledgers: new Map(),
    submissions: [],
    sequenceOf: new Map(),
    workSteps: new Map(),
    ownedBy: new Map(),
    executing: new Set(),
  }
  openAccount(state, mission.missionId, mission.budget)
  for (const id of [group.groupId, mission.missionId, conversation.conversationId]) introduce(state, id, sequence)
  return state
}
