// One page of the Space's graph. Edges come from the stored read model only; nothing is inferred here.
import type { EventDocument } from '../../../protocol/generated/types.ts'
import type { GraphEdgeRow } from '../../authority/read-models.ts'
import type { GroupState } from '../../authority/types.ts'
import type { DecodedEntry } from '../ports.ts'
import type { GraphNode, GraphPage, NodeKind } from '../views.ts'
import { eventTitle } from './event-title.ts'
import { messageText } from './message-text.ts'
import type { Naming } from './participants.ts'
import { shorten } from './shorten.ts'

const missionLane = 'mission'

export function graphPage(entries: readonly DecodedEntry[], edges: readonly GraphEdgeRow[], state: GroupState, name: Naming): Omit<GraphPage, 'head' | 'total' | 'hasOlder'> {
  const nodes = entries.map((entry) => graphNode(entry, state, name))
  const used = new Set(nodes.map((node) => node.lane))
  const work = [...state.workItems.values()].map(({ item }) => ({ id: item.workItemId, title: shorten(item.contract.goal, 40) }))
  const others = [...state.conversations.values()].filter(({ type }) => type === 'review' || type === 'restricted').map(({ conversationId, title }) => ({ id: conversationId, title: shorten(title, 40) }))
  const lanes = [{ id: missionLane, title: 'Mission' }, { id: state.group.mainConversationId, title: 'Planning' }, ...others, ...work]
  return { nodes, edges, lanes: lanes.filter((lane) => used.has(lane.id)) }
}

function graphNode(entry: DecodedEntry, state: GroupState, name: Naming): GraphNode {
  const { event, sequence, eventId } = entry
  const text = messageText(entry, state)
  return {
    id: eventId,
    sequence,
    nodeKind: nodeKindOf(event.kind),
    eventKind: event.kind,
    title: eventTitle(entry, state, name),
    ...(text !== undefined && { excerpt: shorten(text, 160) }),
    actor: name(event.actor),
    at: event.occurredAt,
    lane: laneOf(event, state),
  }
}

function nodeKindOf(kind: string): NodeKind {
  if (kind.startsWith('message.')) return 'message'
  return kind === 'artifact.published' ? 'artifact' : 'event'
}

function laneOf(event: EventDocument, state: GroupState): string {
  if (event.workItemId) return event.workItemId
  const conversation = event.conversationId ? state.conversations.get(event.conversationId) : undefined
  if (conversation?.primaryWorkItemId) return conversation.primaryWorkItemId
  return conversation && event.kind.startsWith('message.') ? conversation.conversationId : missionLane
}
