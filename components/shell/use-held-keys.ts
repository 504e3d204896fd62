'use client'

import { useQuery } from '@tanstack/react-query'
import { useSigner } from '../signing/signer-provider.tsx'

export const HELD_KEYS = ['held-keys'] as const

/** Keys in this browser, registered or not. Invalidate {@link HELD_KEYS} after making, taking in or removing one. */
export function useHeldKeys() {
  const signer = useSigner()
  return useQuery({ queryKey: HELD_KEYS, queryFn: () => signer.listKeys(), staleTime: Infinity, networkMode: 'always', retry: false })
}

/** How this browser can hold keys, found out by doing it once per page. */
export function useCustodyProbe() {
  const signer = useSigner()
  return useQuery({ queryKey: ['custody-probe'], queryFn: () => signer.probe(), staleTime: Infinity, networkMode: 'always', retry: false })
}
