'use client'

import { useState } from 'react'
import { useRouter, useSearchParams } from 'next/navigation'
import { useQueryClient } from '@tanstack/react-query'
import { QueryState } from '../shell/query-state.tsx'
import { useHeldKeys } from '../shell/use-held-keys.ts'
import type { RefusalWords } from '../signing/refusal-sentences.ts'
import { useSigner } from '../signing/signer-provider.tsx'
import type { HeldKey, KeyBinding } from '../signing/signer.ts'
import { useTRPCClient } from '../trpc.tsx'
import { Button } from '../ui/button.tsx'
import { Snippet } from '../ui/copy-button.tsx'
import { Notice } from '../ui/notice.tsx'
import { PrincipalMark } from '../ui/principal-mark.tsx'
import { SkeletonRows } from '../ui/skeleton.tsx'
import { visibleText } from '../ui/visible-text.ts'
import { KeyFileInput } from './key-file-input.tsx'
import { signIn } from './key-registration.ts'
import { pathAfterSignIn } from './path-after-sign-in.ts'

type RegisteredHeldKey = HeldKey & { readonly binding: KeyBinding }

/** Signing in is signing a challenge with a key of this browser. */
export function SignIn() {
  const held = useHeldKeys()
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-8">
      <header>
        <h1 className="text-28 font-semibold tracking-tight">Sign in</h1>
        <p className="mt-2 text-muted">There is no password: a key in this browser signs a challenge of the server.</p>
      </header>
      <QueryState query={held} skeleton={<SkeletonRows rows={2} />}>
        {(keys) => <People keys={keysToSignInWith(keys)} />}
      </QueryState>
    </div>
  )
}

/** One key per person: the conversation key where there is one, because it needs no dialog. */
function keysToSignInWith(keys: readonly HeldKey[]): readonly RegisteredHeldKey[] {
  const registered = keys.filter((key): key is RegisteredHeldKey => key.binding !== undefined)
  const best = new Map<string, RegisteredHeldKey>()
  for (const key of registered) {
    const known = best.get(key.binding.principalId)
    if (known === undefined || (known.use === 'authority' && key.use === 'conversation')) best.set(key.binding.principalId, key)
  }
  return [...best.values()]
}

function People({ keys }: { readonly keys: readonly RegisteredHeldKey[] }) {
  const { enter, entering, refusal } = useSignIn()
  if (keys.length === 0) return <NoKeyHere />
  return (
    <>
      {refusal !== undefined && <Notice tone="fail" title={refusal.happened}>{refusal.next}</Notice>}
      <ul className="grid grid-cols-[minmax(0,1fr)] gap-2">
        {keys.map((key) => (
          <li key={key.publicKey} className="flex items-center gap-3 rounded-md border bg-raised p-4">
            <PrincipalMark id={key.binding.principalId} size="lg" />
            <span className="min-w-0 flex-1">
              <bdi className="block truncate font-medium">{visibleText(key.binding.personName)}</bdi>
              <span className="block truncate text-12 text-muted">
                {key.use === 'authority' ? 'Authority key' : 'Conversation key'} “<bdi>{visibleText(key.label)}</bdi>”
              </span>
            </span>
            <Button variant="primary" size="lg" busy={entering === key.publicKey} disabled={entering !== undefined} onClick={() => void enter(key)}>
              Sign in
            </Button>
          </li>
        ))}
      </ul>
      <OtherWays />
    </>
  )
}

function useSignIn() {
  const signer = useSigner()
  const api = useTRPCClient()
  const router = useRouter()
  const next = useSearchParams().get('next')
  const queryClient = useQueryClient()
  const [entering, setEntering] = useState<string>()
  const [refusal, setRefusal] = useState<RefusalWords>()
  const enter = async (key: RegisteredHeldKey) => {
    setEntering(key.publicKey)
    setRefusal(undefined)
    const outcome = await signIn({ signer, api }, key.binding.keyId)
    if (outcome.ok) {
      await queryClient.invalidateQueries()
      router.replace(pathAfterSignIn(next))
      return
    }
    setRefusal(outcome.error)
    setEntering(undefined)
  }
  return { enter, entering, refusal }
}

function NoKeyHere() {
  return (
    <section className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <Notice tone="wait" title="This browser holds no key">
        Keys stay in the browser that made them, for the address at which they were made.
      </Notice>
      <ol className="grid list-decimal grid-cols-[minmax(0,1fr)] gap-4 pl-5">
        <li>You enrolled in another browser, or another profile of this one: sign in there.</li>
        <li>
          You saved a key file: open it here.
          <div className="mt-2">
            <KeyFileInput />
          </div>
        </li>
        <li>
          You are new: open your invitation link. An administrator makes one on the server:
          <div className="mt-2">
            <Snippet label="invitation command" text='npm run admin -- invite create --name "Ada Example"' />
          </div>
        </li>
      </ol>
    </section>
  )
}

function OtherWays() {
  return (
    <details className="text-13">
      <summary className="text-muted">Somebody else, or another key</summary>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3 pt-3">
        <p className="text-muted">Open a key file, or enrol with an invitation link; several people can keep keys in one browser.</p>
        <KeyFileInput />
      </div>
    </details>
  )
}
