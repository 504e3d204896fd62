import { describe, expect, test } from 'vitest'
import type { EventDocument } from '../protocol/generated/types.ts'
import { GroupStream } from './group-stream.ts'

const event = (sequence: number) => ({ sequence, groupId: 'urn:test:group' }) as EventDocument

function open(after = 0) {
  const requested: number[] = []
  const processed: number[] = []
  const stream = new GroupStream('urn:test:group', after, {
    requestFrom: (sequence) => requested.push(sequence),
    onProcessed: (sequence) => processed.push(sequence),
  })
  const iterator = stream[Symbol.asyncIterator]()
  const take = async (count: number) => {
    const sequences: (number | undefined)[] = []
    while (sequences.length < count) sequences.push((await iterator.next()).value?.sequence)
    return sequences
  }
  const push = (from: number, to: number) => {
    for (let sequence = from; sequence <= to; sequence++) stream.push(event(sequence))
  }
  return { stream, iterator, take, push, requested, processed }
}

describe('a Group in order (A-233)', () => {
  test('repeated Events come once', async () => {
    const { take, push, stream } = open()
    push(1, 3)
    push(1, 3)
    stream.end()
    expect(await take(4)).toEqual([1, 2, 3, undefined])
  })

  test('Events from before the position do not come', async () => {
    const { take, push, stream } = open(2)
    push(1, 3)
    stream.end()
    expect(await take(2)).toEqual([3, undefined])
  })

  test('a gap is asked for once and nothing from behind it is handed out', async () => {
    const { take, push, stream, requested } = open()
    push(1, 1)
    push(3, 5)
    expect(requested).toEqual([1])
    push(2, 5)
    stream.end()
    expect(await take(6)).toEqual([1, 2, 3, 4, 5, undefined])
  })

  test('a later gap is asked for again', () => {
    const { push, requested } = open()
    push(2, 2)
    push(1, 1)
    push(3, 3)
    expect(requested).toEqual([0, 1])
  })

  test('sequences that the Agent may not see are passed over', async () => {
    const { take, push, stream } = open()
    push(6, 6)
    stream.skipTo(5)
    push(6, 6)
    stream.end()
    expect(await take(2)).toEqual([6, undefined])
  })
})

describe('a slow consumer', () => {
  test('what does not fit is left out, and asked for when there is room', async () => {
    const { take, push, requested, stream } = open()
    push(1, 2500)
    expect(requested).toEqual([])
    expect(stream.position).toBe(1000)
    await take(1000)
    const next = take(1)
    expect(requested).toEqual([1000])
    push(1001, 1001)
    expect(await next).toEqual([1001])
  })

  test('nobody waits for what cannot arrive before the consumer goes on', async () => {
    const { push, stream } = open()
    const reached = stream.reaches(2000)
    push(1, 1001)
    await reached
  })
})

test('an Event counts as processed when the next one is asked for', async () => {
  const { take, push, processed } = open()
  push(1, 3)
  await take(2)
  expect(processed).toEqual([1])
})

test('what has arrived is handed out before the end and its fault', async () => {
  const { take, push, stream, iterator } = open()
  push(1, 2)
  stream.end(new Error('over'))
  expect(await take(2)).toEqual([1, 2])
  await expect(iterator.next()).rejects.toThrow('over')
})

test('a waiting consumer is woken by the end', async () => {
  const { take, stream } = open()
  const taken = take(1)
  stream.end()
  expect(await taken).toEqual([undefined])
})
