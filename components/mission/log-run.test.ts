import { describe, expect, it } from 'vitest'
import type { EntryRun } from './log-run.ts'
import { catchUp, entrySource, reachBack } from './log-run.ts'

type Entry = { readonly sequence: number }

/** A log of `head` entries, read three at a time. */
function logOf(sequences: () => readonly number[]) {
  const reads: (number | undefined)[] = []
  const source = entrySource<Entry>((before) => {
    reads.push(before)
    const older = sequences().filter((sequence) => before === undefined || sequence < before)
    return Promise.resolve({ entries: older.slice(-3).map((sequence) => ({ sequence })), hasOlder: older.length > 3 })
  })
  return { source, reads }
}
const upTo = (head: number): number[] => Array.from({ length: head }, (_, index) => index + 1)
const sequencesOf = (run: EntryRun<Entry>): number[] => run.entries.map((entry) => entry.sequence)

describe('a run of the log', () => {
  it('opens on the newest page and reaches back to the first entry', async () => {
    const { source } = logOf(() => upTo(5))
    const opened = await catchUp(source, () => source.empty)
    expect(opened).toEqual({ entries: [{ sequence: 3 }, { sequence: 4 }, { sequence: 5 }], hasOlder: true })
    expect(await reachBack(source, () => opened)).toEqual({ entries: upTo(5).map((sequence) => ({ sequence })), hasOlder: false })
  })

  it('catches up over several pages without a gap and reads no page too many', async () => {
    let head = 3
    const { source, reads } = logOf(() => upTo(head))
    const opened = await catchUp(source, () => source.empty)
    head = 9
    const grown = await catchUp(source, () => opened)
    expect(sequencesOf(grown)).toEqual(upTo(9))
    expect(reads).toEqual([undefined, undefined, 7])
  })

  it('takes what was read last where pages overlap, because a Message may have been corrected', async () => {
    const read = (words: string) => entrySource<Entry & { words: string }>(() => Promise.resolve({ entries: [{ sequence: 2, words }], hasOlder: false }))
    const opened = await catchUp(read('first'), () => ({ entries: [{ sequence: 1, words: 'kept' }], hasOlder: false }))
    expect((await catchUp(read('second'), () => opened)).entries).toEqual([{ sequence: 1, words: 'kept' }, { sequence: 2, words: 'second' }])
  })

  it('catches up where sequences are sparse, as in one Conversation', async () => {
    let sequences = [2, 9]
    const { source } = logOf(() => sequences)
    const opened = await catchUp(source, () => source.empty)
    sequences = [2, 9, 20, 33, 41, 57]
    expect(sequencesOf(await catchUp(source, () => opened))).toEqual(sequences)
  })

  it('starts over at the head rather than load an endless absence or leave a gap', async () => {
    let head = 3
    const { source } = logOf(() => upTo(head))
    const opened = await catchUp(source, () => source.empty)
    head = 300
    const grown = await catchUp(source, () => opened)
    expect(sequencesOf(grown)).toEqual([298, 299, 300])
    expect(grown.hasOlder).toBe(true)
  })

  it('keeps older pages that were joined while it caught up', async () => {
    const { source } = logOf(() => upTo(6))
    let held = await catchUp(source, () => source.empty)
    let answer = (): void => {}
    const slow = { ...source, load: async () => {
      await new Promise<void>((resolve) => (answer = resolve))
      return source.load(undefined)
    } }
    const catching = catchUp(slow, () => held)
    held = await reachBack(source, () => held)
    answer()
    expect(sequencesOf(await catching)).toEqual(upTo(6))
  })
})
