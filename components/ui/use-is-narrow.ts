'use client'

import { useSyncExternalStore } from 'react'

/** Below Tailwind's `sm`: a phone held upright. */
const NARROW = '(width < 40rem)'

function subscribe(onChange: () => void): () => void {
  const query = window.matchMedia(NARROW)
  query.addEventListener('change', onChange)
  return () => query.removeEventListener('change', onChange)
}

/** Whether the window is as narrow as a phone; false before it is known. */
export const useIsNarrow = (): boolean => useSyncExternalStore(subscribe, () => window.matchMedia(NARROW).matches, () => false)
