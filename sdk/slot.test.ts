import { afterEach, beforeEach, expect, test } from 'vitest'
import { workContract } from '../server/testing/documents.ts'
import type { WorkOwner } from '../protocol/generated/types.ts'
import type { AgentClient } from './agent-client.ts'
import type { AgentStore } from './agent-store.ts'
import { openAgentStore } from './agent-store.ts'
import { LeaseLost, Slot } from './slot.ts'

let store: AgentStore
beforeEach(async () => void (store = await openAgentStore(':memory:')))
afterEach(() => store.close())

const lease = { missionId: 'urn:test:mission', groupId: 'urn:test:group', workItemId: 'urn:test:work', ownershipEpoch: 1, executionLeaseId: 'urn:test:lease' }
const never = new AbortController().signal

/** A slot of session 1; `present` is the session that the client has now. */
function slotOf(changes: Partial<typeof lease> = {}, { present = 1, lost = never } = {}): Slot {
  const client = { session: async () => ({ sessionEpoch: present }) } as unknown as AgentClient
  return new Slot(client, store, { lease: { ...lease, ...changes }, contract: workContract(), owner: {} as WorkOwner, sessionEpoch: 1, lost, pause: never })
}
const keyOf = (slot: Slot, operation = 'ticket') => slot.effect(operation, async (key) => key)

test('A-236: an act is done once, and a later execution gets its result', async () => {
  const first = await slotOf().effect('ticket', async () => ({ id: 7 }))
  const again = await slotOf({ executionLeaseId: 'urn:test:lease:2' }).effect('ticket', () => Promise.reject(new Error('must not act')))
  expect([first, again]).toEqual([{ id: 7 }, { id: 7 }])
})

test('A-236: an act whose end is not known is repeated under the same key', async () => {
  const keys: string[] = []
  const act = (slot: Slot, isStopped: boolean) =>
    slot.effect('ticket', async (key) => {
      keys.push(key)
      if (isStopped) throw new Error('stopped')
    })
  await expect(act(slotOf(), true)).rejects.toThrow('stopped')
  await act(slotOf(), false)
  expect(keys[1]).toBe(keys[0])
  expect(keys).toHaveLength(2)
})

test('A-176, A-236: keys differ by Mission, WorkItem, Ownership Epoch and operation', async () => {
  const keys = await Promise.all([
    keyOf(slotOf()),
    keyOf(slotOf({ missionId: 'urn:test:other' })),
    keyOf(slotOf({ workItemId: 'urn:test:other' })),
    keyOf(slotOf({ ownershipEpoch: 2 })),
    keyOf(slotOf(), 'mail'),
  ])
  expect(new Set(keys).size).toBe(5)
})

test.each([
  ['a newer session has revoked the lease (A-183)', { present: 2 }],
  ['the lease is known to be lost', { lost: AbortSignal.abort() }],
])('A-189: nothing is done outside once %s', async (_why, state) => {
  let isDone = false
  await expect(slotOf({}, state).effect('ticket', async () => (isDone = true))).rejects.toThrow(LeaseLost)
  expect(isDone).toBe(false)
})

test('A-23, A-176: a slot sees the checkpoint of its own item under its own ownership only', () => {
  const progress = { currentPhase: 'half', completedMilestones: [], nextCheckpoint: 'end', blockers: [], updatedCompletionEstimate: '2026-01-01T00:00:00.000Z', evidenceIds: [] }
  store.saveCheckpoint(lease, { progress, state: 1 })
  expect(slotOf().resumeFrom).toEqual({ progress, state: 1 })
  expect(slotOf({ workItemId: 'urn:test:other' }).resumeFrom).toBeUndefined()
  expect(slotOf({ groupId: 'urn:test:other' }).resumeFrom).toBeUndefined()
  expect(slotOf({ ownershipEpoch: 2 }).resumeFrom).toBeUndefined()
})
