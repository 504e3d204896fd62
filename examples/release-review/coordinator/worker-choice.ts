// Who gets offered a job, and why.
import type { CapabilityRef, SelectionBasis } from '../../../protocol/generated/types.ts'
import type { AgentEntry, GroupMirror } from '../../../sdk/index.ts'

/** A Worker with the capability; `isMember` when it need not be brought in first. */
export interface Choice {
  readonly agent: AgentEntry
  readonly match: CapabilityRef
  readonly isMember: boolean
}

const RULES = ['the capability is on the Agent Card', 'online when the offer was made', 'members of the Group first, then the lowest id']

/** The best Worker that is online, or undefined when there is none. An Agent whose Membership somebody ended is not brought back. */
export function chooseWorker({ memberships }: GroupMirror, agents: readonly AgentEntry[], required: CapabilityRef): Choice | undefined {
  const choices = agents.flatMap((agent): Choice[] => {
    const membership = memberships.get(agent.agentId)
    const match = agent.capabilities.find((held) => meets(held, required))
    const mayWork = membership === undefined || (membership.state === 'active' && membership.role === 'worker')
    return agent.online && match && mayWork ? [{ agent, match, isMember: membership !== undefined }] : []
  })
  choices.sort((a, b) => Number(b.isMember) - Number(a.isMember) || (a.agent.agentId < b.agent.agentId ? -1 : 1))
  return choices[0]
}

/** Same capability and major version; whether it is new enough is judged by the authority as well. */
const meets = (held: CapabilityRef, required: CapabilityRef): boolean => held.id === required.id && majorOf(held) === majorOf(required)
const majorOf = ({ version }: CapabilityRef): string => version.split('.', 1)[0] ?? ''

export function selectionBasis({ match }: Choice, required: CapabilityRef, nowMs: number): SelectionBasis {
  return {
    requiredCapabilities: [required],
    verifiedMatches: [match],
    authorizationEligible: true,
    availabilityEstimate: new Date(nowMs).toISOString(),
    expectedCost: 0,
    reliabilityEvidence: [],
    policyRulesApplied: RULES,
  }
}
