'use client'

import { useEffect } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import { HELD_KEYS, useHeldKeys } from '../shell/use-held-keys.ts'
import { fingerprintOf } from '../signing/fingerprint.ts'
import { useSigner } from '../signing/signer-provider.tsx'
import { CUSTODY_WORDS, type HeldKey } from '../signing/signer.ts'
import { useSession, type KeyView, type SignedInPerson } from '../trpc.tsx'
import { Button } from '../ui/button.tsx'
import { HashText } from '../ui/hash-text.tsx'
import { PageHeader, Section } from '../ui/page-header.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { StateTag } from '../ui/state-tag.tsx'
import { visibleText } from '../ui/visible-text.ts'
import { AddKeys } from './add-keys.tsx'
import { bindRegistered } from './key-registration.ts'
import { saveKeyFile } from './save-key-file.ts'

/** My keys as the Registry has them, which of them this browser holds, and how to add one. */
export function MyKeys() {
  const me = useSession().data?.me
  const held = useHeldKeys().data
  useRepairedBindings(me ?? undefined, held)
  if (!me) return null
  const unregistered = held?.filter((key) => !me.keys.some((known) => known.fingerprint === fingerprintOf(key.publicKey))) ?? []
  return (
    <>
      <PageHeader title="Keys">An authority key signs what you decide, a conversation key what you say. Only you can use them; the server knows their public halves.</PageHeader>
      <AddKeys me={me} held={held} />
      <Section title="Your registered keys">
        <ul className="divide-y">
          {me.keys.map((key) => (
            <RegisteredKey key={key.keyId} view={key} held={held?.find((candidate) => fingerprintOf(candidate.publicKey) === key.fingerprint)} />
          ))}
        </ul>
      </Section>
      {unregistered.length > 0 && (
        <Section title="Other keys in this browser">
          <ul className="divide-y">
            {unregistered.map((key) => (
              <ForeignKey key={key.publicKey} held={key} />
            ))}
          </ul>
        </Section>
      )}
    </>
  )
}

/** Binds keys whose registration went through although its answer was lost. */
function useRepairedBindings(me: SignedInPerson | undefined, held: readonly HeldKey[] | undefined): void {
  const signer = useSigner()
  const queryClient = useQueryClient()
  useEffect(() => {
    const isLoose = (key: HeldKey) => key.binding === undefined && me?.keys.some((known) => known.fingerprint === fingerprintOf(key.publicKey))
    if (me === undefined || !held?.some(isLoose)) return
    void bindRegistered(signer, held, me).then(() => queryClient.invalidateQueries({ queryKey: HELD_KEYS }))
  }, [me, held, signer, queryClient])
}

const USE_WORDS: Readonly<Record<string, string>> = { authority: 'Authority', conversation: 'Conversation' }

function RegisteredKey({ view, held }: { readonly view: KeyView; readonly held: HeldKey | undefined }) {
  return (
    <li className="grid gap-x-6 gap-y-2 px-2 py-4 md:grid-cols-[minmax(0,1fr)_auto]">
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-2">
          <bdi className="font-medium">{visibleText(view.label)}</bdi>
          <span className="text-13 text-muted">{USE_WORDS[view.use] ?? view.use} key</span>
          {view.revokedAt !== undefined && <StateTag state="revoked" />}
        </p>
        <p className="text-13 text-muted">
          {capitalized(view.custody)}; valid since <RelativeTime at={view.validFrom} />
          {view.revokedAt !== undefined && (
            <>
              , revoked <RelativeTime at={view.revokedAt} />
            </>
          )}
          .
        </p>
        <div className="mt-2">
          <HashText grouped value={view.fingerprint} label="Fingerprint" />
        </div>
      </div>
      <div className="flex items-start gap-2">
        {held === undefined ? <span className="text-13 text-past">not in this browser</span> : <span className="text-13 font-medium">in this browser</span>}
      </div>
      {held?.custody === 'key-file' && (
        <div className="flex flex-wrap gap-2 md:col-span-2">
          <SaveButton held={held} />
          <ForgetButton held={held} />
        </div>
      )}
    </li>
  )
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

function ForeignKey({ held }: { readonly held: HeldKey }) {
  return (
    <li className="flex items-center justify-between gap-4 px-2 py-4">
      <div className="min-w-0">
        <bdi className="font-medium">{visibleText(held.label)}</bdi>
        <p className="text-13 text-muted">
          {held.binding === undefined ? 'Never registered; it can sign nothing.' : `Belongs to ${visibleText(held.binding.personName)}.`} {capitalized(CUSTODY_WORDS[held.custody])}.
        </p>
        <HashText value={fingerprintOf(held.publicKey)} label="Fingerprint" />
      </div>
      {held.binding === undefined && <ForgetButton held={held} />}
    </li>
  )
}

function SaveButton({ held }: { readonly held: HeldKey }) {
  const signer = useSigner()
  return <Button onClick={() => void saveKeyFile(signer, held.publicKey, held.binding?.personName ?? '')}>Save its file</Button>
}

function ForgetButton({ held }: { readonly held: HeldKey }) {
  const signer = useSigner()
  const queryClient = useQueryClient()
  const forget = async () => {
    await signer.forgetKey(held.publicKey)
    await queryClient.invalidateQueries({ queryKey: HELD_KEYS })
  }
  return (
    <Button variant="quiet" onClick={() => void forget()}>
      Remove from this browser
    </Button>
  )
}
