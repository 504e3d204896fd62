import { expect, test } from 'vitest'
import type { AppendBatch, AppendOutcome } from '../service/ports.ts'
import { GroupCommit } from './group-commit.ts'

const batch = (spaceId: string): AppendBatch => ({
  spaceId, spaceKind: 'mission', expectedHead: 0, events: [], receipts: [], admissions: [],
  rows: { memberships: [], messages: [], nodes: [], edges: [], artifacts: [], executions: [] },
})

/** A writer whose commits end when the test says so. */
function heldWriter() {
  const groups: { spaces: string[]; finish: (outcomes?: AppendOutcome[]) => void; fail: (fault: Error) => void }[] = []
  const write = (batches: readonly AppendBatch[]) =>
    new Promise<readonly AppendOutcome[]>((resolve, reject) => {
      groups.push({ spaces: batches.map(({ spaceId }) => spaceId), finish: (outcomes = batches.map(() => ({ ok: true }))) => resolve(outcomes), fail: reject })
    })
  return { groups, write }
}
const settled = () => new Promise((resolve) => setImmediate(resolve))

test('what arrives during a commit goes together in the next', async () => {
  const { groups, write } = heldWriter()
  const commit = new GroupCommit(write)
  const outcomes = ['a', 'b', 'c', 'd'].map((space) => commit.append(batch(space)))
  expect(groups.map(({ spaces }) => spaces)).toEqual([['a'], ['b']])
  groups[0]!.finish()
  await settled()
  expect(groups[2]!.spaces).toEqual(['c', 'd'])
  groups[1]!.finish()
  groups[2]!.finish()
  expect(await Promise.all(outcomes)).toEqual(outcomes.map(() => ({ ok: true })))
})

test('each caller gets the outcome of its own batch', async () => {
  const { groups, write } = heldWriter()
  const commit = new GroupCommit(write)
  const [, , third, fourth] = ['a', 'b', 'c', 'd'].map((space) => commit.append(batch(space)))
  groups[0]!.finish()
  await settled()
  groups[2]!.finish([{ ok: false, conflict: 'head' }, { ok: true }])
  expect([await third, await fourth]).toEqual([{ ok: false, conflict: 'head' }, { ok: true }])
})

test('two batches of one Space never share a statement, and keep their order', async () => {
  const { groups, write } = heldWriter()
  const commit = new GroupCommit(write)
  for (const space of ['x', 'y', 'a', 'a', 'b']) void commit.append(batch(space))
  groups[0]!.finish()
  await settled()
  expect(groups[2]!.spaces).toEqual(['a', 'b'])
  groups[2]!.finish()
  await settled()
  expect(groups[3]!.spaces).toEqual(['a'])
})

test('a fault reaches everyone in the group, and the next group goes on', async () => {
  const { groups, write } = heldWriter()
  const commit = new GroupCommit(write)
  const first = commit.append(batch('a'))
  groups[0]!.fail(new Error('connection lost'))
  await expect(first).rejects.toThrow('connection lost')
  const second = commit.append(batch('b'))
  groups[1]!.finish()
  expect(await second).toEqual({ ok: true })
})
