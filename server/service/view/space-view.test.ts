import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../protocol/strict-json.ts'
import { err, ok } from '../../../protocol/result.ts'
import type { NodeInfo, Nodes, SpaceMessage } from '../open-spaces/types.ts'
import { spaceGraph, spaceMessages, spaceNames } from './space-view.ts'

const scout: NodeInfo = { nodeId: 'node-1', principalId: 'urn:example:scout', name: 'Scout', description: '', meta: {}, identities: [] }
const sources = { identities: { principal: () => undefined, cardOf: () => undefined, keysOf: () => [] }, sessions: { isOnline: () => false } } as unknown as Parameters<typeof spaceNames>[0]
const nodes: Pick<Nodes, 'byId' | 'resolve'> = {
  byId: async () => scout,
  resolve: async (namespace, subject) => (namespace === 'iap' && subject === 'scout-1' ? ok(scout) : err({ category: 'not_found', reason: 'Nobody has it.' })),
}

function message(sequence: number, content: JsonObject, contentType: string): SpaceMessage {
  const bytes = new TextEncoder().encode(JSON.stringify({ content, created_at: '2026-11-30T08:00:00.000Z' }))
  return { sequence, messageId: `m${sequence}`, spaceId: 's', senderId: scout.nodeId, isBroadcast: true, nodes: [], messages: [], contentType, bytes }
}

describe('a record of the Inter-Agent Protocol', () => {
  const content = { ordinal: 3, agentId: 'scout-1', selection: { candidates: [{ agentId: 'scout-1' }, { agentId: 'nobody' }], passedOver: [{ agentId: 'constructor' }] } }
  const messages = [message(1, content, 'iap/task_assignment'), message(2, { bid: { bidderId: 'scout-1' } }, 'iap/task_bid'), message(3, { agentId: 'scout-1' }, 'note')]

  it('names the agents that it calls by id, as far as somebody has these ids, and keeps its content as it is', async () => {
    const shown = spaceMessages(messages, [], await spaceNames(sources, nodes, messages))
    expect(shown.map(({ agents }) => agents)).toEqual([{ 'scout-1': 'Scout' }, { 'scout-1': 'Scout' }, undefined])
    expect(shown[0]!.content).toEqual(content)
  })

  it('stands in the graph under these names, and no other Message does', async () => {
    const graph = spaceGraph(messages, [], await spaceNames(sources, nodes, messages))
    expect(graph.nodes.map(({ title }) => title)).toEqual(['task assignment: Scout', 'task bid: Scout', 'note: scout-1'])
  })
})
