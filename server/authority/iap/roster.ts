// The agents that are online: what they said they can do, how busy they are, and which of them a task may be offered to.
import type { IAPCapabilityDiscovery, IAPCapabilityResponse } from '../../../protocol/generated/types.ts'
import { answersTo, foldCapabilityType } from '../../../protocol/iap/capability-type.ts'
import type { AgentCapability, AgentHandshake, AgentId, CapabilityRecord, TaskProposal } from '../../../protocol/iap/types.ts'
import { speaksAdditions } from '../../../protocol/iap/version.ts'
import type { AgentStanding, EligibleAgent } from './types.ts'

export interface OnlineAgent {
  readonly agentId: AgentId
  readonly principalId: string
  readonly sessionId: string
  readonly handshake: AgentHandshake
  /** The latest that it told, 0 to 1. */
  readonly currentLoad: number
  /** Any message or pong counts. */
  readonly lastHeardMs: number
}
export type Roster = ReadonlyMap<AgentId, OnlineAgent>
/** How many tasks each agent has, assigned or in progress. */
export type HeldTasks = ReadonlyMap<AgentId, number>

/** Who is there, what they have in hand, and for whom more may wait. */
export interface Presence {
  readonly roster: Roster
  readonly held: HeldTasks
  readonly hasRoom: (agentId: AgentId) => boolean
}

/** Agents that do not say how many tasks they take at a time take one. */
const DEFAULT_SLOTS = 1
/** An agent is taken for lost after so many silent heartbeat intervals. */
const MISSED_HEARTBEATS = 3

/** Who does not read what it was sent has no slot free. */
export function standingOf({ roster, held, hasRoom }: Presence, agentId: AgentId): AgentStanding {
  const agent = roster.get(agentId)
  const isRoomLeft = hasRoom(agentId)
  if (agent === undefined) return { isOnline: false, freeSlots: 0, speaksAdditions: false, hasRoom: isRoomLeft }
  const { maxConcurrentTasks = DEFAULT_SLOTS, protocolVersion } = agent.handshake
  const isFree = isRoomLeft && agent.currentLoad < 1
  return { isOnline: true, freeSlots: isFree ? Math.max(0, maxConcurrentTasks - (held.get(agentId) ?? 0)) : 0, speaksAdditions: speaksAdditions(protocolVersion), hasRoom: isRoomLeft }
}

/**
 * Who could take the task now, in the order of the roster, and how many more could if they had a slot free. `fitsInput` holds the proposal's
 * input against a capability's input schema; an agent with several fitting capabilities is asked for the first.
 */
export function eligibleAgents(presence: Presence, proposal: TaskProposal, fitsInput: (capability: AgentCapability) => boolean): { readonly eligible: readonly EligibleAgent[]; readonly busy: number } {
  const capable = [...presence.roster.values()].flatMap(({ agentId, handshake }) => {
    const capability = handshake.capabilities.find((each) => answersTo(each, proposal.requiredCapability) && fitsInput(each))
    return capability === undefined || agentId === proposal.proposerId ? [] : [eligible(agentId, capability)]
  })
  const free = capable.filter(({ agentId }) => standingOf(presence, agentId).freeSlots > 0)
  return { eligible: free, busy: capable.length - free.length }
}

const eligible = (agentId: AgentId, { id, outputSchema }: AgentCapability): EligibleAgent => ({ agentId, capabilityId: id, ...(outputSchema && { outputSchema }) })

/** What a CAPABILITY_DISCOVERY is answered with. `maySee` is the door's: whether the asker may know of the agent. */
export function discover(roster: Roster, askerId: AgentId, query: IAPCapabilityDiscovery, facts: DiscoveryFacts): IAPCapabilityResponse {
  const { type, includeSelf = false } = query
  const wanted = (capability: AgentCapability) => type === undefined || foldCapabilityType(capability.type) === foldCapabilityType(type)
  const agents = [...roster.values()].filter(({ agentId, handshake }) => (agentId === askerId ? includeSelf : facts.maySee(agentId)) && (type === undefined || handshake.capabilities.some(wanted)))
  return { agents: agents.map((agent) => described(agent, facts)) }
}

export interface DiscoveryFacts {
  readonly maySee: (agentId: AgentId) => boolean
  /** `undefined` where nothing was ever awarded. */
  readonly recordOf: (agentId: AgentId, capabilityId: string) => CapabilityRecord | undefined
}

function described({ agentId, handshake, currentLoad }: OnlineAgent, { recordOf }: DiscoveryFacts): IAPCapabilityResponse['agents'][number] {
  const { name, version, framework, capabilities, maxConcurrentTasks } = handshake
  const reputation = Object.fromEntries(capabilities.flatMap(({ id }) => {
    const record = recordOf(agentId, id)
    return record === undefined ? [] : [[id, record] as const]
  }))
  return {
    agentId, name, version, capabilities: [...capabilities], currentLoad, ...(framework !== undefined && { framework }), ...(maxConcurrentTasks !== undefined && { maxConcurrentTasks }),
    ...(Object.keys(reputation).length > 0 && { reputation }),
  }
}

/** The agents that were not heard for three heartbeat intervals. */
export const silentAgents = (roster: Roster, nowMs: number, heartbeatIntervalMs: number): readonly AgentId[] =>
  [...roster.values()].filter(({ lastHeardMs }) => nowMs - lastHeardMs >= MISSED_HEARTBEATS * heartbeatIntervalMs).map(({ agentId }) => agentId)
