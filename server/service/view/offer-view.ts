// What an owner who steps in needs to offer one WorkItem: whether it can be offered now, and to whom.
import type { AgentCard, CapabilityRef } from '../../../protocol/generated/types.ts'
import { capabilityPins, isCardValid } from '../../authority/capability.ts'
import { isLive } from '../../authority/lease.ts'
import type { GroupState, WorkRecord } from '../../authority/types.ts'
import { ownershipHold } from '../../authority/work-record.ts'
import type { OfferView } from '../views.ts'
import type { StatusContext } from './status-line.ts'

const OFFERED_FROM: ReadonlySet<string> = new Set(['open', 'offered', 'queued', 'active', 'blocked', 'failed'])

/** Undefined where there is no such WorkItem. The authority judges again; this says beforehand what it would say. */
export function offerView(state: GroupState, workItemId: string, { name, now }: StatusContext, cardOf: (agentId: string) => AgentCard | undefined): OfferView | undefined {
  const record = state.workItems.get(workItemId)
  if (!record) return undefined
  const { revision, contract: { requiredCapabilities, deadline } } = record.item
  const members = [...state.memberships.values()].filter(({ state: standing, member }) => standing !== 'ended' && member.type === 'agent')
  const coordinatorId = state.mission.coordinator.agentId
  return {
    workItemId,
    revision,
    deadline,
    requiredCapabilities,
    ...obstacleTo(record, state, { name, now }),
    candidates: members.filter(({ member }) => member.id !== coordinatorId).map(({ member, role }) => {
      const card = cardOf(member.id)
      const whyNot = role !== 'worker' ? `Here as ${role.replaceAll('_', ' ')}, not as a worker.` : lacking(card, requiredCapabilities, now)
      return { who: name(member), verifiedMatches: (card && capabilityPins(card, requiredCapabilities)) ?? [], ...(whyNot !== undefined && { whyNot }) }
    }),
  }
}

function obstacleTo(record: WorkRecord, { mission }: GroupState, { name, now }: Pick<StatusContext, 'name' | 'now'>): Pick<OfferView, 'obstacle' | 'until'> {
  const { item, child, attempts } = record
  const hold = ownershipHold(record)
  if (mission.state !== 'active') return { obstacle: 'The mission is not active.' }
  if (!OFFERED_FROM.has(item.state)) return { obstacle: `It is ${item.state}.` }
  if (child?.state === 'running') return { obstacle: 'A mission of its own works on it.' }
  if (item.owner && isLive(hold, now)) return { obstacle: `${name({ type: 'agent', id: item.owner.agentId }).name} owns it.`, until: hold.expiresAt }
  return attempts < item.contract.retryPolicy.maxAttempts ? {} : { obstacle: 'Its contract allows no further attempt.' }
}

function lacking(card: AgentCard | undefined, required: readonly CapabilityRef[], now: string): string | undefined {
  if (!card || !isCardValid(card, now)) return 'It has no valid card.'
  const missing = required.filter((need) => !capabilityPins(card, [need]))
  return missing.length === 0 ? undefined : `It lacks ${missing.map(({ id, version }) => `${id} ${version}`).join(' and ')}.`
}
