// One short sentence per Event kind: what happened, in words. Names stand where an id would.
import { artifactName } from '../../../protocol/artifact-name.ts'
import type { EventPayloads, Membership } from '../../../protocol/generated/types.ts'
import { standInOf } from '../../../protocol/stand-in.ts'
import { LIMIT_WORDS } from '../../authority/cooperation.ts'
import type { GroupState } from '../../authority/types.ts'
import { messageText, wasTakenBack, type SaidEntry } from './message-text.ts'
import { negotiationTitle } from './negotiation-title.ts'
import { shorten } from './shorten.ts'
import type { Naming } from './participants.ts'

type Titles = { readonly [K in keyof EventPayloads]?: (payload: EventPayloads[K], context: TitleContext) => string }
interface TitleContext { readonly who: string; readonly name: Naming; readonly work: (id: string) => string; readonly said: () => string }

const count = (n: number, noun: string) => `${n} ${noun}${n === 1 ? '' : 's'}`
/** A-117: that the owner stepped in is said wherever the step is named. */
const emergency = (reason: string | undefined) => (reason === undefined ? '' : `, stepping in: ${shorten(reason, 100)}`)
const agent = (id: string) => ({ type: 'agent', id }) as const

function membershipTitle({ state, role, contextPackageId, membershipEpoch }: Membership, who: string, member: string): string {
  if (state === 'provisional') return `${member} may join as ${role.replace('_', ' ')} by accepting the offer`
  if (contextPackageId !== undefined) return `${member} joined by accepting the offer`
  return membershipEpoch === 1 ? `${who} brought in ${member} as ${role.replace('_', ' ')}` : `${who} gave ${member} the role of ${role.replace('_', ' ')}`
}

