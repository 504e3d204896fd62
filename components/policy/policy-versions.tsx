'use client'

import { ArrowRight } from 'lucide-react'
import type { NameHints } from '../signing/signer.ts'
import { QueryState } from '../shell/query-state.tsx'
import type { PolicyVersionView } from '../trpc.tsx'
import { Button } from '../ui/button.tsx'
import { Section } from '../ui/page-header.tsx'
import { PeerText } from '../ui/peer-text.tsx'
import { PrincipalName } from '../ui/principal-mark.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { SkeletonRows } from '../ui/skeleton.tsx'
import { visibleText } from '../ui/visible-text.ts'
import { policyDifferences, type PolicyDifference } from './policy-words.ts'
import { usePolicyVersions } from './use-policy.ts'

/** Who put which version in force, why, and what it changed. */
export function PolicyVersions({ current, names }: { readonly current: number; readonly names: NameHints }) {
  const versions = usePolicyVersions(current)
  return (
    <Section title="Versions">
      <QueryState query={versions} skeleton={<SkeletonRows rows={2} />}>
        {(all) => (all.length === 0 ? <p className="py-3 text-13 text-muted">Version 0 is the only one so far.</p> : <ol className="grid grid-cols-[minmax(0,1fr)] gap-6 pt-4">{all.map((version) => <Version key={version.policy.version} version={version} names={names} />)}</ol>)}
      </QueryState>
      {versions.hasNextPage && <Button busy={versions.isFetchingNextPage} onClick={() => void versions.fetchNextPage()} className="mt-4">Show older versions</Button>}
    </Section>
  )
}

function Version({ version: { policy, previous, by, at, reason }, names }: { readonly version: PolicyVersionView; readonly names: NameHints }) {
  return (
    <li className="grid gap-1 border-l-2 border-ink pl-3">
      <p className="flex flex-wrap items-center gap-x-3">
        <span className="font-medium">Version {policy.version}</span>
        <PrincipalName id={by.id} name={by.name} />
        <RelativeTime at={at} className="text-13 text-muted" />
      </p>
      <PeerText text={reason} className="max-w-measure" />
      <Differences differences={policyDifferences(previous, policy, names)} />
    </li>
  )
}

/** What one version says otherwise than another, line by line. */
export function Differences({ differences }: { readonly differences: readonly PolicyDifference[] }) {
  if (differences.length === 0) return <p className="text-13 text-muted">It says the same as the version before.</p>
  return (
    <ul className="grid gap-1 text-13">
      {differences.map(({ key, section, label, before, after }) => (
        <li key={key} className="flex flex-wrap items-baseline gap-x-2 break-words">
          <span className="text-muted">{section}:</span>
          <bdi>{visibleText(label)}</bdi>
          <bdi className="text-past line-through"><span className="sr-only">from </span>{visibleText(before)}</bdi>
          <ArrowRight role="img" aria-label="to" className="size-3.5 shrink-0 self-center text-muted" />
          <bdi className="font-semibold">{visibleText(after)}</bdi>
        </li>
      ))}
    </ul>
  )
}
