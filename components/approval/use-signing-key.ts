'use client'

import { useHeldKeys } from '../shell/use-held-keys.ts'
import { byReadiness, type HeldKey } from '../signing/signer.ts'
import { isValidNow } from '../signing/use-command.ts'
import { useSession, type KeyView } from '../trpc.tsx'

export interface SigningKey {
  readonly held: HeldKey
  readonly registered: KeyView
}

export interface SigningKeyState {
  readonly key?: SigningKey
  /** Why nothing can be signed with authority here, and what to do. */
  readonly obstacle?: string
}

/** The authority key that the dialog offers first: held here, registered for this person, valid now. */
export function useSigningKey(): SigningKeyState {
  const me = useSession().data?.me
  const held = useHeldKeys().data
  if (!held || !me) return { obstacle: 'Looking for your authority key in this browser.' }
  const mine = [...held].sort(byReadiness).flatMap((key) => {
    const registered = me.keys.find(({ keyId, use }) => keyId === key.binding?.keyId && use === 'authority')
    return key.use === 'authority' && registered ? [{ held: key, registered }] : []
  })
  const usable = mine.find(({ registered }) => isValidNow(registered))
  if (usable) return { key: usable }
  const revoked = mine.find(({ registered }) => registered.revokedAt !== undefined)
  if (revoked) return { key: revoked, obstacle: 'Your authority key in this browser was revoked. Use another browser, or add a key under Keys.' }
  return { obstacle: 'This browser holds no authority key of yours. Use the browser that holds it, or add a key for this one under Keys.' }
}
