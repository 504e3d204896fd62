// Joining just in time: an offer brings a provisional Membership, its acceptance an active one.
import type { Membership, WorkItem } from '../../protocol/generated/types.ts'
import { reject } from '../../protocol/error-codes.ts'
import { invariant } from '../../protocol/result.ts'
import { followingDraft } from './draft.ts'
import type { Refusal } from './fences.ts'
import { membershipIdOf, WHOLE_GROUP } from './mission-create.ts'
import type { MemberRequest } from './request.ts'
import type { EventDraft } from './types.ts'

/** A provisional Membership covers taking its offer or turning it down. */
const THE_OFFER = ['offer']

/** Those of the candidates who do not belong to the Group yet. */
export function newcomers({ state, payload }: MemberRequest<'work.offer'>): readonly string[] {
  return payload.candidateAgentIds.filter((agentId) => (state.memberships.get(agentId)?.state ?? 'ended') === 'ended')
}

/** A delegate gives out work, not Memberships; nobody comes without a Context Package (R-MEM-1). */
export function mayNotBringIn({ payload }: MemberRequest<'work.offer'>): Refusal {
  if (payload.delegationGrantId === undefined || payload.contextPackage === undefined) return undefined
  return reject('AUTH_FORBIDDEN', 'a Delegation Grant does not let anybody into the Group')
}

/** One offer at a time: what a candidate sees of the log is bound to it. */
export function alreadyCandidate({ state, payload }: MemberRequest<'work.offer'>): Refusal {
  const agentId = payload.candidateAgentIds.find((id) => state.memberships.get(id)?.state === 'provisional')
  if (agentId === undefined) return undefined
  return reject('INVALID_STATE_TRANSITION', 'a candidate has an offer already that would let it into the Group', { details: { agentId } })
}

/** The provisional Memberships of an offer, in Events that follow it. */
export function provisionalDrafts(request: MemberRequest<'work.offer'>, item: WorkItem, provisionalExpiresAt: string): readonly EventDraft[] {
  const { state, payload, env } = request
  const { contextPackage } = payload
  if (!contextPackage) return []
  const { missionId, groupId } = state.mission
  return newcomers(request).map((agentId, index) => {
    const membership: Membership = {
      membershipId: membershipIdOf(groupId, agentId),
      missionId,
      groupId,
      member: { type: 'agent', id: agentId },
      role: 'worker',
      state: 'provisional',
      membershipEpoch: (state.memberships.get(agentId)?.membershipEpoch ?? 0) + 1,
      scopes: THE_OFFER,
      visibilityStartSequence: state.sequence + 1,
      contextPackageId: contextPackage.contextPackageId,
      provisionalExpiresAt,
      grantedAt: env.now,
    }
    return followingDraft(request, index + 1, { kind: 'membership.changed', aggregateRevision: membership.membershipEpoch, item, payload: { membership } })
  })
}

/** What the acceptance makes of a provisional Membership; nothing of any other. It goes on seeing the log from its offer on. */
export function activationDrafts(request: MemberRequest<'work.accept_offer'>, item: WorkItem): readonly EventDraft[] {
  const { membership: current, env } = request
  invariant(current, 'a worker is a member')
  if (current.state !== 'provisional') return []
  const { provisionalExpiresAt: _expiry, ...kept } = current
  const membership: Membership = { ...kept, state: 'active', membershipEpoch: current.membershipEpoch + 1, scopes: WHOLE_GROUP, activatedAt: env.now }
  return [followingDraft(request, 1, { kind: 'membership.changed', aggregateRevision: membership.membershipEpoch, item, payload: { membership } })]
}
