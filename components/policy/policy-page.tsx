'use client'

import { useState } from 'react'
import { PenLine } from 'lucide-react'
import { QueryState } from '../shell/query-state.tsx'
import { useSession, type PolicyView } from '../trpc.tsx'
import { Button } from '../ui/button.tsx'
import { PeerText } from '../ui/peer-text.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { Section } from '../ui/page-header.tsx'
import { SkeletonRows } from '../ui/skeleton.tsx'
import { visibleText } from '../ui/visible-text.ts'
import { keptDraft } from './kept-draft.ts'
import { PolicyForm } from './policy-form.tsx'
import { PolicyVersions } from './policy-versions.tsx'
import { policySections, type PolicyLine } from './policy-words.ts'
import { serviceNames, usePolicy, usePolicyVersions } from './use-policy.ts'

/** The policy in force for everybody to read, how it came to be, and for administrators the way to change it. */
export function PolicyPage() {
  const query = usePolicy()
  const isAdmin = useSession().data?.me?.isAdmin === true
  const [edited, setEdited] = useState<PolicyView>()
  return (
    <QueryState query={query} skeleton={<div className="pt-6"><SkeletonRows rows={12} /></div>}>
      {(view) =>
        edited === undefined ? (
          <>
            <Standing view={view} {...(isAdmin && { onChange: () => setEdited(view) })} />
            <Rules view={view} />
            <PolicyVersions current={view.policy.version} names={serviceNames(view)} />
          </>
        ) : (
          <PolicyForm key={edited.policy.version} base={edited} current={view} onRestart={() => setEdited(view)} onClose={() => setEdited(undefined)} />
        )
      }
    </QueryState>
  )
}

function Standing({ view: { policy }, onChange }: { readonly view: PolicyView; readonly onChange?: () => void }) {
  const latest = usePolicyVersions(policy.version).data?.find((version) => version.policy.version === policy.version)
  return (
    <div className="flex flex-wrap items-start justify-between gap-4 py-6">
      <div className="max-w-measure min-w-0">
        <p className="text-16 font-semibold">Version {policy.version} is in force</p>
        <p className="text-13 text-muted">
          {policy.version === 0 && 'It is the one that every server begins with. Nobody has changed it yet.'}
          {latest !== undefined && <>Put in force <RelativeTime at={latest.at} /> by <bdi className="font-medium text-ink">{visibleText(latest.by.name)}</bdi>: <PeerText text={latest.reason} /></>}
        </p>
      </div>
      {onChange === undefined ? <p className="text-13 text-muted">Administrators can change it.</p> : <Button variant="primary" icon={<PenLine aria-hidden className="size-4" />} onClick={onChange}>{keptDraft(policy) === undefined ? 'Change the policy' : 'Go on with your changes'}</Button>}
    </div>
  )
}

function Rules({ view }: { readonly view: PolicyView }) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-x-12 lg:grid-cols-2">
      {policySections(view.policy, serviceNames(view)).map(({ title, about, lines }) => (
        <Section key={title} title={title}>
          <p className="max-w-measure py-2 text-13 text-muted">{about}</p>
          {lines.length === 0 ? <p className="border-t py-2">Nothing: no service is named.</p> : <dl className="divide-y border-t">{lines.map((line) => <Line key={line.key} line={line} />)}</dl>}
        </Section>
      ))}
    </div>
  )
}

function Line({ line: { label, value, hint } }: { readonly line: PolicyLine }) {
  return (
    <div className="flex min-h-8 flex-wrap items-baseline justify-between gap-x-6 gap-y-0.5 py-1.5">
      <dt className="min-w-0">
        <bdi className="break-words">{visibleText(label)}</bdi>
        {hint !== undefined && <span className="block text-12 text-muted">{hint}</span>}
      </dt>
      <dd className="min-w-0 font-medium break-words"><bdi>{visibleText(value)}</bdi></dd>
    </div>
  )
}
