import fs from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sqlite from 'node-sqlite3-wasm'
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
const owned = (workItemId: string, ownershipEpoch = 1) => ({ groupId: group, workItemId, ownershipEpoch })
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
  store.saveCheckpoint(owned('w'), { progress, state: { done: [1] } })
  store.beginEffect('begun', owned('w'))
  store.beginEffect('done', owned('w'))
  store.finishEffect('done', { ticket: 7 })
  const bytes = new TextEncoder().encode('{"actionId":"urn:test:action"}')
  store.outbox.sent({ command: { actionId: 'urn:test:action' } as Command, bytes, isResumable: true })
  await restart()
  expect(sequences()).toEqual([1])
  expect(await store.load(group)).toBe(1)
  expect(store.queueOf(group)).toEqual(new Map([['w', 3]]))
  expect(store.checkpoint(owned('w'))).toEqual({ progress, state: { done: [1] } })
  expect([store.effect('begun'), store.effect('done'), store.effect('never')]).toEqual([{ isDone: false }, { isDone: true, result: { ticket: 7 } }, undefined])
  expect(store.outbox.unanswered()).toEqual([{ command: { actionId: 'urn:test:action' }, bytes, isResumable: true }])
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

test('A-23: a checkpoint is for the ownership that it was made under', () => {
  store.saveCheckpoint(owned('w', 1), { progress, state: 1 })
  expect(store.checkpoint(owned('w', 2))).toBeUndefined()
  store.saveCheckpoint(owned('w', 3), { progress, state: 3 })
  expect([store.checkpoint(owned('w', 1)), store.checkpoint(owned('w', 3))?.state]).toEqual([undefined, 3])
})

test('A-173: what a mirror holds leaves the inbox, and counts as received', async () => {
  store.openGroup(group, 0)
  for (const sequence of [1, 2, 3, 4]) store.receive(event(sequence))
  store.saveMirror(group, 3, 'three')
  await restart()
  expect([sequences(), store.mirror(group), store.received(group)]).toEqual([[4], { sequence: 3, mirror: 'three' }, 4])
  expect([store.receive(event(2)), store.receive(event(5)), sequences()]).toEqual([false, true, [4, 5]])
  store.restartInbox(group)
  expect([sequences(), store.mirror(group), store.received(group)]).toEqual([[], undefined, 0])
})

test('A-173: a Group that was left and work that has ended leave nothing behind', async () => {
  const other = 'urn:test:other'
  for (const id of [group, other]) {
    store.openGroup(id, 0)
    store.receive({ ...event(1), groupId: id, eventId: `${id} 1` })
    store.saveQueue(id, [{ workItemId: 'w', passedOver: 1 }])
    for (const workItemId of ['w', 'v']) {
      store.saveCheckpoint({ groupId: id, workItemId, ownershipEpoch: 1 }, { progress, state: 1 })
      store.beginEffect(`${id} ${workItemId}`, { groupId: id, workItemId })
    }
  }
  store.forgetWork(group, 'w')
  expect([store.checkpoint(owned('w')), store.effect(`${group} w`)]).toEqual([undefined, undefined])
  expect([store.checkpoint(owned('v'))?.state, store.effect(`${group} v`)]).toEqual([1, { isDone: false }])
  store.forgetGroup(group)
  expect([sequences(), store.received(group), store.queueOf(group).size, store.checkpoint(owned('v')), store.effect(`${group} v`)]).toEqual([[], 0, 0, undefined, undefined])
  expect([store.received(other), store.queueOf(other).size, store.effect(`${other} w`)]).toEqual([1, 1, { isDone: false }])
})

test('A-222: a Command that was signed again takes the place of the first', () => {
  const entry = (name: string) => ({ command: { actionId: name } as Command, bytes: new TextEncoder().encode(`{"actionId":"${name}"}`), isResumable: true })
  for (const name of ['a', 'b']) store.outbox.sent(entry(name))
  store.outbox.replaced('a', entry('c'))
  expect(store.outbox.unanswered().map(({ command }) => command.actionId)).toEqual(['c', 'b'])
})

test('A-173: a file of the first version is taken over, but for checkpoints of an unknown ownership', async () => {
  const path = join(folder, 'old.sqlite')
  const old = new sqlite.Database(path)
  old.exec(`
    CREATE TABLE outbox (action_id TEXT PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
    CREATE TABLE effects (effect_key TEXT PRIMARY KEY, result TEXT) STRICT;
    CREATE TABLE checkpoints (group_id TEXT NOT NULL, work_item_id TEXT NOT NULL, saved TEXT NOT NULL, PRIMARY KEY (group_id, work_item_id)) STRICT;
    INSERT INTO outbox VALUES ('a', CAST('{"actionId":"a"}' AS BLOB));
    INSERT INTO effects VALUES ('key', '7');
    INSERT INTO checkpoints VALUES ('${group}', 'w', '{}');
  `)
  old.close()
  store.close()
  store = await openAgentStore(path)
  expect(store.outbox.unanswered()).toMatchObject([{ command: { actionId: 'a' }, isResumable: false }])
  expect([store.effect('key'), store.checkpoint(owned('w'))]).toEqual([{ isDone: true, result: 7 }, undefined])
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
      expect(await flushes(() => store.beginEffect(key, owned(key)))).toBeGreaterThan(0)
      expect(await flushes(() => store.finishEffect(key, 1))).toBeGreaterThan(0)
      expect(await flushes(() => store.saveCheckpoint(owned(key), { progress, state: 1 }))).toBeGreaterThan(0)
    }
    expect(await flushes(() => store.save(group, 2))).toBeGreaterThan(0)
    expect(await flushes(() => store.receive(event(3)))).toBe(0)
  } finally {
    flush.mockRestore()
  }
})
