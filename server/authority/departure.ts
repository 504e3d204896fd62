// Whoever came by an offer leaves once nothing is left to do. The authority sees to it, without a Command.
import type { Membership } from '../../protocol/generated/types.ts'
import { invariant } from '../../protocol/result.ts'
import { eventIdOf } from './draft.ts'
import { compareTimes } from './instants.ts'
import { endedMembership } from './membership.ts'
import type { DecisionEnv, EventDraft, GroupState } from './types.ts'
import { isUnfinished } from './work-record.ts'

export interface Departure {
  readonly membership: Membership
  /** Not before this instant; the time of the last Event where nothing has to be waited for. */
  readonly at: string
  /** An offer is still open that may yet be accepted. */
  readonly isWaiting: boolean
}

/** The Memberships that will end unless something is accepted, earliest first. */
export function departuresOf(state: GroupState): readonly Departure[] {
  const departures = [...state.temporary].flatMap((memberId) => departureOf(state, memberId) ?? [])
  return departures.sort((a, b) => compareTimes(a.at, b.at) || (a.membership.membershipId < b.membership.membershipId ? -1 : 1))
}

function departureOf(state: GroupState, memberId: string): Departure | undefined {
  if (state.ownedBy.has(memberId) || hasReviewDuty(state, memberId)) return undefined
  const membership = state.memberships.get(memberId)
  invariant(membership, 'a temporary member is a member')
  const lastOffer = pendingOffers(state, memberId).sort(compareTimes).at(-1)
  if (lastOffer !== undefined) return { membership, at: lastOffer, isWaiting: true }
  return { membership, at: state.lastOccurredAt, isWaiting: false }
}

/** When the offers run out that this Agent could accept. A candidate has but the one that it came by. */
function pendingOffers({ workItems, candidacies }: GroupState, memberId: string): string[] {
  const candidacy = candidacies.get(memberId)
  const records = candidacy ? [workItems.get(candidacy.workItemId)] : [...workItems.values()]
  return records.flatMap((record) => {
    if (record?.item.state !== 'offered') return []
    const own = (record.item.offers ?? []).filter(({ agentId, status }) => agentId === memberId && status === 'pending')
    return own.map(({ expiresAt }) => expiresAt)
  })
}

/** Named in the review of work that is not finished. */
function hasReviewDuty({ conversations, workItems }: GroupState, memberId: string): boolean {
  return [...conversations.values()].some(({ type, access, primaryWorkItemId }) => {
    const record = workItems.get(primaryWorkItemId ?? '')
    return type === 'review' && record !== undefined && isUnfinished(record) && access.members?.some(({ id }) => id === memberId) === true
  })
}

/** The end of a Membership happens once at its epoch, so both name the Event: two nodes write the same one. */
export function departureDraft({ membership: current, isWaiting }: Departure, { authority, now }: DecisionEnv): EventDraft {
  const { membershipId, membershipEpoch } = current
  const membership = endedMembership(current, now)
  const reason = isWaiting || current.state === 'provisional' ? 'The offer was not accepted.' : 'No work is left for this member.'
  return {
    eventId: eventIdOf(`end of ${membershipId} ${membershipEpoch}`),
    kind: 'membership.ended',
    actor: authority,
    cause: { type: isWaiting ? 'timer' : 'policy', id: membershipId },
    correlationId: membershipId,
    aggregateRevision: membership.membershipEpoch,
    payload: { membership, reason },
  }
}
