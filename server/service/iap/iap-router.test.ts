// What is left of a router that could not start: nothing, for another one is tried a second later, here or on another node.
import { expect, it } from 'vitest'
import { silentLog } from '../../log.ts'
import { createMemoryIap } from '../../testing/memory-iap.ts'
import type { RouterNeeds } from './iap-router.ts'
import { IapRouterService } from './iap-router.ts'

const at = '2026-11-30T08:00:00Z'

it('IAP: a router that cannot start listens to no Group any more, and publishes nothing later', async () => {
  const store = createMemoryIap()
  const record = { taskId: 'task', ordinal: 0, refs: [], author: 'router', at, type: 'task_cancellation', content: { by: 'ada' } }
  const task = { taskId: 'task', spaceId: 'space', proposerId: 'ada', status: 'cancelled', isOver: true, bytes: 0, endedAt: at }
  await store.commit({ tasks: [task], records: [{ taskId: 'task', ordinal: 0, record: JSON.stringify(record) }], outbox: [], received: [], accounts: [], cache: [] })
  const [listeners, timers] = [new Set<unknown>(), new Set<unknown>()]
  const needs = {
    store: { ...store, tasksAtWork: () => Promise.reject(new Error('the store is away')) },
    work: { feeds: { onGrowth: (listener: unknown) => (listeners.add(listener), () => listeners.delete(listener)) } },
    spaces: { nodes: { resolve: () => Promise.reject(new Error('the store is away')) } },
    clock: { now: () => at, nowMs: () => Date.parse(at) },
    organizationId: 'urn:example:organization',
    diagnostics: silentLog(),
    options: { timers: { after: (_ms: number, ring: unknown) => (timers.add(ring), { cancel: () => timers.delete(ring) }) } },
  } as unknown as RouterNeeds
  await expect(IapRouterService.start(needs)).rejects.toThrow('the store is away')
  expect([listeners.size, timers.size]).toEqual([0, 0])
})
