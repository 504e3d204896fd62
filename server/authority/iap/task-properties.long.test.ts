// What holds for every I.A.P. task, in whatever order messages, departures and timers come.
import { describe, expect, it } from 'vitest'
import { IapTask, PROPOSER } from '../../testing/iap-task.ts'
import { RandomSource } from '../../testing/random-source.ts'
import { isTerminal } from '../../../protocol/iap/task-status.ts'
import { nextDue } from './absence.ts'
import { foldTask } from './evolve-task.ts'
import type { TaskRecord } from './records.ts'
import { contentTypeOf, recordFromSpace, spaceContentOf } from './records.ts'
import { replaySelection } from './selection.ts'

const RUNS = 3000
const AGENTS = ['b', 'c', 'd', 'e']

const pick = <T>(random: RandomSource, items: readonly T[]): T => items[random.below(items.length)]!

function randomEvent(task: IapTask, random: RandomSource): void {
  const agent = (random.chance(0.4) ? task.state?.holding?.agent.agentId : undefined) ?? pick(random, AGENTS)
  const fence = random.chance(0.3) ? pick(random, ['old', task.state?.holding?.assignmentId ?? 'none']) : undefined
  const events: readonly (() => unknown)[] = [
    () => task.bid(agent, { estimatedCost: random.below(120), estimatedLatency: random.below(9000), queueDepth: random.below(3), confidence: random.below(11) / 10 }),
    () => task.bid(agent),
    () => task.bid(agent, { estimatedCost: 10 }),
    () => task.accept(agent, fence),
    () => task.accept(agent),
    () => task.reject(agent, pick(random, [undefined, 'AGENT_OVERLOAD'])),
    () => task.complete(agent, fence === undefined ? {} : { assignmentId: fence }, random.chance(0.3) ? 'does not fit' : undefined),
    () => task.part(agent, random.below(2)),
    () => task.due(),
    () => task.act({ type: 'due' }),
    () => task.leave(agent, pick(random, ['departed', 'lost'] as const)),
    () => {
      const isTakeover = task.agent(agent).isOnline
      task.agent(agent).isOnline = true
      return task.act({ type: 'returned', agentId: agent, isTakeover })
    },
    () => void (task.agent(agent).freeSlots = random.below(3)),
    () => (random.chance(0.1) ? task.act({ type: 'cancel', by: PROPOSER }) : task.propose()),
  ]
  task.nowMs += random.below(300)
  pick(random, events)()
}

function randomTask(seed: number): IapTask {
  const random = new RandomSource(seed)
  const task = new IapTask(...AGENTS)
  task.seed = String(seed)
  task.propose(random.chance(0.8) ? {} : { maxLatency: random.below(2000), maxCost: random.below(100) })
  for (let step = 0; step < 50; step++) randomEvent(task, random)
  return task
}

/** Who has the task after each record, judged from the log alone; a second holder at once is a fault. */
function holdersOf(records: readonly TaskRecord[]): readonly string[] {
  let holder: string | undefined
  return records.flatMap((record) => {
    if (record.type === 'task_assignment') {
      if (holder !== undefined) return [`${record.content.agentId} beside ${holder}`]
      holder = record.content.agentId
    }
    if (record.type === 'task_acceptance' && record.author !== holder) return [`${record.author} accepted what ${String(holder)} has`]
    if (record.type === 'task_result' && record.content.refused === undefined && record.author !== holder) return [`${record.author} completed what ${String(holder)} has`]
    if (record.type === 'task_rejection' || record.type === 'task_release') holder = undefined
    return []
  })
}

const tasks = Array.from({ length: RUNS }, (_, seed) => randomTask(seed))
const everyRecord = tasks.flatMap(({ records }) => records)

describe('IAP 1.4 to 1.10 in any order', () => {
  it('a task is in one agent’s hands at most', () => {
    for (const { records } of tasks) expect(holdersOf(records)).toEqual([])
  })

  it('every selection can be made again from its record, and chose an eligible bid that it refers to', () => {
    const selections = everyRecord.flatMap((record) => (record.type === 'task_assignment' ? [record] : []))
    expect(selections.length).toBeGreaterThan(RUNS / 2)
    for (const { content, refs } of selections) {
      const selection = JSON.parse(JSON.stringify(content.selection)) as typeof content.selection
      expect(replaySelection(selection)).toBe(content.selection.winner)
      expect(refs).toEqual([selection.winner, ...selection.candidates.map(({ bid }) => bid).filter((bid) => bid !== selection.winner)])
    }
  })

  it('the records in the Space alone lead to the state', () => {
    for (const { records, state } of tasks) {
      const inSpace = records.map((record) => [contentTypeOf(record), JSON.stringify(spaceContentOf(record))] as const)
      expect(foldTask(inSpace.map(([type, content]) => recordFromSpace(type, JSON.parse(content) as Record<string, unknown>)))).toEqual(state)
    }
  })

  it('a record refers to earlier ones of the kinds that the graph draws', () => {
    const kinds: Readonly<Record<string, readonly string[]>> = {
      task_bid: ['task_proposal'], task_assignment: ['task_bid'], task_acceptance: ['task_assignment'], task_rejection: ['task_assignment'], task_partial_result: ['task_acceptance'],
    }
    for (const { records } of tasks) {
      for (const { type, refs, ordinal } of records) {
        expect(refs.every((ref) => ref < ordinal)).toBe(true)
        const allowed = kinds[type]
        if (allowed) expect(refs.every((ref) => allowed.includes(records[ref]!.type))).toBe(true)
      }
    }
  })

  it('an applied result refers to an acceptance of the same agent, and nothing but evidence follows an end', () => {
    for (const { records } of tasks) {
      const applied = records.filter((record) => record.type === 'task_result' && record.content.refused === undefined)
      expect(applied.length).toBeLessThanOrEqual(1)
      for (const { refs, author } of applied) expect(records[refs[0]!]).toMatchObject({ type: 'task_acceptance', author })
      const end = records.findIndex((record) => ['task_failure', 'task_cancellation'].includes(record.type) || applied.includes(record))
      if (end >= 0) expect(records.slice(end + 1).every((record) => record.type === 'task_result' && record.content.refused !== undefined)).toBe(true)
    }
  })

  it('no two messages have one id', () => {
    for (const { messages } of tasks) expect(new Set(messages.map(({ messageId }) => messageId)).size).toBe(messages.length)
  })

  it('timers alone bring every task to its end, and the proposer hears of it', () => {
    for (const task of tasks) {
      for (let rings = 0; rings < 20 && nextDue(task.state!) !== undefined; rings++) task.due()
      expect(isTerminal(task.state!.status)).toBe(true)
      if (task.state!.status !== 'cancelled') expect(task.sentTo(PROPOSER).filter((type) => type === 'TASK_RESULT' || type === 'ERROR')).toHaveLength(1)
    }
  })

  it('and the histories reach every kind of record that they can', () => {
    expect(new Set(everyRecord.map(({ type }) => type))).toEqual(new Set([
      'task_proposal', 'task_broadcast', 'task_bid', 'task_assignment', 'task_acceptance', 'task_rejection', 'task_release', 'task_fence', 'assignee_lost', 'assignee_returned', 'task_partial_result', 'task_result', 'task_failure', 'task_cancellation',
    ]))
  })
})
