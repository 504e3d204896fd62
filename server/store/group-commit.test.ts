import { expect, test } from 'vitest'
import type { AppendBatch, AppendOutcome } from '../service/ports.ts'
import { sampleEntry } from '../testing/batch-samples.ts'
import type { AppendsSettled } from './group-commit.ts'
import { GroupCommit } from './group-commit.ts'

const batch = (spaceId: string): AppendBatch => ({
  spaceId, spaceKind: 'mission', expectedHead: 0, events: [], receipts: [], admissions: [],
  rows: { memberships: [], nodes: [], edges: [], artifacts: [], executions: [] },
})

/** A writer whose commits end when the test says so. */
function heldWriter() {
  const groups: { spaces: string[]; finish: (settled?: AppendsSettled) => void; fail: (fault: Error) => void }[] = []
  const write = (batches: readonly AppendBatch[]) =>
    new Promise<AppendsSettled>((resolve, reject) => {
      groups.push({ spaces: batches.map(({ spaceId }) => spaceId), finish: (settled = batches.map(() => is({ ok: true }))) => resolve(settled), fail: reject })
    })
  return { groups, write }
}
const is = (value: AppendOutcome) => ({ status: 'fulfilled' as const, value })
const turned = () => new Promise((resolve) => setImmediate(resolve))

test('what arrives during a commit goes together in the next', async () => {
  const { groups, write } = heldWriter()
  const commit = new GroupCommit(write)
  const outcomes = ['a', 'b', 'c'].map((space) => commit.append(batch(space)))
  expect(groups.map(({ spaces }) => spaces)).toEqual([['a']])
  groups[0]!.finish()
  await turned()
  expect(groups[1]!.spaces).toEqual(['b', 'c'])
  groups[1]!.finish()
  expect(await Promise.all(outcomes)).toEqual(outcomes.map(() => ({ ok: true })))
})

test('each caller gets the outcome of its own batch, be it a fault', async () => {
  const { groups, write } = heldWriter()
  const commit = new GroupCommit(write)
  const [, second, third, fourth] = ['a', 'b', 'c', 'd'].map((space) => commit.append(batch(space)))
  const failed = expect(third).rejects.toThrow('not text')
  groups[0]!.finish()
  await turned()
  groups[1]!.finish([is({ ok: false, conflict: 'head' }), { status: 'rejected', reason: new Error('not text') }, is({ ok: true })])
  expect([await second, await fourth]).toEqual([{ ok: false, conflict: 'head' }, { ok: true }])
  await failed
})

test('two batches of one Space never share a statement, and keep their order', async () => {
  const { groups, write } = heldWriter()
  const commit = new GroupCommit(write)
  for (const space of ['x', 'a', 'a', 'b']) void commit.append(batch(space))
  groups[0]!.finish()
  await turned()
  expect(groups[1]!.spaces).toEqual(['a', 'b'])
  groups[1]!.finish()
  await turned()
  expect(groups[2]!.spaces).toEqual(['a'])
})

test('a group is no larger than one statement should be, and a batch that is larger goes alone', async () => {
  const { groups, write } = heldWriter()
  const commit = new GroupCommit(write)
  const sized = (spaceId: string, mebibytes: number): AppendBatch => ({ ...batch(spaceId), events: [{ ...sampleEntry(spaceId, 1), bytes: new Uint8Array(mebibytes * 1024 * 1024) }] })
  for (const each of [sized('x', 0), sized('a', 3), sized('b', 1), sized('c', 1), sized('d', 9), sized('e', 1)]) void commit.append(each)
  for (let group = 0; group < 5; group += 1) {
    groups[group]!.finish()
    await turned()
  }
  expect(groups.map(({ spaces }) => spaces)).toEqual([['x'], ['a', 'b'], ['c'], ['d'], ['e']])
})

test('a lost write reaches everyone in the group, and the next group goes on', async () => {
  const { groups, write } = heldWriter()
  const commit = new GroupCommit(write)
  const first = commit.append(batch('a'))
  groups[0]!.fail(new Error('connection lost'))
  await expect(first).rejects.toThrow('connection lost')
  const second = commit.append(batch('b'))
  groups[1]!.finish()
  expect(await second).toEqual({ ok: true })
})
