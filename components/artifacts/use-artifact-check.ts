'use client'

import { useQueries, useQuery, type UseQueryOptions } from '@tanstack/react-query'
import { artifactPath } from '../mission/mission-paths.ts'
import type { ArtifactCheck, ArtifactClaim } from './artifact-check.ts'
import { checkArtifact } from './artifact-check.ts'

const CHECKING: ArtifactCheck = { state: 'checking' }

/** Fetches the bytes and hashes them on this machine. Never throws: what cannot be read is an outcome. */
async function loadAndCheck(claim: ArtifactClaim): Promise<ArtifactCheck> {
  try {
    const response = await fetch(artifactPath(claim.contentHash), { credentials: 'same-origin' })
    if (response.status === 404) return { state: 'unreadable', reason: 'the server does not have it, or does not show it to you' }
    if (!response.ok) return { state: 'unreadable', reason: `the server answered ${response.status}` }
    return checkArtifact(claim, new Uint8Array(await response.arrayBuffer()))
  } catch {
    return { state: 'unreadable', reason: 'the server did not answer' }
  }
}

// Content never changes under its hash, so one outcome serves the page; only a person asks again.
const options = ({ contentHash, sizeBytes, mediaType }: ArtifactClaim) => ({
  queryKey: ['artifact-check', contentHash, sizeBytes, mediaType],
  queryFn: () => loadAndCheck({ contentHash, sizeBytes, mediaType }),
  staleTime: Infinity,
  structuralSharing: false,
}) satisfies UseQueryOptions<ArtifactCheck>

export interface CheckedArtifact {
  readonly check: ArtifactCheck
  readonly again: () => void
}

/** The check of one artifact, started when it is first shown. */
export function useArtifactCheck(claim: ArtifactClaim): CheckedArtifact {
  return outcomeOf(useQuery(options(claim)))
}

/** The checks of several artifacts, by content hash. */
export function useArtifactChecks(claims: readonly ArtifactClaim[]): ReadonlyMap<string, CheckedArtifact> {
  const distinct = [...new Map(claims.map((claim) => [claim.contentHash, claim])).values()]
  const queries = useQueries({ queries: distinct.map(options) })
  return new Map(distinct.map(({ contentHash }, at) => [contentHash, outcomeOf(queries[at]!)]))
}

/** A failed check that is tried again is being checked; a match stands, because content never changes under its hash. */
function outcomeOf({ data, isFetching, refetch }: { data: ArtifactCheck | undefined; isFetching: boolean; refetch: () => unknown }): CheckedArtifact {
  const check = data === undefined || (isFetching && data.state !== 'match') ? CHECKING : data
  return { check, again: () => void refetch() }
}
