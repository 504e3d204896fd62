// When a Worker expects to start and finish, said so that neither other Groups nor places in a queue can be read from it.
import type { ScheduleEstimate } from '../protocol/generated/types.ts'

/** What a Worker knows of its own load. */
export interface Load {
  readonly nowMs: number
  readonly slots: number
  /** Items that hold a slot, and items that wait, over all Groups. */
  readonly active: number
  readonly queued: number
  /** Mean length of an execution so far. */
  readonly meanMs: number
}

/** Expected times of waiting work are rounded up to this. */
const WINDOW_MS = 5 * 60_000
const CONFIDENCE = { available: 0.8, queued: 0.5, constrained: 0.3 } as const

/** The forecast for one more item with this deadline. `constrained`: it is not expected to be done by then. */
export function forecast({ nowMs, slots, active, queued, meanMs }: Load, deadlineMs: number): ScheduleEstimate {
  const ahead = active + queued
  const isFree = ahead < slots
  const startMs = isFree ? nowMs : roundUp(nowMs + (Math.ceil((ahead - slots + 1) / slots) * meanMs))
  const endMs = roundUp(startMs + meanMs)
  const capacityStatus = endMs > deadlineMs ? 'constrained' : isFree ? 'available' : 'queued'
  return {
    estimatedStart: new Date(startMs).toISOString(),
    estimatedCompletion: new Date(endMs).toISOString(),
    confidence: CONFIDENCE[capacityStatus],
    capacityStatus,
    lastCalculatedAt: new Date(nowMs).toISOString(),
  }
}

const roundUp = (ms: number): number => Math.ceil(ms / WINDOW_MS) * WINDOW_MS

/** The forecast as a sentence for a Conversation. */
export function forecastSentence({ estimatedStart, estimatedCompletion, confidence }: ScheduleEstimate): string {
  const time = (at: string) => `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`
  return `Paused for more urgent work. Expected to go on by ${time(estimatedStart)} and to be done by ${time(estimatedCompletion)} (confidence ${Math.round(confidence * 100)} %).`
}
