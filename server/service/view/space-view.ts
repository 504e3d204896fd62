// Open Spaces as the console shows them: Nodes under their names, Messages with what they answer, one page of the graph.
import { isJsonObject, type JsonObject, type JsonValue } from '../../../protocol/strict-json.ts'
import { invariant } from '../../../protocol/result.ts'
import { isRecordType } from '../../authority/iap/records.ts'
import type { GraphEdgeRow } from '../../authority/read-models.ts'
import { agentIdNamespace, type NodeInfo, type Nodes, type SpaceInfo, type SpaceMessage, type SpaceOverview } from '../open-spaces/types.ts'
import type { Identities, Sessions } from '../service.ts'
import type { GraphPage, NodeView, SpaceMessageView, SpaceSummary, SpaceView } from '../views.ts'
import { withExactNumbers } from './exact-numbers.ts'
import { namingFor } from './participants.ts'
import { agentIdsIn } from './record-agents.ts'
import { spaceWords } from './space-words.ts'

export interface SpaceNames {
  node(nodeId: string): NodeView
  /** The name of whoever has this id at the door of the Inter-Agent Protocol; undefined where nobody has. */
  agent(agentId: string): string | undefined
}

/** Members that the page of a Space shows. */
export const shownMembers = 1_000
const shownMentions = 20

type Sources = { readonly identities: Identities; readonly sessions: Sessions }

/** Names of the Nodes that these Messages name and were sent by, each looked up once. */
export async function spaceNames(sources: Sources, nodes: Pick<Nodes, 'byId' | 'resolve'>, messages: readonly SpaceMessage[]): Promise<SpaceNames> {
  const describe = nodeDescriber(sources)
  const known = await found(messages.flatMap((message) => [message.senderId, ...mentionsOf(message)]), async (id) => {
    const node = await nodes.byId(id)
    return node && describe(node)
  })
  const records = messages.filter(({ contentType }) => contentType !== undefined && isRecordType(contentType))
  const agents = await found(records.flatMap((record) => agentIdsIn(saidIn(record).content, record.contentType)), async (id) => {
    const node = await nodes.resolve(agentIdNamespace, id)
    return node.ok ? node.value.name : undefined
  })
  return { node: (nodeId) => known.get(nodeId) ?? { nodeId, id: nodeId, type: 'agent', name: 'Unknown Node' }, agent: (agentId) => agents.get(agentId) }
}

async function found<T>(ids: readonly string[], look: (id: string) => Promise<T | undefined>): Promise<ReadonlyMap<string, T>> {
  const answers = await Promise.all([...new Set(ids)].map(async (id) => [id, await look(id)] as const))
  return new Map(answers.flatMap(([id, answer]) => (answer === undefined ? [] : [[id, answer] as const])))
}

function nodeDescriber(sources: Sources): (node: NodeInfo) => NodeView {
  const name = namingFor(sources)
  return (node) => {
    const type = sources.identities.principal(node.principalId)?.principal.type ?? 'agent'
    return { ...name({ type, id: node.principalId }), nodeId: node.nodeId, name: node.name }
  }
}

export const spaceSummary = ({ spaceId, name, tags, messageCount, memberCount, isMember }: SpaceOverview): SpaceSummary => ({ spaceId, name, tags, messageCount, memberCount, isMember })

export function spaceView(space: SpaceOverview & Pick<SpaceInfo, 'members'>, myNodeId: string, sources: Sources): SpaceView {
  const describe = nodeDescriber(sources)
  const members = space.members.map(({ node, description }) => ({ ...describe(node), description }))
  return { ...spaceSummary(space), members, myNodeId }
}

/** `edges` are the stored links of these Messages. */
export function spaceMessages(messages: readonly SpaceMessage[], edges: readonly GraphEdgeRow[], names: SpaceNames): readonly SpaceMessageView[] {
  const answers = new Map<number, number[]>()
  for (const { child, parent, provenance } of edges) if (provenance === 'reply') answers.set(child, [...(answers.get(child) ?? []), parent])
  return messages.map((message) => {
    const { at, content, meta } = saidIn(message)
    const agents = agentsIn(content, message.contentType, names)
    return {
      sequence: message.sequence,
      messageId: message.messageId,
      author: names.node(message.senderId),
      at,
      ...(message.contentType !== undefined && { contentType: message.contentType }),
      content,
      ...(meta && { meta }),
      ...(Object.keys(agents).length > 0 && { agents }),
      answers: answers.get(message.sequence)?.sort((a, b) => a - b) ?? [],
      mentions: mentionsOf(message).map((nodeId) => names.node(nodeId)),
      mentionCount: new Set(message.nodes).size,
    }
  })
}

/** Every Node has a lane of its own, so that what goes on between them can be read across. */
export function spaceGraph(messages: readonly SpaceMessage[], edges: readonly GraphEdgeRow[], names: SpaceNames): Pick<GraphPage, 'nodes' | 'edges' | 'lanes'> {
  const nodes = messages.map((message): GraphPage['nodes'][number] => {
    const { at, content } = saidIn(message)
    const title = spaceWords(content, message.contentType, (id) => (agentIdsIn(content, message.contentType).includes(id) ? names.agent(id) : undefined))
    return { id: message.messageId, sequence: message.sequence, nodeKind: 'message', eventKind: message.contentType ?? 'message', title, excerpt: title, actor: names.node(message.senderId), at, lane: message.senderId }
  })
  return { nodes, edges, lanes: [...new Set(nodes.map(({ lane }) => lane))].map((lane) => ({ id: lane, title: names.node(lane).name })) }
}

function agentsIn(content: JsonObject, contentType: string | undefined, names: SpaceNames): Readonly<Record<string, string>> {
  return Object.fromEntries(agentIdsIn(content, contentType).flatMap((id) => {
    const name = names.agent(id)
    return name === undefined ? [] : [[id, name]]
  }))
}

const mentionsOf = ({ nodes }: SpaceMessage): readonly string[] => [...new Set(nodes)].slice(0, shownMentions)

function saidIn({ bytes }: SpaceMessage): { readonly at: string; readonly content: JsonObject; readonly meta?: JsonObject } {
  const stored = JSON.parse(withExactNumbers(new TextDecoder().decode(bytes))) as JsonValue
  invariant(isJsonObject(stored) && isJsonObject(stored['content']), 'a stored Message has content')
  const { content, created_at: at, meta } = stored
  return { at: String(at), content: content as JsonObject, ...(isJsonObject(meta) && { meta }) }
}
