'use client'

import { useSyncExternalStore } from 'react'
import { instantFromEpochMs } from '../../protocol/timestamp.ts'

// The authority judges freshness and leases by its own clock, so the page shows and signs that time, not the device's.
let offsetMs = 0

/** Learns the authority's clock from a time it stated and the local moment (milliseconds since 1970) that it was received. */
export function observeServerTime(serverTime: string, receivedAtMs: number): void {
  offsetMs = Date.parse(serverTime) - receivedAtMs
}

/** The authority's time, milliseconds since 1970. */
export const serverNowMs = (): number => Date.now() + offsetMs

/** The authority's time as a protocol timestamp. */
export const serverNow = (): string => instantFromEpochMs(serverNowMs())

const listeners = new Set<() => void>()
let ticking: ReturnType<typeof setInterval> | undefined

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  ticking ??= setInterval(() => listeners.forEach((wake) => wake()), 1000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(ticking)
    ticking = undefined
  }
}

/** The authority's time, re-read every `stepMs`: one timer serves every clock on the page, and a minute clock renders once a minute. */
export function useServerNow(stepMs: number): number {
  return useSyncExternalStore(
    subscribe,
    () => Math.floor(serverNowMs() / stepMs) * stepMs,
    () => 0,
  )
}
