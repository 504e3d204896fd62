'use client'

import { useSyncExternalStore } from 'react'
import { createOutbox, type Outbox, type OutboxEntry } from './outbox.ts'

const listeners = new Set<() => void>()
const announce = () => listeners.forEach((wake) => wake())

let outbox: Outbox | undefined

/** The outbox of this browser, shared by its tabs. */
export function pageOutbox(): Outbox {
  if (outbox !== undefined) return outbox
  const stored = createOutbox(localStorage)
  outbox = {
    ...stored,
    keep: (entry) => {
      const isKept = stored.keep(entry)
      announce()
      return isKept
    },
    settle: (actionId) => {
      stored.settle(actionId)
      announce()
    },
  }
  return outbox
}

const NOTHING: readonly OutboxEntry[] = []
let last: { readonly key: string; readonly entries: readonly OutboxEntry[] } = { key: '', entries: NOTHING }

// useSyncExternalStore compares by identity, so an unchanged list keeps its array.
function snapshot(principalId: string): readonly OutboxEntry[] {
  const entries = pageOutbox().list(principalId)
  const key = `${principalId} ${entries.map((entry) => entry.actionId).join(' ')}`
  if (key !== last.key) last = { key, entries }
  return last.entries
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  window.addEventListener('storage', listener)
  return () => {
    listeners.delete(listener)
    window.removeEventListener('storage', listener)
  }
}

/** This person's signed Commands that the authority has not answered, oldest first; follows other tabs too. */
export function useUnansweredCommands(principalId: string | undefined): readonly OutboxEntry[] {
  return useSyncExternalStore(
    subscribe,
    () => (principalId === undefined ? NOTHING : snapshot(principalId)),
    () => NOTHING,
  )
}
