// Agents of the I.A.P. door as Nodes: whose an agent id is, in which Space a task stands, who has entered it.
import { createHash } from 'node:crypto'
import type { AgentId } from '../../../protocol/iap/types.ts'
import { ROUTER } from '../../../protocol/iap/types.ts'
import { invariant } from '../../../protocol/result.ts'
import type { NodeInfo, OpenSpaces } from '../open-spaces/types.ts'
import { agentIdNamespace } from '../open-spaces/types.ts'
import { Turns } from '../turns.ts'
import { RecentMap } from '../../recent-map.ts'

/** The router itself is the Node `router` of it. */
const namespace = agentIdNamespace
const maximumNameLength = 200
/** So many agents, Spaces and entrances are not asked for again. */
const remembered = 10_000

export interface AgentOwner {
  /** The Principal that has this agent id. */
  readonly agentOwner: string | undefined
  /** The agent id that the Principal has. */
  readonly boundAgentId: string | undefined
}

export class AgentNodes {
  readonly #spaces: OpenSpaces
  readonly #nodeIds = new RecentMap<AgentId, string>(remembered)
  /** Space names by id, as far as somebody was let in. */
  readonly #names = new RecentMap<string, string>(remembered)
  readonly #entered = new RecentMap<string, true>(remembered)
  /** By Principal, and by `router` for the router's own Node. */
  readonly #turns = new Turns<string>()

  constructor(spaces: OpenSpaces) {
    this.#spaces = spaces
  }

  /** Who stands behind an agent id, and behind a Principal. */
  async ownerOf(agentId: AgentId, principalId: string): Promise<AgentOwner> {
    // Before anybody can take the router's own name.
    await this.nodeIdOf(ROUTER)
    const [agentOwner, boundAgentId] = await Promise.all([this.principalOf(agentId), this.agentIdOf(principalId)])
    return { agentOwner, boundAgentId }
  }

  /** Gives the Principal this agent id for good; false when somebody else was quicker, or it got another one by now. */
  bind(agentId: AgentId, principalId: string): Promise<boolean> {
    return this.#turns.run(principalId, () => this.#bind(agentId, principalId))
  }

  async #bind(agentId: AgentId, principalId: string): Promise<boolean> {
    const node = await this.#spaces.nodes.ofPrincipal(principalId)
    if (node === undefined || (agentIdOf(node) ?? agentId) !== agentId) return false
    const bound = await this.#spaces.nodes.bind(node.nodeId, { namespace, subject: agentId })
    if (bound.ok) this.#nodeIds.set(agentId, node.nodeId)
    return bound.ok
  }

  /** The Node in whose name a record stands. Everybody who has an agent id has one. */
  async nodeIdOf(agentId: AgentId): Promise<string> {
    const known = this.#nodeIds.get(agentId)
    if (known !== undefined) return known
    const found = await this.#spaces.nodes.resolve(namespace, agentId)
    const nodeId = found.ok ? found.value.nodeId : agentId === ROUTER ? await this.#turns.run(ROUTER, () => this.#registerRouter()) : undefined
    invariant(nodeId !== undefined, 'an agent of a task is a Node')
    this.#nodeIds.set(agentId, nodeId)
    return nodeId
  }

  /** The Principal behind an agent id. */
  async principalOf(agentId: AgentId): Promise<string | undefined> {
    const found = await this.#spaces.nodes.resolve(namespace, agentId)
    return found.ok ? found.value.principalId : undefined
  }

  /** The agent id that the Principal has, if it has one. */
  async agentIdOf(principalId: string): Promise<AgentId | undefined> {
    const own = await this.#spaces.nodes.ofPrincipal(principalId)
    return own && agentIdOf(own)
  }

  /** The open Space that was asked for, if there is one; else the proposer's own. */
  async spaceFor(proposerId: AgentId, asked: unknown): Promise<string | undefined> {
    if (asked !== undefined) return typeof asked === 'string' && (await this.#nameOf(asked)) !== undefined ? asked : undefined
    const space = await this.#spaces.enter(await this.nodeIdOf(proposerId), { name: ownSpaceName(proposerId), description: 'Proposes these tasks.' })
    if (!space.ok) return undefined
    this.#names.set(space.value.spaceId, space.value.name)
    return space.value.spaceId
  }

  /** Whether what the agent writes to Spaces is within its quota. Records of its tasks count, and are not refused later on. */
  async mayWrite(agentId: AgentId): Promise<boolean> {
    return this.#spaces.mayWrite(await this.nodeIdOf(agentId))
  }

  /** Sees to it that whoever speaks in a Space has entered it. Whom the Space refuses, it is asked to let in again the next time. */
  async enter(agentId: AgentId, spaceId: string): Promise<string> {
    const nodeId = await this.nodeIdOf(agentId)
    const key = `${spaceId} ${nodeId}`
    if (this.#entered.get(key)) return nodeId
    const name = await this.#nameOf(spaceId)
    const description = agentId === ROUTER ? 'Routes tasks of the Inter-Agent Protocol.' : 'Takes part by the Inter-Agent Protocol.'
    const entrance = name === undefined ? undefined : await this.#spaces.enter(nodeId, { name, description })
    if (entrance?.ok) this.#entered.set(key, true)
    return nodeId
  }

  async #nameOf(spaceId: string): Promise<string | undefined> {
    const known = this.#names.get(spaceId)
    if (known !== undefined) return known
    const space = await this.#spaces.find(spaceId)
    if (space !== undefined) this.#names.set(spaceId, space.name)
    return space?.name
  }

  async #registerRouter(): Promise<string> {
    const known = this.#nodeIds.get(ROUTER)
    if (known !== undefined) return known
    const registered = await this.#spaces.nodes.register({ name: 'I.A.P. router', description: 'Routes tasks of the Inter-Agent Protocol.', identities: [{ namespace, subject: ROUTER }] })
    invariant(registered.ok, 'the router is a Node')
    this.#nodeIds.set(ROUTER, registered.value.node.nodeId)
    return registered.value.node.nodeId
  }
}

const agentIdOf = ({ identities }: NodeInfo): string | undefined => identities.find((identity) => identity.namespace === namespace)?.subject

function ownSpaceName(agentId: AgentId): string {
  const name = `Tasks of ${agentId}`
  return name.length <= maximumNameLength ? name : `Tasks of ${createHash('sha256').update(agentId).digest('hex')}`
}
