// A Store in memory, under the same contract suite as the one on PostgreSQL (store-contract.ts).
import { instantFromEpochMs } from '../../protocol/timestamp.ts'
import type { Clock, Store, WakeUps } from '../service/ports.ts'
import { createMemoryDirectory } from './memory-directory.ts'
import { createMemorySpaces } from './memory-spaces.ts'

/** An empty Store. Nothing is shared between two of them; `clock` replaces the system's. */
export function createMemoryStore({ clock = systemClock() }: { clock?: Clock } = {}): Store {
  return { ...createMemorySpaces(), directory: createMemoryDirectory(), clock, wakeUps: createWakeUps(), close: async () => {} }
}

function systemClock(): Clock {
  let lastMs = 0
  const nowMs = () => (lastMs = Math.max(lastMs, Date.now()))
  return { nowMs, now: () => instantFromEpochMs(nowMs()) }
}

function createWakeUps(): WakeUps {
  const listeners = new Set<(spaceId: string) => void>()
  return {
    publish: (spaceId) => listeners.forEach((listener) => listener(spaceId)),
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
