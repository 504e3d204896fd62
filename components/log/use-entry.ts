'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { decodeBase64url } from '../../protocol/base64url.ts'
import { useMission } from '../mission/mission-context.tsx'
import { useSession, useTRPCClient } from '../trpc.tsx'
import { createTurns } from './turns.ts'
import type { EntryCheck } from './verify-entry.ts'
import { verifyEntry } from './verify-entry.ts'

const inTurn = createTurns(() => new Promise((resolve) => setTimeout(resolve)))

export interface EntryState {
  readonly check: EntryCheck | undefined
  readonly error: Error | null
  readonly retry: () => void
}

/**
 * The exact bytes of one entry, fetched and verified on this machine. An entry never changes, so its check is made once
 * and outside the keys that the live feed refreshes.
 */
export function useEntry(sequence: number, isWanted = true): EntryState {
  const client = useTRPCClient()
  const { missionId, groupId } = useMission()
  const authority = useSession().data?.authority
  const query = useQuery({
    queryKey: ['entry', missionId, sequence, authority?.keyId],
    enabled: isWanted && authority !== undefined,
    staleTime: Infinity,
    structuralSharing: false,
    queryFn: async (): Promise<EntryCheck> => {
      const { bytes, commandBytes } = await client.missions.event.query({ missionId, sequence })
      const [event, command] = [decodeBase64url(bytes), commandBytes === undefined ? undefined : decodeBase64url(commandBytes)]
      if (!event) return { state: 'failed', stage: 'the bytes did not arrive whole' }
      return inTurn(() => verifyEntry({ event, command }, { groupId, sequence }, authority!))
    },
  })
  return { check: query.data, error: query.error, retry: () => void query.refetch() }
}

/** What an entry says in one line and which older entries it links to, as the graph has it. */
export function useEntryNode(sequence: number) {
  const client = useTRPCClient()
  const { missionId } = useMission()
  return useQuery({
    queryKey: ['entry-node', missionId, sequence],
    staleTime: Infinity,
    placeholderData: keepPreviousData,
    queryFn: async () => {
      const page = await client.missions.graph.query({ missionId, before: sequence + 1, limit: 1 })
      const node = page.nodes.find((candidate) => candidate.sequence === sequence) ?? null
      return { node, links: page.edges.filter((edge) => edge.child === sequence) }
    },
  })
}
