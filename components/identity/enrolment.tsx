'use client'

import { useState, useSyncExternalStore } from 'react'
import Link from 'next/link'
import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { QueryState } from '../shell/query-state.tsx'
import { HELD_KEYS, useCustodyProbe } from '../shell/use-held-keys.ts'
import type { RefusalWords } from '../signing/refusal-sentences.ts'
import { useSigner } from '../signing/signer-provider.tsx'
import { useTRPCClient } from '../trpc.tsx'
import { Button, buttonClass } from '../ui/button.tsx'
import { Field, Input } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { visibleText } from '../ui/visible-text.ts'
import { browserName } from './browser-name.ts'
import { CustodySentence } from './custody-sentence.tsx'
import { enrol } from './key-registration.ts'

function onHashChange(listener: () => void): () => void {
  window.addEventListener('hashchange', listener)
  return () => window.removeEventListener('hashchange', listener)
}

/** The token behind `#`, which browsers never send to a server; undefined while rendering on one. */
const useInvitationToken = (): string | undefined =>
  useSyncExternalStore(
    onHashChange,
    () => location.hash.slice(1),
    () => undefined,
  )

/** From an invitation link to a person with two keys. */
export function Enrolment() {
  const token = useInvitationToken()
  const api = useTRPCClient()
  const [enrolledAs, setEnrolledAs] = useState<string>()
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: token ? () => api.enrolment.look.mutate({ token }) : skipToken,
    staleTime: Infinity,
    retry: false,
  })
  if (enrolledAs !== undefined) return <Enrolled name={enrolledAs} />
  if (token === '') return <NoInvitation reason="The address holds no invitation." />
  return (
    <QueryState query={invitation} skeleton={<Skeleton className="h-48" />}>
      {(found) => (found.ok && token ? <EnrolmentForm token={token} invitedName={found.name} onEnrolled={setEnrolledAs} /> : <NoInvitation reason={found.ok ? '' : found.reason} />)}
    </QueryState>
  )
}

function NoInvitation({ reason }: { readonly reason: string }) {
  return (
    <>
      <h1 className="pb-4 text-28 font-semibold tracking-tight">This invitation does not work</h1>
      <Notice tone="fail" title={reason}>
        Open the whole link, with everything behind the # sign. If it was used or has run out, ask the administrator of this server for a new one.
      </Notice>
    </>
  )
}

interface EnrolmentFormProps {
  readonly token: string
  readonly invitedName: string
  readonly onEnrolled: (name: string) => void
}

function EnrolmentForm({ token, invitedName, onEnrolled }: EnrolmentFormProps) {
  const signer = useSigner()
  const api = useTRPCClient()
  const queryClient = useQueryClient()
  const probe = useCustodyProbe().data
  const [name, setName] = useState(invitedName)
  const [label, setLabel] = useState(() => browserName(navigator.userAgent))
  const [state, setState] = useState<'asking' | 'working' | RefusalWords>('asking')
  const isComplete = name.trim() !== '' && label.trim() !== '' && probe !== undefined && probe.custody !== 'none'

  const submit = async () => {
    setState('working')
    const outcome = await enrol({ signer, api }, { token, name: name.trim(), label: label.trim() })
    if (!outcome.ok) return setState(outcome.error)
    history.replaceState(null, '', location.pathname)
    onEnrolled(name.trim())
    await queryClient.invalidateQueries({ queryKey: HELD_KEYS })
    await queryClient.invalidateQueries()
  }
  return (
    <form
      className="grid gap-6"
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <header>
        <h1 className="text-28 font-semibold tracking-tight">
          {/* The owner's invitation, made at the first start, names nobody. */}
          {invitedName === '' ? 'Welcome' : <>Welcome, <bdi>{visibleText(invitedName)}</bdi></>}
        </h1>
        <p className="mt-2 text-muted">
          There is no password here. Two keys stand for you: one signs what you say, the other what you decide. Every decision is shown to you before that key signs it.
        </p>
      </header>
      <Field label="Your name" hint="As others will read it.">
        {(control) => <Input {...control} autoComplete="name" maxLength={200} value={name} onChange={(event) => setName(event.target.value)} />}
      </Field>
      <Field label="Name of this browser" hint="So that you can tell your keys apart.">
        {(control) => <Input {...control} maxLength={80} value={label} onChange={(event) => setLabel(event.target.value)} />}
      </Field>
      <CustodySentence probe={probe} />
      {typeof state === 'object' && <Notice tone="fail" title={state.happened}>{state.next}</Notice>}
      <div>
        <Button type="submit" variant="primary" size="lg" busy={state === 'working'} disabled={!isComplete} icon={<KeyRound aria-hidden className="size-4" />}>
          Make my keys and enrol
        </Button>
      </div>
    </form>
  )
}

function Enrolled({ name }: { readonly name: string }) {
  return (
    <div className="grid gap-6">
      <header>
        <h1 className="text-28 font-semibold tracking-tight">
          You are enrolled, <bdi>{visibleText(name)}</bdi>
        </h1>
        <p className="mt-2 text-muted">Both keys are in this browser and registered. Nobody else can sign as you, and nobody can restore these keys for you.</p>
      </header>
      <Notice title="Add a second key now">A browser’s data can be lost. A second key, kept as a file under a passphrase, lets you come back and go on signing. It takes a minute.</Notice>
      <div className="flex flex-wrap gap-2">
        <Link href="/keys" className={buttonClass('primary', 'lg')}>
          Add a second key
        </Link>
        <Link href="/" className={buttonClass('secondary', 'lg')}>
          Go to Home
        </Link>
      </div>
    </div>
  )
}
