'use client'

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { QueryState } from '../shell/query-state.tsx'
import { useTRPC, type TokenView } from '../trpc.tsx'
import { Section } from '../ui/page-header.tsx'
import { PrincipalName } from '../ui/principal-mark.tsx'
import { SkeletonRows } from '../ui/skeleton.tsx'
import { CredentialRow } from './credential-row.tsx'
import { doorName } from './doors.ts'

/** Tokens of all Agents, those in force first. What a token says is nowhere; its id tells them apart. */
export function TokenList() {
  const trpc = useTRPC()
  const tokens = useQuery(trpc.agents.tokens.queryOptions())
  return (
    <Section title="Tokens">
      <QueryState query={tokens} skeleton={<SkeletonRows rows={2} />}>
        {(all) => (all.length === 0 ? <p className="px-2 py-3 text-13 text-muted">None has been made.</p> : <ul className="divide-y">{[...all].sort(inForceFirst).map((token) => <TokenRow key={token.tokenId} token={token} />)}</ul>)}
      </QueryState>
    </Section>
  )
}

const inForceFirst = (a: TokenView, b: TokenView) => Number(a.revokedAt !== undefined) - Number(b.revokedAt !== undefined) || b.createdAt.localeCompare(a.createdAt)

function TokenRow({ token }: { readonly token: TokenView }) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const revoking = useMutation(trpc.agents.revokeToken.mutationOptions({ onSettled: () => queryClient.invalidateQueries(trpc.agents.tokens.pathFilter()) }))
  return (
    <CredentialRow
      what={`the token ${token.label} of ${token.agentName}`}
      id={token.tokenId}
      terms={token}
      isBusy={revoking.isPending}
      fault={revoking.error?.message}
      onRevoke={() => revoking.mutate({ tokenId: token.tokenId })}
    >
      <PrincipalName id={token.agentId} name={token.agentName} />
      {token.label !== token.agentName && <bdi className="text-13 text-muted">{token.label}</bdi>}
      <span className="text-13">{token.doors.map(doorName).join(', ')}</span>
    </CredentialRow>
  )
}
