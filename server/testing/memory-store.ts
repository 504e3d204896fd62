// A Store in memory, under the same contract suite as the one on PostgreSQL (store-contract.ts).
import { instantFromEpochMs } from '../../protocol/timestamp.ts'
import type { Clock, Store, WakeUps } from '../service/ports.ts'
import { createMemoryCredentials } from './memory-credentials.ts'
import { createMemoryDirectory } from './memory-directory.ts'
import { createMemoryIap } from './memory-iap.ts'
import { createMemoryOpenSpaces } from './memory-open-spaces.ts'
import { createMemorySpaces, Tables } from './memory-spaces.ts'

/** An empty Store. Nothing is shared between two of them; `clock` replaces the system's. */
export function createMemoryStore({ clock = systemClock() }: { clock?: Clock } = {}): Store {
  const tables = new Tables()
  const { log, readModels, rulings } = createMemorySpaces(tables)
  const directory = createMemoryDirectory()
  return {
    log: refusingNul(log),
    readModels: refusingNul(readModels),
    // Cards are kept as bytes, and audit entries with U+FFFD and as JSON.
    directory: { ...refusingNul(directory), putCard: directory.putCard, addAuditEntry: directory.addAuditEntry },
    rulings: { ...refusingNul(rulings), add: rulings.add },
    credentials: refusingNul(createMemoryCredentials()),
    openSpaces: refusingNul(createMemoryOpenSpaces(tables, directory)),
    iap: refusingNul(createMemoryIap()),
    iapSeat: { hold: (holder) => holder.taken(), leave: async () => {} },
    clock,
    wakeUps: createWakeUps(),
    close: async () => {},
  }
}

/** What PostgreSQL does with U+0000 in a text, written or asked for: it refuses (22021), and nothing happens. */
function refusingNul<T extends object>(port: T): T {
  const members = Object.entries(port) as [string, (...args: unknown[]) => unknown][]
  const refusing = members.map(([name, act]) => [name, async (...args: unknown[]) => (holdsNul(args) ? Promise.reject(new Error(`${name}: invalid byte sequence for encoding "UTF8": 0x00`)) : act(...args))])
  return Object.fromEntries(refusing) as T
}

/** Bytes may hold anything, and the title of a Mission is stored with U+FFFD. */
function holdsNul(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0')
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return false
  return Object.entries(value).some(([name, member]) => name !== 'title' && holdsNul(member))
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
