// What a MissionOwner decides about who belongs to the Mission: whom to bring in, in which role, and what of the log they read.
import type { MembershipRole } from '../../protocol/generated/types.ts'
import type { DecisionDraft } from '../mission/decision-dialog.tsx'
import type { AgentView, ParticipantView } from '../trpc.tsx'

export type GivenRole = Exclude<MembershipRole, 'mission_owner' | 'coordinator'>

/** Somebody who can be made a member, or is one. */
export interface Candidate {
  readonly id: string
  readonly type: 'agent' | 'human'
  readonly name: string
  /** Present Membership Epoch; 0 for somebody who was never a member. */
  readonly membershipEpoch: number
  readonly online?: boolean
}

/** What a newcomer reads: the whole log, or what follows its admission. */
export type Reads = 'everything' | 'from-now'

const ROLE_WORDS: Readonly<Record<GivenRole, string>> = {
  worker: 'Worker: can be offered work and does it',
  reviewer: 'Reviewer: looks at what others made',
  work_delegate: 'Work delegate: splits up work, where the coordinator grants it',
  observer: 'Observer: reads along and can post',
}

/** The roles that somebody of this kind can be given, with what they mean. Only agents do work. */
export function rolesFor(type: Candidate['type']): readonly { readonly role: GivenRole; readonly words: string }[] {
  const roles: readonly GivenRole[] = type === 'agent' ? ['worker', 'reviewer', 'work_delegate', 'observer'] : ['observer', 'reviewer']
  return roles.map((role) => ({ role, words: ROLE_WORDS[role] }))
}

/** Who can be brought in: agents with a card that stands and people, none of them a member now; by name. */
export function newcomers(agents: readonly AgentView[], colleagues: readonly { readonly id: string; readonly name: string }[], people: readonly ParticipantView[]): readonly Candidate[] {
  const known = new Map(people.map((who) => [who.id, who]))
  const isMember = (id: string) => (known.get(id)?.membershipState ?? 'ended') !== 'ended'
  const epochOf = (id: string) => known.get(id)?.membershipEpoch ?? 0
  return [
    ...agents.filter(({ status }) => status !== 'revoked').map(({ agentId: id, name, online }): Candidate => ({ id, type: 'agent', name, online, membershipEpoch: epochOf(id) })),
    ...colleagues.map(({ id, name }): Candidate => ({ id, type: 'human', name, membershipEpoch: epochOf(id) })),
  ].filter(({ id }) => !isMember(id)).sort((a, b) => a.name.localeCompare(b.name))
}

/** `membership.change`; a member whose role changes keeps what it reads. `head` is the last entry of the log. */
export function membershipDraft({ id, type, membershipEpoch }: Candidate, role: GivenRole, reads?: { readonly what: Reads; readonly head: number }): DecisionDraft {
  return {
    kind: 'membership.change',
    expectedRevision: membershipEpoch,
    payload: { member: { type, id }, role, ...(reads && { visibilityStartSequence: reads.what === 'everything' ? 1 : reads.head + 1 }) },
  }
}
