// Open Spaces as the console shows them: Nodes under their names, Messages with what they answer, one page of the graph.
import { isJsonObject, type JsonObject, type JsonValue } from '../../../protocol/strict-json.ts'
import { invariant } from '../../../protocol/result.ts'
import type { GraphEdgeRow } from '../../authority/read-models.ts'
import type { NodeInfo, Nodes, SpaceInfo, SpaceMessage, SpaceOverview } from '../open-spaces/types.ts'
import type { Identities, Sessions } from '../service.ts'
import type { GraphPage, NodeView, SpaceMessageView, SpaceSummary, SpaceView } from '../views.ts'
import { withExactNumbers } from './exact-numbers.ts'
import { namingFor } from './participants.ts'
import { spaceWords } from './space-words.ts'

export type NodeNaming = (nodeId: string) => NodeView

/** Members that the page of a Space shows. */
export const shownMembers = 1_000
const shownMentions = 20

type Sources = { readonly identities: Identities; readonly sessions: Sessions }

/** Names of the Nodes that these Messages name and were sent by, each looked up once. */
export async function nodeNaming(sources: Sources, nodes: Pick<Nodes, 'byId'>, messages: readonly SpaceMessage[]): Promise<NodeNaming> {
  const describe = nodeDescriber(sources)
  const ids = new Set(messages.flatMap((message) => [message.senderId, ...mentionsOf(message)]))
  const found = await Promise.all([...ids].map(async (id) => [id, await nodes.byId(id)] as const))
  const known = new Map(found.flatMap(([id, node]) => (node ? [[id, describe(node)] as const] : [])))
  return (nodeId) => known.get(nodeId) ?? { nodeId, id: nodeId, type: 'agent', name: 'Unknown Node' }
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
export function spaceMessages(messages: readonly SpaceMessage[], edges: readonly GraphEdgeRow[], name: NodeNaming): readonly SpaceMessageView[] {
  const answers = new Map<number, number[]>()
  for (const { child, parent, provenance } of edges) if (provenance === 'reply') answers.set(child, [...(answers.get(child) ?? []), parent])
  return messages.map((message) => {
    const { at, content, meta } = saidIn(message)
    return {
      sequence: message.sequence,
      messageId: message.messageId,
      author: name(message.senderId),
      at,
      ...(message.contentType !== undefined && { contentType: message.contentType }),
      content,
      ...(meta && { meta }),
      answers: answers.get(message.sequence)?.sort((a, b) => a - b) ?? [],
      mentions: mentionsOf(message).map(name),
      mentionCount: new Set(message.nodes).size,
    }
  })
}

/** Every Node has a lane of its own, so that what goes on between them can be read across. */
export function spaceGraph(messages: readonly SpaceMessage[], edges: readonly GraphEdgeRow[], name: NodeNaming): Pick<GraphPage, 'nodes' | 'edges' | 'lanes'> {
  const nodes = messages.map((message): GraphPage['nodes'][number] => {
    const { at, content } = saidIn(message)
    const title = spaceWords(content, message.contentType)
    return { id: message.messageId, sequence: message.sequence, nodeKind: 'message', eventKind: message.contentType ?? 'message', title, excerpt: title, actor: name(message.senderId), at, lane: message.senderId }
  })
  return { nodes, edges, lanes: [...new Set(nodes.map(({ lane }) => lane))].map((lane) => ({ id: lane, title: name(lane).name })) }
}

const mentionsOf = ({ nodes }: SpaceMessage): readonly string[] => [...new Set(nodes)].slice(0, shownMentions)

function saidIn({ bytes }: SpaceMessage): { readonly at: string; readonly content: JsonObject; readonly meta?: JsonObject } {
  const stored = JSON.parse(withExactNumbers(new TextDecoder().decode(bytes))) as JsonValue
  invariant(isJsonObject(stored) && isJsonObject(stored['content']), 'a stored Message has content')
  const { content, created_at: at, meta } = stored
  return { at: String(at), content: content as JsonObject, ...(isJsonObject(meta) && { meta }) }
}
