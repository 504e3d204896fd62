// What the Policy Log keeps beside the Events: rulings of authorization, budget, risk, escalation and redaction.
import type { Actor, Command, EventDocument, EventPayloads } from '../../protocol/generated/types.ts'
import type { ErrorCode, Rejection } from '../../protocol/error-codes.ts'
import { ARTIFACT_IMPORTED, POLICY_CHANGED, PROFILE_APPROVED, PROFILE_RETIRED, WORK_PREEMPTION_REQUESTED } from '../../protocol/kinds.ts'
import type { EventPayloadKind } from '../../protocol/validate.ts'
import { LIMIT_WORDS } from './cooperation.ts'
import { overrideOf } from './override-grant.ts'

export type RulingArea = 'authorization' | 'budget' | 'risk' | 'escalation' | 'redaction' | 'policy'

/** One ruling. An allowed one names the Event that it let through, a refused one the code. */
export interface Ruling {
  readonly area: RulingArea
  readonly outcome: 'allowed' | 'refused'
  readonly at: string
  readonly actor: Actor
  readonly actionId: string
  /** Of the Event, or of the Command that was refused. */
  readonly kind: string
  /** In words. */
  readonly reason: string
  /** Version of the policy that it was judged by. */
  readonly policyVersion: number
  readonly code?: ErrorCode
  readonly eventId?: string
  readonly sequence?: number
}

type Words = readonly [area: RulingArea, reason: string]
type Judge<K extends EventPayloadKind> = (payload: EventPayloads[K]) => Words | undefined

/** Kinds that a ruling may stand behind, and which. */
const JUDGES: { readonly [K in EventPayloadKind]?: Judge<K> } = {
  [POLICY_CHANGED]: ({ policy, reason }) => ['policy', `version ${policy.version} is in force: ${reason}`],
  [PROFILE_APPROVED]: ({ profile: { profileUri, version }, reason }) => ['policy', `version ${version} of the extension profile ${profileUri} is approved: ${reason}`],
  [PROFILE_RETIRED]: ({ profileUri, version, reason }) => ['policy', `version ${version} of the extension profile ${profileUri} is retired: ${reason}`],
  'policy.cooperation_override.granted': ({ cooperationOverrideGrant: { policyName, targetCommandKind, reason } }) => ['escalation', `${LIMIT_WORDS[policyName]} may be passed once by ${targetCommandKind}: ${reason}`],
  'message.redacted': ({ message }) => ['redaction', message.reason ?? ''],
  'approval.execution.granted': ({ workItemId, terms }) => ['risk', `work ${workItemId} may start, until ${terms.expiresAt}`],
  'membership.delegation.granted': ({ delegationGrant: { granteeAgentId, targetWorkItemId, expiresAt } }) => ['authorization', `${granteeAgentId} may act below work ${targetWorkItemId}, until ${expiresAt}`],
  'mission.child.created': ({ parentWorkItemId, childMissionId }) => ['authorization', `work ${parentWorkItemId} goes on as Mission ${childMissionId}`],
  [ARTIFACT_IMPORTED]: ({ artifact: { artifactId }, sourceGroupId, reason }) => ['authorization', `artifact ${artifactId} comes from Group ${sourceGroupId}: ${reason}`],
  [WORK_PREEMPTION_REQUESTED]: ({ workItemId, reason, escalation }) => escalation && ['escalation', `work ${workItemId} is to pause and ${escalation.to.id} to decide: ${reason}`],
  'work.authorized': stoodIn,
  'work.offer.created': stoodIn,
}

/** Whoever was not the Coordinator had a Grant, or was the MissionOwner with a reason. */
function stoodIn({ overrideReason, delegationGrantId }: Partial<Record<'overrideReason' | 'delegationGrantId', string>>): Words | undefined {
  if (overrideReason !== undefined) return ['escalation', `the MissionOwner stepped in: ${overrideReason}`]
  return delegationGrantId === undefined ? undefined : ['authorization', `under the delegation grant ${delegationGrantId}`]
}

const REFUSED_AREAS: { readonly [C in ErrorCode]?: RulingArea } = {
  AUTH_FORBIDDEN: 'authorization',
  BUDGET_EXCEEDED: 'budget',
  APPROVAL_REQUIRED: 'risk',
  RATE_LIMITED: 'escalation',
}

/** The rulings behind an accepted Event of a Group or of the policy's Space; none where policy had no say. */
export function rulingsOn(event: Omit<EventDocument, 'signature'>, policyVersion: number): readonly Ruling[] {
  const { cause, groupId, sequence, actor, acceptedBy, eventId, kind, occurredAt: at } = event
  // What a Command brought about besides has the id of its primary Event as its cause.
  const isRuling = cause.type === 'command' || kind === WORK_PREEMPTION_REQUESTED
  if (!isRuling || groupId === undefined || sequence === undefined) return []
  const grantId = overrideOf(event)
  const words: readonly (Words | undefined)[] = [
    judged(event),
    grantId === undefined ? undefined : ['escalation', `the override grant ${grantId} is used up`],
    actor.type === 'service' && actor.id !== acceptedBy.id ? ['authorization', 'the policy names this service for it'] : undefined,
  ]
  return words
    .filter((ruling) => ruling !== undefined)
    .map(([area, reason]) => ({ area, outcome: 'allowed', at, actor, actionId: cause.id, kind, reason, policyVersion, eventId, sequence }))
}

function judged({ kind, payload }: Pick<EventDocument, 'kind' | 'payload'>): Words | undefined {
  const judge = Object.hasOwn(JUDGES, kind) ? (JUDGES[kind as EventPayloadKind] as unknown as Judge<EventPayloadKind>) : undefined
  return judge?.(payload as never)
}

/** The ruling behind a refusal, where it is one of authorization, budget, risk or escalation. */
export function rulingAgainst({ actor, actionId, kind }: Command, { code, message }: Rejection, { at, policyVersion }: Pick<Ruling, 'at' | 'policyVersion'>): Ruling | undefined {
  const area = REFUSED_AREAS[code]
  return area && { area, outcome: 'refused', at, actor, actionId, kind, reason: message, policyVersion, code }
}
