import { expect, test } from 'vitest'
import { RecentMap } from './recent-map.ts'

const filled = (maximum: number, keys: Iterable<number>): RecentMap<number, string> => {
  const map = new RecentMap<number, string>(maximum)
  for (const key of keys) map.set(key, `value ${key}`)
  return map
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index)

test('what was used last is kept, by reading as well as by writing', () => {
  const map = filled(3, [1, 2, 3])
  map.get(1)
  map.set(2, 'again')
  map.set(4, 'value 4')
  expect([1, 2, 3, 4].map((key) => map.get(key))).toEqual(['value 1', 'again', undefined, 'value 4'])
})

test('the oldest goes first, however long the map is used and whatever is deleted between', () => {
  const map = filled(100, range(0, 1_000))
  for (const key of range(900, 950)) map.delete(key)
  for (const key of range(1_000, 1_075)) map.set(key, 'new')
  expect(range(0, 1_075).filter((key) => map.get(key) !== undefined)).toEqual(range(975, 1_075))
})

test('a cleared map begins anew', () => {
  const map = filled(10, range(0, 50))
  map.clear()
  for (const key of range(0, 15)) map.set(key, 'new')
  expect(range(0, 15).filter((key) => map.get(key) !== undefined)).toEqual(range(5, 15))
})

test('the only entry can be deleted, replaced and forgotten', () => {
  const map = filled(1, [1])
  map.delete(1)
  map.set(2, 'two')
  map.set(2, 'two again')
  expect(map.get(2)).toBe('two again')
  map.set(3, 'three')
  expect([map.get(1), map.get(2), map.get(3)]).toEqual([undefined, undefined, 'three'])
})

test('an entry that is used again and again takes no more memory', () => {
  const map = filled(10, [1, 2])
  const use = (times: number) => {
    for (let time = 0; time < times; time += 1) map.get((time % 2) + 1)
  }
  use(10_000)
  const before = process.memoryUsage().heapUsed
  // What nothing holds is collected on the way; a kept table for every second use was 100 MB.
  use(2_000_000)
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(60_000_000)
})

test('forgetting the oldest of many costs about as much as forgetting the oldest of a few', () => {
  const took = (maximum: number) => {
    const map = filled(maximum, range(0, maximum))
    const begin = performance.now()
    for (const key of range(maximum, maximum + 60_000)) map.set(key, 'new')
    return performance.now() - begin
  }
  const best = (maximum: number) => Math.min(...range(0, 3).map(() => took(maximum)))
  // Walking over what was deleted before made it forty times as dear.
  expect(best(50_000) / best(500)).toBeLessThan(10)
})
