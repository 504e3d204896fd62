import { describe, expect, it } from 'vitest'
import type { EdgeProvenance, MembershipRow, MissionRow, ReadModelRows } from '../authority/read-models.ts'
import { encodeRows } from '../authority/read-model-rows.ts'
import type { Store } from '../service/ports.ts'
import { newHash, newId, noRows, sampleBatch } from './batch-samples.ts'

const mission = (spaceId: string, changes: Partial<MissionRow> = {}): MissionRow => ({
  spaceId,
  missionId: newId(),
  title: 'Release 2.0',
  state: 'active',
  ownerId: newId(),
  ...changes,
})

const membership = (spaceId: string, memberId: string, changes: Partial<MembershipRow> = {}): MembershipRow => ({
  spaceId,
  memberId,
  role: 'worker',
  state: 'active',
  membershipEpoch: 1,
  visibilityStartSequence: 0,
  missionId: newId(),
  ...changes,
})

const edge = (child: number, parent: number, provenance: EdgeProvenance = 'reply') => ({ child, parent, provenance })

export function describeReadModels(store: () => Store): void {
  /** Appends one Event with these rows and returns the new head. */
  async function write(spaceId: string, rows: Partial<ReadModelRows>, count = 1): Promise<number> {
    const head = await store().log.head(spaceId)
    const batch = sampleBatch(spaceId, head, { count, rows: { ...noRows, ...rows } })
    const kinds = new Map(rows.nodes?.map(({ sequence, kind }) => [sequence, kind]))
    const events = batch.events.map((event) => ({ ...event, kind: kinds.get(event.sequence) ?? event.kind }))
    expect(await store().log.append({ ...batch, events })).toEqual({ ok: true })
    return head + count
  }

  describe('read models', () => {
    it('replace a Mission, a Membership and an execution, also twice in one batch', async () => {
      const [spaceId, memberId, workItemId] = [newId(), newId(), newId()]
      const first = mission(spaceId)
      await write(spaceId, {
        mission: first,
        memberships: [membership(spaceId, memberId), membership(spaceId, memberId, { membershipEpoch: 2 })],
        executions: [{ workItemId, holderAgentId: null }, { workItemId, holderAgentId: memberId }],
      })
      expect(await store().readModels.membershipsOf(memberId)).toEqual([expect.objectContaining({ membershipEpoch: 2 })])
      expect(await store().readModels.spacesWithActiveLease(memberId)).toEqual([spaceId])

      const second = { ...first, state: 'approved' }
      await write(spaceId, { mission: second, memberships: [membership(spaceId, memberId, { state: 'ended' })], executions: [{ workItemId, holderAgentId: null }] })
      expect(await store().readModels.missionById(first.missionId)).toEqual(second)
      expect(await store().readModels.membershipsOf(memberId)).toEqual([expect.objectContaining({ state: 'ended' })])
      expect(await store().readModels.spacesWithActiveLease(memberId)).toEqual([])
    })

    it('show a member the Missions of Memberships that have not ended, and nobody else any', async () => {
      const memberId = newId()
      const shown: (MissionRow & { head: number })[] = []
      for (const state of ['active', 'provisional', 'ended']) {
        const spaceId = newId()
        const row = mission(spaceId)
        await write(spaceId, { mission: row, memberships: [membership(spaceId, memberId, { state })] })
        if (state !== 'ended') shown.push({ ...row, head: 1 })
      }
      shown.sort((a, b) => (a.spaceId < b.spaceId ? -1 : 1))
      expect(await store().readModels.missionsOf(memberId)).toEqual(shown)
      expect(await store().readModels.membershipsOf(memberId)).toHaveLength(3)
      expect(await store().readModels.missionsOf(newId())).toEqual([])
      expect(await store().readModels.missionById(newId())).toBeUndefined()
    })

    it('keep a title with U+0000, which JSON allows and PostgreSQL text does not', async () => {
      const spaceId = newId()
      const row = mission(spaceId, { title: 'nul \0 and "quotes" \\ {braces}, ünïcödé 🙂' })
      await write(spaceId, { mission: row })
      expect((await store().readModels.missionById(row.missionId))?.title).toBe('nul \uFFFD and "quotes" \\ {braces}, ünïcödé 🙂')
    })

    it('page Messages newest first, of all Conversations or of one', async () => {
      const spaceId = newId()
      const nodes = [1, 2, 3, 4, 5, 6].map((sequence) => ({ sequence, kind: 'message.posted', conversationId: sequence % 2 ? 'urn:x:odd' : 'urn:x:even' }))
      await write(spaceId, { nodes: [...nodes, { sequence: 7, kind: 'work.started', conversationId: 'urn:x:odd' }] }, 7)
      const find = (filter: Parameters<Store['readModels']['messageSequences']>[1]) => store().readModels.messageSequences(spaceId, filter)
      expect(await find({ limit: 4 })).toEqual([6, 5, 4, 3])
      expect(await find({ before: 3, limit: 4 })).toEqual([2, 1])
      expect(await find({ conversationId: 'urn:x:odd', before: 5, limit: 1 })).toEqual([3])
      expect(await find({ conversationId: 'urn:x:none', limit: 1 })).toEqual([])
    })

    it('page nodes newest first and give the edges of chosen children', async () => {
      const spaceId = newId()
      const nodes = [1, 2, 3].map((sequence) => ({ sequence, kind: 'message.posted', ...(sequence === 2 && { conversationId: 'urn:x:c', workItemId: 'urn:x:w' }) }))
      await write(spaceId, { nodes, edges: [edge(3, 2, 'reply'), edge(3, 1, 'source'), edge(3, 1, 'cause'), edge(2, 1)] }, 3)
      expect(await store().readModels.graphNodes(spaceId, { limit: 2 })).toEqual([nodes[2], nodes[1]])
      expect(await store().readModels.graphNodes(spaceId, { before: 2, limit: 2 })).toEqual([nodes[0]])
      expect(await store().readModels.graphEdges(spaceId, [3, 9])).toEqual([edge(3, 1, 'cause'), edge(3, 1, 'source'), edge(3, 2, 'reply')])
      expect(await store().readModels.graphEdges(spaceId, [])).toEqual([])
    })

    it('name the Spaces that publish a content hash, each once', async () => {
      const contentHash = newHash()
      const spaces = [newId(), newId()].sort()
      const artifact = (sequence: number) => ({ sequence, contentHash, artifactId: newId(), workItemId: newId() })
      await write(spaces[1]!, { artifacts: [artifact(1), artifact(1)] })
      await write(spaces[0]!, { artifacts: [artifact(1)] })
      expect(await store().readModels.spacesOfArtifact(contentHash)).toEqual(spaces)
      expect(await store().readModels.spacesOfArtifact(newHash())).toEqual([])
    })

    it('dump the same text for the same rows, whatever the batches', async () => {
      const [spaceId, memberId, workItemId] = [newId(), newId(), newId()]
      const row = mission(spaceId)
      const rows: ReadModelRows = {
        mission: row,
        memberships: [membership(spaceId, memberId), membership(spaceId, newId())],
        nodes: [{ sequence: 2, kind: 'b' }, { sequence: 1, kind: 'a', workItemId }],
        edges: [edge(2, 1, 'reply'), edge(2, 1, 'cause')],
        artifacts: [{ sequence: 2, contentHash: newHash(), artifactId: newId(), workItemId }],
        executions: [{ workItemId, holderAgentId: memberId }],
      }
      await write(spaceId, { ...rows, mission: { ...row, state: 'draft' }, nodes: [rows.nodes[1]!], edges: [], executions: [{ workItemId, holderAgentId: null }] })
      await write(spaceId, { mission: row, nodes: [rows.nodes[0]!], edges: rows.edges, executions: rows.executions })
      expect(await store().readModels.dump(spaceId)).toBe(encodeRows(rows))
    })
  })
}
