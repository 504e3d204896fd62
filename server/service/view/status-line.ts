// The one line that answers: how is it, why, until when, who must act. Computed from the fold, never narrated (A-123).
import type { GroupState, Submission, WorkRecord } from '../../authority/types.ts'
import type { ParticipantView, StatusLine } from '../views.ts'
import { personInCharge } from '../../authority/execution-approval.ts'
import { blockersOf, candidatesOf, isFinal, waitsForBudget, waitsForPerson } from './board-view.ts'
import { deciderOf } from './decider.ts'
import type { Naming } from './participants.ts'
import { shorten } from './shorten.ts'

export interface StatusContext { readonly name: Naming; readonly me: string; readonly now: string }

export function statusLine(state: GroupState, context: StatusContext): StatusLine {
  switch (state.mission.state) {
    case 'approved':
      return finished(state, context)
    case 'cancelled':
      return { health: 'finished', sentence: 'Cancelled', because: 'The owner ended this mission. Nothing more will happen here.' }
    case 'failed':
      return { health: 'failing', sentence: 'Failed', because: 'The Coordinator gave this mission up. Nothing more will happen here; a new mission can take the work up.' }
    case 'awaiting_approval':
      return awaitingApproval(state, context)
    case 'active':
      return silentCoordinator(state, context) ?? takingStock(state, context) ?? spentBudget(state, context) ?? failedWork(state) ?? planning(state, context) ?? working(state, context)
  }
}

function finished(state: GroupState, { name, me }: StatusContext): StatusLine {
  const last = state.submissions.at(-1)
  const owner = name(state.mission.missionOwner)
  return {
    health: 'finished',
    sentence: `Approved at revision ${last?.missionRevision ?? state.mission.revision}`,
    because: `${owner.id === me ? 'You' : owner.name} signed ${last?.artifactHashes.length ?? 0} artifacts. The receipt can be verified by anybody.`,
    ...(last && { sequence: state.sequenceOf.get(last.approval?.approvalId ?? '') ?? last.sequence }),
  }
}

function awaitingApproval(state: GroupState, { name, me }: StatusContext): StatusLine {
  const last = state.submissions.at(-1)
  const decider = name(deciderOf(state))
  return {
    health: 'waiting-on-person',
    sentence: decider.id === me ? `Waits for your decision on revision ${state.mission.revision}` : `Waits for ${decider.name} to decide on revision ${state.mission.revision}`,
    because: last ? (decidedAtRoot(last, { name, me }) ?? `The Coordinator submitted ${last.artifactHashes.length === 1 ? '1 artifact' : `${last.artifactHashes.length} artifacts`}: ${shorten(last.summary, 160)}`) : '',
    until: state.mission.deadline,
    actor: decider,
    ...(last && { sequence: last.sequence }),
  }
}

/** A-207: what the human at the root has said about a child Mission’s submission. */
function decidedAtRoot({ rootDecision }: Submission, { name, me }: Pick<StatusContext, 'name' | 'me'>): string | undefined {
  if (!rootDecision) return undefined
  const { approver, decision, comments } = rootDecision
  const who = approver.id === me ? 'You' : name(approver).name
  return decision === 'approved' ? `${who} approved it, as the owner of the mission at the top.` : `${who} asked for changes: ${shorten(comments, 160)}`
}

function coordinatorOf(state: GroupState, name: Naming): ParticipantView {
  return name({ type: 'agent', id: state.mission.coordinator.agentId })
}

function silentCoordinator(state: GroupState, { name, now }: StatusContext): StatusLine | undefined {
  if (state.coordinatorLease.expiresAt > now) return undefined
  const coordinator = coordinatorOf(state, name)
  return { health: 'failing', sentence: `${coordinator.name} no longer coordinates`, because: 'Its lease ran out without renewal. The mission stands still until its owner puts an Agent in charge.', until: state.mission.deadline, actor: name(state.mission.missionOwner) }
}

/** A-121: nothing is assigned in the meantime; what is under way goes on. */
function takingStock(state: GroupState, { name }: StatusContext): StatusLine | undefined {
  if (!state.takeover) return undefined
  const coordinator = coordinatorOf(state, name)
  const because = coordinator.online ? 'It took over the coordination and looks at what is unfinished. Work under way goes on.' : 'It took over the coordination and is not connected. Work under way goes on; nothing new is assigned before it connects.'
  return { health: coordinator.online ? 'healthy' : 'blocked', sentence: `${coordinator.name} has to take stock before it can assign`, because, until: state.mission.deadline, actor: coordinator, sequence: state.takeover.sequence }
}

