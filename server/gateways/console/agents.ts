// agents.*: who can be asked to coordinate or work.
import { router, signedInProcedure } from './trpc.ts'

export const agentsRouter = router({
  list: signedInProcedure.query(({ ctx: { service } }) => ({
    agents: service.identities.cards().map((card) => ({
      agentId: card.agentId,
      name: card.displayName,
      capabilities: card.capabilities.map(({ id, version }) => ({ id, version })),
      cardVersion: card.cardVersion,
      status: card.status,
      online: service.sessions.isOnline(card.agentId),
      since: card.issuedAt,
    })),
  })),
})
