'use client'

import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { NameHints } from '../signing/signer.ts'
import { useTRPC, useTRPCClient, type PolicyView } from '../trpc.tsx'

/** Nobody is a member of the policy's Space, so no live feed tells of it. */
const LOOK_AGAIN_MS = 20_000
const VERSIONS = 10

/** The policy in force, and the services that it can name. */
export function usePolicy() {
  return useQuery({ ...useTRPC().policy.view.queryOptions(), refetchInterval: LOOK_AGAIN_MS })
}

/** Names of the services, for sentences and for the dialog that signs. */
export const serviceNames = ({ services }: PolicyView): NameHints => Object.fromEntries(services.map(({ serviceId, name }) => [serviceId, name]))

/** Versions that were put in force, newest first, page by page; read again when another than `current` comes into force. */
export function usePolicyVersions(current: number) {
  const client = useTRPCClient()
  return useInfiniteQuery({
    queryKey: [['policy', 'versions'], { input: { limit: VERSIONS } }, current],
    queryFn: ({ pageParam }) => client.policy.versions.query({ limit: VERSIONS, ...(pageParam !== undefined && { before: pageParam }) }),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ versions, hasOlder }) => (hasOlder ? versions.at(-1)?.policy.version : undefined),
    select: ({ pages }) => pages.flatMap((page) => page.versions),
  })
}

export interface RulingFilter { readonly groupId?: string; readonly outcome?: 'allowed' | 'refused' }
const RULINGS = 50

/** Rulings of the Policy Log, newest first. The first page is looked at again; further ones hold what does not change. */
export function useRulings(filter: RulingFilter, isWanted: boolean) {
  const client = useTRPCClient()
  const input = { limit: RULINGS, ...filter }
  return useInfiniteQuery({
    queryKey: [['policy', 'rulings'], { input }],
    enabled: isWanted,
    queryFn: ({ pageParam }) => client.policy.rulings.query({ ...input, ...(pageParam !== undefined && { before: pageParam }) }),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ lines, hasOlder }) => (hasOlder ? lines.at(-1)?.entry : undefined),
    select: ({ pages }) => pages.flatMap((page) => page.lines),
    refetchInterval: ({ state }) => (state.data !== undefined && state.data.pages.length > 1 ? false : LOOK_AGAIN_MS),
  })
}
