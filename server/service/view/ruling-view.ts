// Lines of the Policy Log, with names instead of ids as far as the reader may know them.
import type { GroupState } from '../../authority/types.ts'
import { withholding } from '../../authority/visibility.ts'
import type { KeptRuling } from '../ports.ts'
import type { AuthorityService, FoundGroup } from '../service.ts'
import type { RulingLine } from '../views.ts'
import { namingFor } from './participants.ts'
import { shorten } from './shorten.ts'

type Sources = Pick<AuthorityService, 'identities' | 'sessions' | 'policy'> & { readonly reads: Pick<AuthorityService['reads'], 'groupsFor' | 'memberships'> }

/** Each Group of the reader is looked up once; of one that the reader is no member of, nothing is told but the ruling. */
export async function rulingLines(service: Sources, readerId: string, rulings: readonly KeptRuling[]): Promise<readonly RulingLine[]> {
  const about = new Set(rulings.map(({ spaceId }) => spaceId))
  const own = (await service.reads.memberships(readerId)).groups.filter(({ spaceId }) => about.has(spaceId))
  const found = await service.reads.groupsFor(readerId, own.map(({ spaceId }) => spaceId))
  const groups = new Map(found.groups.map((group) => [group.state.groupId, group]))
  return rulings.map((ruling) => {
    const group = groups.get(ruling.spaceId)
    const isReadable = ruling.outcome === 'refused' || ruling.spaceId === service.policy.spaceId || (group !== undefined && isShown(ruling, group, readerId))
    return rulingLine(ruling, service, { state: group?.state, isReadable })
  })
}

/** Why something was refused are the authority's words; why something was done are those of members, for whoever may read its Event. */
function isShown({ sequence }: KeptRuling, { state, membership }: FoundGroup, readerId: string): boolean {
  return sequence !== undefined && sequence >= membership.visibilityStartSequence && withholding(state, readerId, sequence) === undefined
}

function rulingLine({ spaceId, entry, area, outcome, actor, at, kind, reason, policyVersion, sequence, code }: KeptRuling, service: Sources, { state, isReadable }: { readonly state: GroupState | undefined; readonly isReadable: boolean }): RulingLine {
  return {
    entry,
    area,
    outcome,
    actor: namingFor(service, state)(actor),
    at,
    kind,
    ...(isReadable && { reason: withNames(reason, service, state) }),
    policyVersion,
    ...(spaceId !== service.policy.spaceId && { groupId: spaceId }),
    ...(state && { mission: { missionId: state.mission.missionId, title: state.title } }),
    ...(sequence !== undefined && { sequence }),
    ...(code !== undefined && { code }),
  }
}

const ID = /urn:uuid:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** The reasons that the authority words itself name Agents and work by id. */
function withNames(reason: string, { identities }: Sources, state: GroupState | undefined): string {
  return reason.replace(ID, (id) => {
    const goal = state?.workItems.get(id)?.item.contract.goal
    return goal === undefined ? (identities.principal(id)?.name ?? id) : `“${shorten(goal, 80)}”`
  })
}