const titles: Titles = {
  'mission.created': ({ title }, { who }) => `${who} created the mission “${title}”`,
  'mission.follow_up.created': ({ title }, { who }) => `${who} created the follow-up mission “${title}”`,
  'mission.child.created': ({ title, parentWorkItemId }, { who, work }) => `${who} founded the child mission “${title}” for “${work(parentWorkItemId)}”`,
  'ext.countersign.mission.child_ended': ({ workItemId, outcome, reason }, { work }) => `The child mission for “${work(workItemId)}” ${outcome === 'approved' ? 'was approved' : outcome === 'failed' ? `failed: ${shorten(reason, 100)}` : `was cancelled: ${shorten(reason, 100)}`}`,
  'ext.countersign.mission.owner_moved': ({ missionOwner }, { name }) => `${name(missionOwner).name} owns this mission now, as the Coordinator of the one above`,
  'mission.coordinator.assigned': ({ coordinatorId, reason }, { who, name }) => `${who} put ${name(agent(coordinatorId)).name} in charge of coordination: ${shorten(reason, 120)}`,
  'ext.countersign.mission.reconciled': ({ workItems }, { who }) => `${who} took stock of ${count(workItems.length, 'unfinished work item')} and may assign work`,
  'ext.countersign.mission.budget_raised': ({ reason }, { who }) => `${who} raised the budget: ${shorten(reason, 120)}`,
  'ext.countersign.mission.child_budget_raised': ({ workItemId, reason }, { who, work }) => `${who} raised the budget of the mission for “${work(workItemId)}”: ${shorten(reason, 100)}`,
  'mission.coordinator.renewed': (_, { who }) => `${who} renewed the Coordinator lease`,
  'mission.submitted_for_approval': ({ missionRevision, artifactHashes }, { who }) => `${who} submitted revision ${missionRevision} with ${count(artifactHashes.length, 'artifact')} for approval`,
  'mission.approved': ({ approval }, { who }) => `${who} approved revision ${approval.missionRevision} with ${count(approval.artifactHashes.length, 'artifact')}`,
  'ext.countersign.mission.root_decided': ({ approval }, { who }) => (approval.decision === 'approved' ? `${who} approved revision ${approval.missionRevision} as the owner of the mission at the top` : `${who} wants changes, as the owner of the mission at the top: ${shorten(approval.comments, 120)}`),
  'mission.changes_requested': ({ feedback }, { who }) => `${who} requested changes: ${shorten(feedback, 120)}`,
  'mission.cancelled': ({ reason }, { who }) => `${who} cancelled the mission: ${shorten(reason, 120)}`,
  'mission.terminated': ({ reason }, { who }) => `${who} gave the mission up: ${shorten(reason, 120)}`,
  'membership.changed': ({ membership }, { who, name }) => membershipTitle(membership, who, name(membership.member).name),
  'membership.ended': ({ membership }, { who, name }) => `${who} ended the membership of ${name(membership.member).name}`,
  'membership.delegation.granted': ({ delegationGrant }, { who, name, work }) => `${who} lets ${name(agent(delegationGrant.granteeAgentId)).name} split up and offer “${work(delegationGrant.targetWorkItemId)}”`,
  'message.posted': (_, { who, said }) => `${who} says${said()}`,
  'message.corrected': ({ message }, { who }) => `${who} corrected a message: ${shorten(message.reason ?? '', 120)}`,
  'message.retracted': ({ message }, { who }) => `${who} took a message back: ${shorten(message.reason ?? '', 120)}`,
  'message.redacted': ({ message }, { who }) => `${who} redacted a message: ${shorten(message.reason ?? '', 120)}`,
  'policy.cooperation_override.granted': ({ cooperationOverrideGrant: { beneficiary, policyName, reason } }, { who, name }) => `${who} let ${name(beneficiary).name} exceed ${LIMIT_WORDS[policyName]} once: ${shorten(reason, 100)}`,
  'work.proposed': ({ proposal }, { who }) => `${who} proposed “${shorten(proposal.contract.goal, 80)}”`,
  'work.authorized': ({ workItem, overrideReason }, { who }) => `${who} authorized “${shorten(workItem.contract.goal, 80)}”${emergency(overrideReason)}`,
  'work.offer.created': ({ workItemId, candidateAgentIds, overrideReason }, { who, name, work }) => `${who} offered “${work(workItemId)}” to ${candidateAgentIds.map((id) => name(agent(id)).name).join(', ')}${emergency(overrideReason)}`,
  'work.offer.accepted': ({ workItemId }, { who, work }) => `${who} accepted “${work(workItemId)}”`,
  'work.started': ({ workItemId }, { who, work }) => `${who} started “${work(workItemId)}”`,
  'work.progressed': ({ workItemId }, { who, work }) => `${who} renewed the lease on “${work(workItemId)}”`,
  'work.checkpointed': ({ workItemId, progress }, { who, work }) => `${who} checkpointed “${work(workItemId)}”: ${shorten(progress.currentPhase, 80)}`,
  'work.contract.revised': ({ workItemId, dependencyId }, { who, work }) => `${who} let “${work(workItemId)}” wait for “${work(dependencyId)}”`,
  'work.blocked': ({ workItemId, reason }, { who, work }) => `${who} is blocked on “${work(workItemId)}”: ${shorten(reason, 100)}`,
  'work.unblocked': ({ workItemId, state, resolution }, { who, work }) => (state === 'queued' || resolution !== undefined ? `${who} unblocked “${work(workItemId)}”` : `The blocked lease on “${work(workItemId)}” ran out; it is open again`),
  'work.submitted': ({ workItemId, submission }, { who, work }) => `${who} submitted “${work(workItemId)}” with ${count(submission.artifactHashes.length, 'artifact')}`,
  'work.result.accepted': ({ workItemId }, { who, work }) => `${who} accepted the result of “${work(workItemId)}”`,
  'work.failed': ({ workItemId, reason }, { who, work }) => `${who} failed “${work(workItemId)}”: ${shorten(reason, 100)}`,
  'work.cancelled': ({ workItemId, reason }, { who, work }) => `${who} cancelled “${work(workItemId)}”: ${shorten(reason, 100)}`,
  'artifact.published': ({ artifact }, { who, work }) => `${who} published ${artifactName(artifact)} for “${work(artifact.workItemId)}”`,
  'ext.countersign.artifact.imported': ({ artifact, reason }, { who }) => `${who} brought in ${artifactName(artifact)} from another mission: ${shorten(reason, 100)}`,
  'approval.execution.granted': ({ workItemId }, { who, work }) => `${who} approved the start of “${work(workItemId)}”`,
  'group.snapshot.created': ({ throughSequence }, { who }) => `${who} signed a snapshot of ${count(throughSequence, 'event')}`,
  'group.archived': (_, { who }) => `${who} archived the mission; its log is closed`,
  'ext.missionweaveprotocol.core.work_execution_lease_revoked': ({ workItemId }, { work }) => `The lease on “${work(workItemId)}” was revoked; it waits in its owner's queue`,
  'ext.missionweaveprotocol.core.work_execution_lease_expired': ({ workItemId }, { work }) => `The lease on “${work(workItemId)}” ran out; it waits in its owner's queue`,
  'ext.countersign.work.offer_declined': ({ workItemId, reason }, { who, work }) => `${who} declined “${work(workItemId)}” (${reason})`,
  'ext.countersign.work.preemption_requested': ({ workItemId, reason }, { who, work }) => `${who} asked for a pause of “${work(workItemId)}”: ${shorten(reason, 100)}`,
  'ext.countersign.iap.recorded': ({ workItemId, record }, { name, work }) => negotiationTitle(record, { name, work: work(workItemId) }),
  'ext.countersign.conversation.opened': ({ conversation: { type, title } }, { who }) => `${who} opened the ${type} conversation “${shorten(title, 80)}”`,
  'ext.missionweaveprotocol.core.resource_usage_recorded': ({ workItemId }, { who, work }) => `${who} recorded usage of “${work(workItemId)}”`,
}

/** How a Message begins, or why that is not repeated. */
function saidIn(entry: SaidEntry, state: GroupState): string {
  const text = messageText(entry, state)
  if (text !== undefined) return `: ${shorten(text, 120)}`
  if (state.redactedBy.has(entry.sequence)) return ' something that was redacted'
  if (standInOf(entry.event)) return ' something to those who take part in its conversation'
  return wasTakenBack(entry.event, state) ? ' something that was taken back' : ' something without words'
}

/** Falls back to the kind itself for a kind that has no sentence yet, so that nothing is hidden. */
export function eventTitle(entry: SaidEntry, state: GroupState, name: Naming): string {
  const { event } = entry
  const title = titles[event.kind as keyof EventPayloads] as ((payload: unknown, context: TitleContext) => string) | undefined
  if (!title) return event.kind
  const work = (id: string) => shorten(state.workItems.get(id)?.item.contract.goal ?? 'unknown work', 60)
  return title(event.payload, { who: name(event.actor).name, name, work, said: () => saidIn(entry, state) })
}
