'use client'

import { useCallback, useState } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import { ERROR_CODES, type ErrorCode } from '../../protocol/error-codes.ts'
import type { EventDocument } from '../../protocol/generated/types.ts'
import type { Result } from '../../protocol/result.ts'
import { err, ok } from '../../protocol/result.ts'
import { useSession, type KeyView, type Session } from '../trpc.tsx'
import { serverNow } from '../ui/clock.ts'
import { encodeCommand, newUrn, type CommandDraft } from './command.ts'
import { deliverCommand } from './deliver-command.ts'
import { pageOutbox } from './page-outbox.ts'
import { CODE_OF_SIGNER_REFUSAL, refusalWords, type LocalRefusal, type RefusalWords } from './refusal-sentences.ts'
import { useSigner } from './signer-provider.tsx'
import type { NameHints, Signer } from './signer.ts'

export interface CommandRefusal extends RefusalWords {
  readonly code: ErrorCode | LocalRefusal
  /** The signed bytes are kept and may be sent again. */
  readonly isKept: boolean
  /** The check of the authority's answer that failed. */
  readonly stage?: string
}

/** Signed here, then accepted by the authority, then its Event verified here: three states, never merged. */
export type CommandPhase =
  | { readonly step: 'idle' }
  | { readonly step: 'signing' }
  | { readonly step: 'signed' }
  | { readonly step: 'accepted' }
  | { readonly step: 'verified'; readonly event: EventDocument }
  | { readonly step: 'refused'; readonly refusal: CommandRefusal }

export type CommandOutcome = Result<EventDocument, CommandRefusal>

export interface CommandRunner {
  readonly phase: CommandPhase
  readonly isBusy: boolean
  /**
   * Signs and sends one Command. Resolves `ok` only once the authority's Event has been verified here. `isStillTrue` is
   * asked between the press and the signature; false signs nothing.
   */
  run(draft: CommandDraft, names?: NameHints, isStillTrue?: () => Promise<boolean>): Promise<CommandOutcome>
  reset(): void
}

const refuse = (code: ErrorCode | LocalRefusal, extra: Partial<CommandRefusal> = {}): { readonly ok: false; readonly error: CommandRefusal } =>
  err({ code, isKept: false, ...refusalWords(code), ...extra })

/** The way from a button to a verified Event, for every Command that a person gives. */
export function useCommand(): CommandRunner {
  const signer = useSigner()
  const session = useSession().data
  const queryClient = useQueryClient()
  const [phase, setPhase] = useState<CommandPhase>({ step: 'idle' })

  const run = useCallback(
    async (draft: CommandDraft, names: NameHints = {}, isStillTrue?: () => Promise<boolean>): Promise<CommandOutcome> => {
      setPhase({ step: 'signing' })
      const outcome = await signAndDeliver({ signer, session, draft, names, isStillTrue, onPhase: setPhase })
      setPhase(outcome.ok ? { step: 'verified', event: outcome.value } : { step: 'refused', refusal: outcome.error })
      if (outcome.ok) void queryClient.invalidateQueries()
      return outcome
    },
    [signer, session, queryClient],
  )
  const reset = useCallback(() => setPhase({ step: 'idle' }), [])
  return { phase, isBusy: phase.step === 'signing' || phase.step === 'signed' || phase.step === 'accepted', run, reset }
}

interface Attempt {
  readonly signer: Signer
  readonly session: Session | undefined
  readonly draft: CommandDraft
  readonly names: NameHints
  readonly isStillTrue: (() => Promise<boolean>) | undefined
  readonly onPhase: (phase: CommandPhase) => void
}

async function signAndDeliver({ signer, session, draft, names, isStillTrue, onPhase }: Attempt): Promise<CommandOutcome> {
  const me = session?.me
  if (session === undefined || !me) return refuse('NOT_SIGNED_IN')
  const actionId = newUrn()
  const keyIds = me.keys.filter(isValidNow).map((key) => key.keyId)
  let signed: Awaited<ReturnType<Signer['signCommand']>>
  let issuedAt: string
  do {
    issuedAt = serverNow()
    const bytes = encodeCommand(draft, { actionId, issuedAt, principalId: me.principalId })
    signed = await signer.signCommand({ bytes, keyIds, names, ...(isStillTrue !== undefined && { isStillTrue }) })
  } while (!signed.ok && signed.error === 'stale')
  if (!signed.ok) return refuse(CODE_OF_SIGNER_REFUSAL[signed.error])

  const text = new TextDecoder().decode(signed.value)
  if (!pageOutbox().keep({ actionId, principalId: me.principalId, kind: draft.kind, signedAt: issuedAt, text })) return refuse('NOT_KEPT')
  onPhase({ step: 'signed' })
  return sendKept(actionId, signed.value, { authority: session.authority, onAccepted: () => onPhase({ step: 'accepted' }) })
}

/** Sends kept bytes and takes them out of the outbox once the answer is final; retryable refusals and silence keep them. */
export async function sendKept(actionId: string, bytes: Uint8Array, options: Parameters<typeof deliverCommand>[1]): Promise<CommandOutcome> {
  const delivery = await deliverCommand(bytes, options)
  if (delivery.outcome === 'unreachable') return refuse('UNREACHABLE', { isKept: true })
  if (delivery.outcome === 'unverified') return refuse('UNVERIFIED', { isKept: true, stage: delivery.stage })
  if (delivery.outcome === 'refused') {
    const isKept = ERROR_CODES[delivery.code].retryable
    if (!isKept) pageOutbox().settle(actionId)
    return refuse(delivery.code, { isKept, ...refusalWords(delivery.code, delivery.move) })
  }
  pageOutbox().settle(actionId)
  return ok(delivery.event)
}

/** Whether the Registry holds this key valid at the authority's present time. */
export function isValidNow(key: KeyView): boolean {
  const now = serverNow()
  return key.validFrom <= now && (key.revokedAt === undefined || now < key.revokedAt)
}
