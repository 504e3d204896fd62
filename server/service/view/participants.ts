// Names for Principals. Agents and people are shown the same way; what differs is written out.
import type { Actor } from '../../../protocol/generated/types.ts'
import type { GroupState } from '../../authority/types.ts'
import type { Identities, Sessions } from '../service.ts'
import type { ParticipantView } from '../views.ts'

export type Naming = (actor: Actor) => ParticipantView

/** Looks Principals up once per view; roles come from the Group when one is given. */
export function namingFor(sources: { identities: Identities; sessions: Sessions }, state?: GroupState): Naming {
  const known = new Map<string, ParticipantView>()
  return (actor) => {
    const cached = known.get(actor.id)
    if (cached) return cached
    const view = describe(actor, sources, state)
    known.set(actor.id, view)
    return view
  }
}

function describe(actor: Actor, { identities, sessions }: { identities: Identities; sessions: Sessions }, state?: GroupState): ParticipantView {
  const membership = state?.memberships.get(actor.id)
  const custody = identities.keysOf(actor.id)[0]?.custody
  return {
    id: actor.id,
    type: actor.type,
    name: nameOf(actor, identities),
    ...(membership && { role: membership.role, membershipState: membership.state, membershipEpoch: membership.membershipEpoch }),
    ...(custody && { custody }),
    ...(actor.type === 'agent' && { online: sessions.isOnline(actor.id) }),
  }
}

function nameOf(actor: Actor, identities: Identities): string {
  return identities.principal(actor.id)?.name ?? identities.cardOf(actor.id)?.displayName ?? (actor.type === 'service' ? 'Group Authority' : 'Unknown participant')
}
