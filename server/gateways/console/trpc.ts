// The two kinds of procedure: open to anybody, and for signed-in people.
import { initTRPC, TRPCError } from '@trpc/server'
import type { ConsoleContext, SignedIn } from './context.ts'

const t = initTRPC.context<ConsoleContext>().create({
  isDev: false,
  // A connection that died silently shows itself by the missing ping, and proxies keep a quiet one open.
  sse: { ping: { enabled: true, intervalMs: 15_000 }, client: { reconnectAfterInactivityMs: 40_000 } },
  errorFormatter({ shape }) {
    const message = shape.data.code === 'INTERNAL_SERVER_ERROR' ? 'The server failed. Nothing was changed.' : shape.message
    return { message, code: shape.code, data: { code: shape.data.code, httpStatus: shape.data.httpStatus } }
  },
})

export const router = t.router
export const openProcedure = t.procedure
export const signedInProcedure = t.procedure.use(({ ctx, next }) => {
  if (!ctx.me) throw new TRPCError({ code: 'UNAUTHORIZED', message: 'Sign in first.' })
  return next({ ctx: { ...ctx, me: ctx.me satisfies SignedIn } })
})

/** Unknown and hidden look alike. */
export function notFound(what: string): TRPCError {
  return new TRPCError({ code: 'NOT_FOUND', message: `${what} does not exist, or is not shown to you.` })
}
