// What one Conversation shows: its Messages, and between them the Events of the same thread, in log order.
import type { GraphNode } from '../graph/graph-store.ts'
import type { MessageView } from '../trpc.tsx'

export type StreamItem =
  | { readonly type: 'message'; readonly sequence: number; readonly message: MessageView }
  | { readonly type: 'event'; readonly sequence: number; readonly node: GraphNode }
  /** Messages reach further back than the Events that are loaded; said, not hidden. */
  | { readonly type: 'events-missing'; readonly sequence: number }

export interface LoadedEvents {
  readonly nodes: readonly GraphNode[]
  readonly hasOlder: boolean
}

/**
 * Merges Messages with the Events of their lane from the oldest Message on. Where older Messages exist that are not
 * loaded, earlier Events wait with them, so that nothing seems to have happened out of order.
 */
export function mergeStream(messages: readonly MessageView[], hasOlderMessages: boolean, events: LoadedEvents, lane: string): readonly StreamItem[] {
  const from = hasOlderMessages ? (messages[0]?.sequence ?? Infinity) : 0
  const inLane = events.nodes.filter((node) => node.lane === lane && node.nodeKind !== 'message' && node.sequence >= from)
  const eventsFrom = events.hasOlder ? (events.nodes[0]?.sequence ?? Infinity) : 0
  const isPartial = eventsFrom > from && (messages[0]?.sequence ?? Infinity) < eventsFrom
  const items: StreamItem[] = [
    ...messages.map((message) => ({ type: 'message', sequence: message.sequence, message }) as const),
    ...inLane.map((node) => ({ type: 'event', sequence: node.sequence, node }) as const),
    ...(isPartial ? [{ type: 'events-missing', sequence: eventsFrom - 0.5 } as const] : []),
  ]
  return items.sort((a, b) => a.sequence - b.sequence)
}
