// session.*: who am I, sign in by signing a challenge, sign out.
import { TRPCError } from '@trpc/server'
import { z } from 'zod'
import { isIdentifier } from '../../../protocol/identifier.ts'
import { keyView } from './key-view.ts'
import { openProcedure, router } from './trpc.ts'

const purposes = z.enum(['countersign.console.sign-in', 'countersign.console.enrol', 'countersign.console.add-key'])
export const signatureText = z.string().regex(/^[A-Za-z0-9_-]{86}$/)
export const identifierText = z.string().refine(isIdentifier, 'must be an absolute URI')
export const challengeIdText = z.string().min(1).max(128)

export const sessionRouter = router({
  current: openProcedure.query(({ ctx: { service, me } }) => {
    const { organizationId, name, origin, authority } = service.organization
    return {
      organization: { organizationId, name, origin },
      serverTime: service.clock.now(),
      authority,
      me: me ? { principalId: me.principalId, name: me.name, isAdmin: me.isAdmin, keys: service.identities.keysOf(me.principalId).map(keyView) } : null,
    }
  }),

  challenge: openProcedure.input(z.strictObject({ purpose: purposes })).mutation(({ ctx, input }) => ctx.service.console.challenge(input.purpose)),

  signIn: openProcedure.input(z.strictObject({ challengeId: challengeIdText, keyId: identifierText, signature: signatureText })).mutation(async ({ ctx, input }) => {
    const { identities } = ctx.service
    const challenge = ctx.service.console.recall(input.challengeId, 'countersign.console.sign-in')
    const key = identities.key(input.keyId)
    const record = key && key.principal.type === 'human' ? identities.principal(key.principal.id) : undefined
    const isProven = challenge !== undefined && record !== undefined && (await identities.verifyWithKey(input.keyId, challenge, input.signature))
    if (!record || !isProven || !ctx.service.console.spend(input.challengeId)) throw new TRPCError({ code: 'UNAUTHORIZED', message: 'This key does not open a session here. Try again, or use another key.' })
    await ctx.signIn(record.principal.id, input.keyId)
    return { principalId: record.principal.id, name: record.name }
  }),

  signOut: openProcedure.mutation(async ({ ctx }) => {
    await ctx.signOut()
    return { ok: true }
  }),
})
