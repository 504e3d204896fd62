// policy.*: what the Organization allows, for everybody to read, and how it was applied, for those who answer for it.
import { TRPCError } from '@trpc/server'
import { z } from 'zod'
import { namingFor } from '../../service/view/participants.ts'
import { policyVersions } from '../../service/view/policy-view.ts'
import { rulingLines } from '../../service/view/ruling-view.ts'
import { identifierText } from './session.ts'
import { notFound, router, signedInProcedure } from './trpc.ts'

const position = z.number().int().positive().max(Number.MAX_SAFE_INTEGER)
const limit = z.number().int().min(1).max(500)

export const policyRouter = router({
  /** The policy in force, the Space that a Command which changes it names, and the services that it can name. */
  view: signedInProcedure.query(({ ctx: { service: { policy, identities } } }) => ({
    spaceId: policy.spaceId,
    policy: policy.current,
    services: identities.services().map(({ principal, name }) => ({ serviceId: principal.id, name })),
  })),

  versions: signedInProcedure.input(z.strictObject({ before: position.optional(), limit: limit.max(50) })).query(async ({ ctx: { service }, input }) => {
    const versions = await policyVersions(service.policy, input.before, input.limit, namingFor(service))
    return { versions, hasOlder: (versions.at(-1)?.policy.version ?? 1) > 1 }
  }),

  /** The Policy Log: all of it for administrators, of one Group for its MissionOwner. */
  rulings: signedInProcedure.input(z.strictObject({ groupId: identifierText.optional(), outcome: z.enum(['allowed', 'refused']).optional(), before: position.optional(), limit })).query(async ({ ctx: { service, me }, input }) => {
    const { groupId, outcome, before } = input
    if (groupId === undefined && !me.isAdmin) throw new TRPCError({ code: 'FORBIDDEN', message: 'The whole Policy Log is for administrators. Choose a mission that you own.' })
    const range = { limit: input.limit + 1, ...(outcome && { outcome }), ...(before !== undefined && { before }) }
    const found = me.isAdmin ? await service.policy.rulings({ ...range, ...(groupId !== undefined && { spaceId: groupId }) }) : await service.reads.rulings(me.principalId, groupId!, range)
    if (!found) throw notFound('The Policy Log of this mission')
    return { lines: await rulingLines(service, me.principalId, found.slice(0, input.limit)), hasOlder: found.length > input.limit }
  }),
})
