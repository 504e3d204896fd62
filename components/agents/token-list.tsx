'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { counted } from '../mission/counted.ts'
import { useTRPC, type TokenView } from '../trpc.tsx'
import { useServerNow } from '../ui/clock.ts'
import { Section } from '../ui/page-header.tsx'
import { PrincipalName } from '../ui/principal-mark.tsx'
import { visibleText } from '../ui/visible-text.ts'
import { CredentialRow, isOver } from './credential-row.tsx'
import { doorName } from './doors.ts'

/** The tokens of one Agent; those that are over stand folded away. What a token says is nowhere; its id tells them apart. */
export function Tokens({ tokens }: { readonly tokens: readonly TokenView[] }) {
  const nowMs = useServerNow(60_000)
  const newestFirst = [...tokens].sort((a, b) => b.createdAt.localeCompare(a.createdAt))
  const ended = newestFirst.filter((token) => isOver(token, nowMs))
  const inForce = newestFirst.filter((token) => !isOver(token, nowMs))
  return (
    <>
      {inForce.length > 0 && <ul aria-label="Tokens" className="divide-y border-t">{inForce.map((token) => <TokenRow key={token.tokenId} token={token} isLast={inForce.length === 1} />)}</ul>}
      {ended.length > 0 && (
        <details className="border-t pt-1 text-13">
          <summary className="text-muted">{counted(ended.length, 'token')} that {ended.length === 1 ? 'is' : 'are'} over</summary>
          <ul className="divide-y">{ended.map((token) => <TokenRow key={token.tokenId} token={token} isLast={false} />)}</ul>
        </details>
      )}
    </>
  )
}

/** Tokens of Nodes that registered themselves with an access key: they have no card, and so no place in the list of Agents. */
export function TokensOfNodes({ tokens }: { readonly tokens: readonly TokenView[] }) {
  if (tokens.length === 0) return null
  const holders = [...new Map(tokens.map((token) => [token.agentId, token.agentName]))]
  return (
    <Section title="Nodes that registered themselves">
      <p className="max-w-measure px-2 pt-3 text-13 text-muted">They came with an access key, talk in open Spaces, and take part in no mission.</p>
      <ul className="divide-y">
        {holders.map(([id, name]) => (
          <li key={id} className="grid gap-1 px-2 py-3">
            <PrincipalName id={id} name={name} />
            <Tokens tokens={tokens.filter(({ agentId }) => agentId === id)} />
          </li>
        ))}
      </ul>
    </Section>
  )
}

function TokenRow({ token, isLast }: { readonly token: TokenView; readonly isLast: boolean }) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const revoking = useMutation(trpc.agents.revokeToken.mutationOptions({ onSettled: () => queryClient.invalidateQueries(trpc.agents.pathFilter()) }))
  const doors = token.doors.map(doorName).join(', ')
  return (
    <CredentialRow
      what={`the token ${visibleText(token.label)} of ${visibleText(token.agentName)}`}
      id={token.tokenId}
      terms={token}
      isBusy={revoking.isPending}
      fault={revoking.error?.message}
      consequence={`What it has opened closes at once${isLast ? `, and ${visibleText(token.agentName)} cannot come in by ${doors} until it has another. Work that it holds stays its own until the lease runs out.` : '; its other tokens stay good.'}`}
      onRevoke={() => revoking.mutate({ tokenId: token.tokenId })}
    >
      <bdi className="text-13 font-medium break-words">{visibleText(token.label)}</bdi>
      <span className="text-13 text-muted">token for {doors}</span>
    </CredentialRow>
  )
}
