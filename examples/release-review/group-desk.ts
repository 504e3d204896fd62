// What every agent here shares: one desk per Group, which takes in Events and acts when something is due.
import { setTimeout as sleep } from 'node:timers/promises'
import type { EventDocument } from '../../protocol/generated/types.ts'
import type { AgentClient, GroupEntry, GroupMirror } from '../../sdk/index.ts'

const RETRY_MS = 2_000
/** Longest time without a look at what is due. */
const LONGEST_WAIT_MS = 60_000

export interface Desk {
  /** Takes in the next Event of the Group, from the first on. */
  take(event: EventDocument): void
  /** Does what is due; resolves with the time at which to act again if nothing happens before, in milliseconds since 1970. */
  act(): Promise<number | undefined>
  /** Nothing will ever be due here again. */
  readonly isDone: boolean
}

/** How far a desk has read. */
export interface Reading {
  /** Resolves once the Event with this sequence has been taken in, or no further ones will be. */
  reached(sequence: number | undefined): Promise<void>
  /** Makes the desk act soon. */
  wake(): void
}

export type OpenDesk = (entry: GroupEntry, reading: Reading) => Desk
type Report = (line: string) => void

/** Approved, cancelled and failed Missions never change again. */
export function isFinal({ mission }: GroupMirror): boolean {
  return mission !== undefined && mission.state !== 'active' && mission.state !== 'awaiting_approval'
}

/**
 * Opens a desk in every Group in which the Agent has this role, now and later, until the client is over. What goes wrong
 * at a desk is reported and tried again.
 */
export async function workInGroups(client: AgentClient, role: string, openDesk: OpenDesk, report: Report): Promise<void> {
  const open = new Set<string>()
  let isOver = false
  void client.over.then(() => (isOver = true))
  for await (const groups of client.watchGroups()) {
    for (const entry of groups) {
      if (entry.role !== role || entry.state !== 'active' || open.has(entry.groupId)) continue
      open.add(entry.groupId)
      void keepDesk(client, entry, openDesk, { report, isOver: () => isOver }).then((isDone) => isDone || open.delete(entry.groupId))
    }
  }
}

/** True when nothing will be due in this Group again; false when the Membership or the client has ended. */
async function keepDesk(client: AgentClient, entry: GroupEntry, openDesk: OpenDesk, session: { report: Report; isOver: () => boolean }): Promise<boolean> {
  while (!session.isOver()) {
    const reader = new GroupReader()
    const desk = openDesk(entry, reader)
    const acting = actOn(desk, reader, { head: entry.head, ...session })
    try {
      await reader.read(client.subscribe(entry.groupId, { after: 0 }), desk)
      return desk.isDone
    } catch (fault) {
      if (!session.isOver()) session.report(`reads a mission again from the start: ${wordsOf(fault)}`)
    } finally {
      await acting
    }
    await sleep(RETRY_MS)
  }
  return false
}

/** Acts only once the history is in: what is due depends on all of it. */
async function actOn(desk: Desk, reader: GroupReader, { head, report, isOver }: { head: number; report: Report; isOver: () => boolean }): Promise<void> {
  await reader.reached(head)
  while (!reader.isOver && !isOver()) {
    const seen = reader.changes
    const wakeAtMs = await desk.act().catch((fault: unknown) => {
      if (!isOver()) report(`tries again: ${wordsOf(fault)}`)
      return Date.now() + RETRY_MS
    })
    await reader.changedSince(seen, Math.min(LONGEST_WAIT_MS, (wakeAtMs ?? Infinity) - Date.now()))
  }
}

const wordsOf = (fault: unknown): string => (fault instanceof Error ? fault.message : String(fault))

class GroupReader implements Reading {
  /** Counts Events and wake-ups. */
  changes = 0
  isOver = false
  #position = 0
  readonly #waiting = new Set<() => void>()

  async read(events: AsyncIterable<EventDocument>, desk: Desk): Promise<void> {
    try {
      for await (const event of events) {
        desk.take(event)
        this.#position = event.sequence ?? this.#position
        this.wake()
        if (desk.isDone) return
      }
    } finally {
      this.isOver = true
      this.wake()
    }
  }

  async reached(sequence = 0): Promise<void> {
    while (this.#position < sequence && !this.isOver) await new Promise<void>((resume) => this.#waiting.add(resume))
  }

  /** Resolves at once when `changes` is no longer `seen`, else with the next change or after the time. */
  async changedSince(seen: number, ms: number): Promise<void> {
    if (this.changes !== seen || ms <= 0) return
    await new Promise<void>((resume) => {
      const timer = setTimeout(resume, ms)
      this.#waiting.add(() => {
        clearTimeout(timer)
        resume()
      })
    })
  }

  wake(): void {
    this.changes += 1
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const resume of waiting) resume()
  }
}
