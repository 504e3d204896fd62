'use client'

import { createContext, use, useMemo, useState, type ReactNode } from 'react'
import { invariant } from '../../protocol/result.ts'
import { indexedDbKeyStore } from './key-store.ts'
import { createLocalSigner, type ConfirmRequest, type Gestures } from './local-signer.ts'
import { NewPassphraseDialog, UnlockDialog } from './passphrase-dialogs.tsx'
import { SignDialog } from './sign-dialog.tsx'
import type { Signer } from './signer.ts'

type Asking =
  | { readonly what: 'confirm'; readonly request: ConfirmRequest; readonly answer: (outcome: 'done' | 'cancelled' | 'stale') => void }
  | { readonly what: 'unlock'; readonly request: Parameters<Gestures['unlock']>[0]; readonly answer: (outcome: 'done' | 'cancelled') => void }
  | { readonly what: 'passphrase'; readonly reason: 'file' | 'browser'; readonly answer: (passphrase: string | undefined) => void }

const SignerContext = createContext<Signer | undefined>(undefined)

/** The signer of this page. */
export function useSigner(): Signer {
  const signer = use(SignerContext)
  invariant(signer !== undefined, 'useSigner is used inside SignerProvider')
  return signer
}

/** Holds the signer and the dialogs in which a person confirms. */
export function SignerProvider({ children }: { readonly children: ReactNode }) {
  const [asking, setAsking] = useState<Asking>()
  const signer = useMemo(() => createPageSigner(setAsking), [])
  return (
    <SignerContext value={signer}>
      {children}
      {asking !== undefined && <Question asking={asking} />}
    </SignerContext>
  )
}

function createPageSigner(setAsking: (update: Asking | undefined) => void): Signer {
  let isAsking = false
  /** One question at a time: a request that arrives while one is open counts as closed by the person. */
  function ask<T>(open: (answer: (outcome: T) => void) => Asking, whenBusy: T): Promise<T> {
    if (isAsking) return Promise.resolve(whenBusy)
    isAsking = true
    return new Promise((resolve) => {
      setAsking(
        open((outcome) => {
          isAsking = false
          setAsking(undefined)
          resolve(outcome)
        }),
      )
    })
  }
  const gestures: Gestures = {
    confirm: (request) => ask<'done' | 'cancelled' | 'stale'>((answer) => ({ what: 'confirm', request, answer }), 'cancelled'),
    unlock: (request) => ask<'done' | 'cancelled'>((answer) => ({ what: 'unlock', request, answer }), 'cancelled'),
    newPassphrase: (reason) => ask<string | undefined>((answer) => ({ what: 'passphrase', reason, answer }), undefined),
  }
  // The server renders no dialog and signs nothing; its signer is never called.
  const origin = typeof location === 'undefined' ? '' : location.origin
  return createLocalSigner({ store: indexedDbKeyStore, gestures, origin })
}

function Question({ asking }: { readonly asking: Asking }) {
  if (asking.what === 'passphrase') return <NewPassphraseDialog reason={asking.reason} onChosen={asking.answer} onCancel={() => asking.answer(undefined)} />
  if (asking.what === 'unlock') {
    const { request, answer } = asking
    return <UnlockDialog label={request.label} onUnlock={doneIf(request.attempt, answer)} onCancel={() => answer('cancelled')} />
  }
  const { request, answer } = asking
  return <SignDialog {...request} onSign={doneIf(request.attempt, answer)} onCancel={() => answer('cancelled')} onStale={() => answer('stale')} />
}

/** The attempt, which also closes the dialog once it succeeds. */
const doneIf =
  <T extends readonly unknown[]>(attempt: (...args: T) => Promise<boolean>, answer: (outcome: 'done') => void) =>
  async (...args: T): Promise<boolean> => {
    const isDone = await attempt(...args)
    if (isDone) answer('done')
    return isDone
  }
