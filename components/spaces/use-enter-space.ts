'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../trpc.tsx'

/** Enters the Space of a name, which creates it when there is none; what is shown of Spaces is read again. */
export function useEnterSpace() {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  return useMutation(trpc.spaces.enter.mutationOptions({ onSuccess: () => queryClient.invalidateQueries({ queryKey: trpc.spaces.pathKey() }) }))
}
