// A mission as the console shows it, derived from the fold alone.
import { artifactName } from '../../../protocol/artifact-name.ts'
import type { Actor, Artifact, Conversation, WorkItem } from '../../../protocol/generated/types.ts'
import { takesPart } from '../../authority/conversation.ts'
import type { GroupState } from '../../authority/types.ts'
import type { ArtifactView, ConversationView, MissionSummary, MissionView } from '../views.ts'
import { boardItems, startsWaitingOn } from './board-view.ts'
import { budgetLines } from './budget-lines.ts'
import type { StatusContext } from './status-line.ts'
import { deciderOf } from './decider.ts'
import { statusLine } from './status-line.ts'

export function missionSummary(state: GroupState, context: StatusContext): MissionSummary {
  const { mission } = state
  const counts: Record<string, number> = {}
  for (const { item } of state.workItems.values()) counts[item.state] = (counts[item.state] ?? 0) + 1
  return {
    missionId: mission.missionId,
    groupId: state.groupId,
    title: state.title,
    state: mission.state,
    revision: mission.revision,
    status: statusLine(state, context),
    owner: context.name(mission.missionOwner),
    coordinator: context.name({ type: 'agent', id: mission.coordinator.agentId }),
    deadline: mission.deadline,
    updatedAt: state.lastOccurredAt,
    counts,
    waitingOnMe: mission.state === 'awaiting_approval' && deciderOf(state).id === context.me,
    startsWaitingOnMe: startsWaitingOn(state, context.me, context.now),
  }
}

export function missionView(state: GroupState, context: StatusContext): MissionView {
  const { mission } = state
  const membership = state.memberships.get(context.me)
  const messageCounts = new Map<string, number>()
  for (const { conversationId } of state.messages.values()) messageCounts.set(conversationId, (messageCounts.get(conversationId) ?? 0) + 1)
  return {
    ...missionSummary(state, context),
    head: state.sequence,
    ...(mission.parent && { parent: { missionId: mission.parent.missionId, workItemId: mission.parent.workItemId } }),
    objective: mission.objective,
    definitionOfDone: mission.definitionOfDone,
    budget: budgetLines(state.ledgers.get(mission.missionId)),
    limits: mission.budget,
    ...(mission.budget.currency && { currency: mission.budget.currency }),
    coordinatorLeaseExpiresAt: state.coordinatorLease.expiresAt,
    coordinatorEpoch: mission.coordinator.coordinatorEpoch,
    work: boardItems(state, context.name, context.now),
    conversations: [...state.conversations.values()].map((conversation) => conversationView(conversation, messageCounts.get(conversation.conversationId) ?? 0, state, context)),
    people: [...state.memberships.values()].map(({ member }) => context.name(member)),
    createdAt: mission.createdAt,
    me: { principalId: context.me, role: membership?.role ?? 'observer', membershipEpoch: membership?.membershipEpoch ?? 0 },
    submissions: state.submissions.map(({ submissionNumber, missionRevision, outcome, sequence, submittedAt }) => ({ submissionNumber, missionRevision, outcome, sequence, submittedAt })),
  }
}

function conversationView(conversation: Conversation, messages: number, state: GroupState, { name, me }: StatusContext): ConversationView {
  const { conversationId, title, type, primaryWorkItemId, access } = conversation
  const member = state.memberships.get(me)?.member
  const inCharge: Actor[] = [state.mission.missionOwner, { type: 'agent', id: state.mission.coordinator.agentId }]
  const named = access.members ?? []
  return {
    conversationId,
    title,
    type,
    ...(primaryWorkItemId && { workItemId: primaryWorkItemId }),
    messages,
    ...(access.members && { participants: [...inCharge, ...named.filter(({ id }) => inCharge.every((one) => one.id !== id))].map(name) }),
    isRestricted: access.mode === 'restricted',
    takesPart: member !== undefined && takesPart(state, conversation, member),
  }
}

/** Every published manifest, newest last. */
export function artifactViews(state: GroupState, context: StatusContext): readonly ArtifactView[] {
  const submitted = new Set(state.submissions.at(-1)?.artifactHashes)
  return [...state.artifacts.values()]
    .flat()
    .map((artifact) => {
      const item = workBehind(state, artifact)
      return {
        contentHash: artifact.contentHash,
        name: artifactName(artifact),
        artifact,
        producer: context.name({ type: 'agent', id: artifact.producer.agentId }),
        workItemId: item?.workItemId ?? artifact.workItemId,
        ...(item && { workGoal: item.contract.goal }),
        sequence: state.sequenceOf.get(artifact.artifactId) ?? state.sequenceOf.get(artifact.contentHash) ?? 0,
        submitted: submitted.has(artifact.contentHash),
      }
    })
    .sort((a, b) => a.sequence - b.sequence)
}

/** The work of this Mission that the artifact is a result of: its own, or what a child Mission did it for. */
function workBehind({ workItems, groupId }: GroupState, artifact: Artifact): WorkItem | undefined {
  if (artifact.groupId === groupId) return workItems.get(artifact.workItemId)?.item
  return [...workItems.values()].find(({ item, child }) => child && item.submission?.artifactHashes.includes(artifact.contentHash))?.item
}
