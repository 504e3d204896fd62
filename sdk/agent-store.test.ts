import fs from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Command, EventDocument } from '../protocol/generated/types.ts'
import type { AgentStore } from './agent-store.ts'
import { openAgentStore } from './agent-store.ts'

let folder = ''
let store: AgentStore
const open = () => openAgentStore(join(folder, 'agent.sqlite'))
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agent-'))
  store = await open()
})
afterEach(async () => {
  store.close()
  await rm(folder, { recursive: true })
})

async function restart() {
  store.close()
  store = await open()
}

const group = 'urn:test:group'
const event = (sequence: number) => ({ groupId: group, sequence, eventId: `urn:test:event:${sequence}`, kind: 'message.posted' }) as EventDocument
const sequences = () => [...store.replay(group)].map(({ sequence }) => sequence)
const progress = { currentPhase: 'half', completedMilestones: [], nextCheckpoint: 'end', blockers: [], updatedCompletionEstimate: '2026-01-01T00:00:00.000Z', evidenceIds: [] }

test('A-233: an Event is taken in once', () => {
  store.openGroup(group, 0)
  expect([store.receive(event(1)), store.receive(event(1))]).toEqual([true, false])
  expect(sequences()).toEqual([1])
})

test('A-233: what comes ahead is kept, and neither replay nor Cursor passes the gap', async () => {
  store.openGroup(group, 0)
  for (const sequence of [1, 3, 4]) store.receive(event(sequence))
  await store.save(group, 4)
  expect(await store.load(group)).toBe(1)
  expect(sequences()).toEqual([1])
  store.receive(event(2))
  await store.save(group, 4)
  expect(await store.load(group)).toBe(4)
  expect(sequences()).toEqual([1, 2, 3, 4])
})

test('A-234: the Cursor never goes back', async () => {
  store.openGroup(group, 0)
  for (const sequence of [1, 2]) store.receive(event(sequence))
  await store.save(group, 2)
  await store.save(group, 1)
  expect(await store.load(group)).toBe(2)
})

test('A-233: what an Agent was never shown is no gap, at the beginning or later', async () => {
  store.openGroup(group, 7)
  store.receive(event(7))
  expect(store.received(group)).toBe(7)
  store.receive(event(12))
  expect(store.received(group)).toBe(7)
  store.openGroup(group, 12)
  expect(store.received(group)).toBe(12)
})

test('A-173: inbox, Cursor, queue, effects, checkpoints and unanswered Commands survive a restart', async () => {
  store.openGroup(group, 0)
  store.receive(event(1))
  await store.save(group, 1)
  store.saveQueue(group, [{ workItemId: 'w', passedOver: 3 }])
  store.saveCheckpoint(group, 'w', { progress, state: { done: [1] } })
  store.beginEffect('begun')
  store.beginEffect('done')
  store.finishEffect('done', { ticket: 7 })
  const bytes = new TextEncoder().encode('{"actionId":"urn:test:action"}')
  store.outbox.sent({ command: { actionId: 'urn:test:action' } as Command, bytes })
  await restart()
  expect(sequences()).toEqual([1])
  expect(await store.load(group)).toBe(1)
  expect(store.queueOf(group)).toEqual(new Map([['w', 3]]))
  expect(store.checkpoint(group, 'w')).toEqual({ progress, state: { done: [1] } })
  expect([store.effect('begun'), store.effect('done'), store.effect('never')]).toEqual([{ isDone: false }, { isDone: true, result: { ticket: 7 } }, undefined])
  expect(store.outbox.unanswered()).toEqual([{ command: { actionId: 'urn:test:action' }, bytes }])
  store.outbox.answered('urn:test:action')
  expect(store.outbox.unanswered()).toEqual([])
})

test('A-6: a store that was lost is filled again from the log of the Group, and comes to the same', async () => {
  const log = [event(1), event(2), event(3)]
  const takeIn = async () => {
    store.openGroup(group, 0)
    for (const one of log) store.receive(one)
    await store.save(group, 3)
    return { inbox: sequences(), cursor: await store.load(group), received: store.received(group) }
  }
  const first = await takeIn()
  store.close()
  await rm(join(folder, 'agent.sqlite'))
  store = await open()
  expect([store.received(group), sequences()]).not.toEqual([first.received, first.inbox])
  expect(await takeIn()).toEqual(first)
})

test('A-173: a file that is open cannot be opened again', async () => {
  await expect(open()).rejects.toThrow('open already')
})

test('A-173: a file that is no database is refused, left as it is, and claimed by nobody', async () => {
  const path = join(folder, 'letter.txt')
  fs.writeFileSync(path, 'Dear Ada, '.repeat(100))
  await expect(openAgentStore(path)).rejects.toThrow('not a database')
  expect(fs.readFileSync(path, 'utf8')).toBe('Dear Ada, '.repeat(100))
  expect(fs.readdirSync(folder).filter((name) => name.startsWith('letter'))).toEqual(['letter.txt'])
})

test('A-173, A-236: what must survive a loss of power is flushed to the disk each time, an Event is not waited for', async () => {
  store.openGroup(group, 0)
  store.receive(event(1))
  const flush = vi.spyOn(fs, 'fsyncSync')
  try {
    const flushes = async (act: () => unknown) => {
      flush.mockClear()
      await act()
      return flush.mock.calls.length
    }
    expect(await flushes(() => store.receive(event(2)))).toBe(0)
    for (const key of ['one', 'two']) {
      expect(await flushes(() => store.beginEffect(key))).toBeGreaterThan(0)
      expect(await flushes(() => store.finishEffect(key, 1))).toBeGreaterThan(0)
      expect(await flushes(() => store.saveCheckpoint(group, key, { progress, state: 1 }))).toBeGreaterThan(0)
    }
    expect(await flushes(() => store.save(group, 2))).toBeGreaterThan(0)
    expect(await flushes(() => store.receive(event(3)))).toBe(0)
  } finally {
    flush.mockRestore()
  }
})