/** A-197: once all is handed out and used, what needs more waits for the owner. */
function spentBudget(state: GroupState, { name, me }: StatusContext): StatusLine | undefined {
  const waiting = [...state.workItems.values()].find((record) => waitsForBudget(record, state))
  if (!waiting) return undefined
  const owner = name(state.mission.missionOwner)
  const because = `“${shorten(waiting.item.contract.goal, 80)}” needs more, and ${owner.id === me ? 'you have' : `${owner.name} has`} to raise the budget first.`
  const health = state.mission.missionOwner.type === 'human' ? 'waiting-on-person' : 'blocked'
  return { health, sentence: 'The budget of this mission is handed out and used up', because, until: state.mission.deadline, actor: owner, ...sequenceOf(state, waiting.item.workItemId) }
}

function failedWork(state: GroupState): StatusLine | undefined {
  const replaced = new Set([...state.workItems.values()].flatMap((record) => record.replacesWorkItemId ?? []))
  const failed = [...state.workItems.values()].find(({ item }) => item.state === 'failed' && !replaced.has(item.workItemId))
  if (!failed) return undefined
  const sequence = state.sequenceOf.get(failed.item.workItemId)
  return { health: 'failing', sentence: `“${shorten(failed.item.contract.goal, 80)}” failed`, because: failed.reason ?? 'No reason was given.', until: state.mission.deadline, ...(sequence && { sequence }) }
}

function planning(state: GroupState, { name }: StatusContext): StatusLine | undefined {
  if (state.workItems.size > 0) return undefined
  const coordinator = coordinatorOf(state, name)
  if (coordinator.online) return { health: 'healthy', sentence: `${coordinator.name} is planning the work`, because: 'No work item is authorized yet.', until: state.mission.deadline, actor: coordinator }
  return { health: 'blocked', sentence: `Waits for ${coordinator.name} to come online`, because: 'The Coordinator plans the work; nothing starts before it connects.', until: state.mission.deadline, actor: coordinator }
}

function working(state: GroupState, { name, me, now }: StatusContext): StatusLine {
  const records = [...state.workItems.values()].filter(({ item }) => item.state !== 'cancelled' && item.state !== 'failed')
  const verified = records.filter(({ item }) => item.state === 'verified').length
  const running = records.find(({ item }) => item.state === 'active')
  const stuck = records.find((record) => !isFinal(record.item.state) && blockersOf(record, state, name, now).some((blocker) => !blocker.sequence))
  const sentence = `${verified} of ${records.length} work items verified`
  const until = state.mission.deadline
  if (running?.item.owner) {
    const owner = name({ type: 'agent', id: running.item.owner.agentId })
    return { health: 'healthy', sentence, because: `${owner.name} works on “${shorten(running.item.contract.goal, 80)}”.`, until, actor: owner, ...sequenceOf(state, running.item.workItemId) }
  }
  const gated = records.find((record) => waitsForPerson(record, now))
  if (gated) {
    const person = name(personInCharge(state))
    const because = `“${shorten(gated.item.contract.goal, 80)}” may start once ${person.id === me ? 'you approve' : `${person.name} approves`} it.`
    return { health: 'waiting-on-person', sentence, because, until, actor: person, ...sequenceOf(state, gated.item.workItemId) }
  }
  if (stuck) return { health: 'blocked', sentence, because: blockersOf(stuck, state, name, now).find((blocker) => !blocker.sequence)?.sentence ?? '', until, ...sequenceOf(state, stuck.item.workItemId) }
  return offered(records, state, { name, now }, { sentence, until }) ?? moving(state, verified === records.length, name, { sentence, until })
}

/** The first offer that somebody has yet to answer. */
function offered(records: readonly WorkRecord[], state: GroupState, { name, now }: Pick<StatusContext, 'name' | 'now'>, line: Pick<StatusLine, 'sentence' | 'until'>): StatusLine | undefined {
  for (const record of records) {
    const [first, ...others] = candidatesOf(record, name, now)
    if (!first) continue
    const because = `“${shorten(record.item.contract.goal, 80)}” is offered to ${[first, ...others].map((candidate) => candidate.name).join(', ')}.`
    return { health: 'healthy', ...line, because, actor: first, ...sequenceOf(state, record.item.workItemId) }
  }
  return undefined
}

function moving(state: GroupState, isAllDone: boolean, name: Naming, line: Pick<StatusLine, 'sentence' | 'until'>): StatusLine {
  const coordinator = coordinatorOf(state, name)
  return { health: 'healthy', ...line, because: isAllDone ? `${coordinator.name} prepares the submission.` : `${coordinator.name} and the workers move the next item.`, actor: coordinator }
}

function sequenceOf(state: GroupState, id: string): { sequence: number } | Record<string, never> {
  const sequence = state.sequenceOf.get(id)
  return sequence ? { sequence } : {}
}
