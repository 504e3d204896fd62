// enrolment.* and keys.*: a person proves possession of the keys made in their browser; the server never sees a private key.
import { TRPCError } from '@trpc/server'
import { z } from 'zod'
import { encodeCanonical } from '../../../protocol/canonical-json.ts'
import { keyView } from './key-view.ts'
import { challengeIdText, identifierText, signatureText } from './session.ts'
import { openProcedure, router, signedInProcedure } from './trpc.ts'

const token = z.string().min(20).max(128)
const newKey = z.strictObject({
  use: z.enum(['authority', 'conversation']),
  publicKey: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
  custody: z.string().min(1).max(120),
  label: z.string().min(1).max(80),
  proof: signatureText,
})
const refused = (message: string) => new TRPCError({ code: 'BAD_REQUEST', message })
const spentChallenge = () => refused('The challenge was used or ran out. Start again.')

export const enrolmentRouter = router({
  /** A mutation, for the token is a secret: the input of a query stands in an address. */
  look: openProcedure.input(z.strictObject({ token })).mutation(({ ctx, input }) => ctx.service.identities.lookInvitation(input.token)),

  complete: openProcedure.input(z.strictObject({ token, name: z.string().trim().min(1).max(200), challengeId: challengeIdText, keys: z.array(newKey).min(1).max(4) })).mutation(async ({ ctx, input }) => {
    const challenge = ctx.service.console.recall(input.challengeId, 'countersign.console.enrol')
    if (!challenge) throw spentChallenge()
    const enrolled = await ctx.service.identities.enrol({ token: input.token, name: input.name, challenge, keys: input.keys })
    if (!enrolled.ok) throw refused(enrolled.error.reason)
    ctx.service.console.spend(input.challengeId)
    const { principal, keys } = enrolled.value
    await ctx.signIn(principal.id, keys[0]?.keyId ?? '')
    return { principalId: principal.id, keys: keys.map(keyView) }
  }),
})

export const keysRouter = router({
  add: signedInProcedure.input(z.strictObject({ challengeId: challengeIdText, key: newKey, keyId: identifierText, authorization: signatureText })).mutation(async ({ ctx, input }) => {
    const challenge = ctx.service.console.recall(input.challengeId, 'countersign.console.add-key')
    if (!challenge) throw spentChallenge()
    const { publicKey, use } = input.key
    const authorizationBytes = encodeCanonical({ challengeId: input.challengeId, publicKey, purpose: 'countersign.console.add-key', use })
    const added = await ctx.service.identities.addKey({ principalId: ctx.me.principalId, key: input.key, challenge, authorizedBy: input.keyId, authorization: input.authorization, authorizationBytes })
    if (!added.ok) throw refused(added.error.reason)
    ctx.service.console.spend(input.challengeId)
    return keyView(added.value)
  }),
})
