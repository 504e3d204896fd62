// The kinds of procedure: open to anybody, for signed-in people, for administrators.
import { initTRPC, TRPCError } from '@trpc/server'
import { isStorable } from '../../authority/storable-text.ts'
import type { ConsoleContext, SignedIn } from './context.ts'

const t = initTRPC.context<ConsoleContext>().create({
  isDev: false,
  // A connection that died silently shows itself by the missing ping, and proxies keep a quiet one open.
  sse: { ping: { enabled: true, intervalMs: 15_000 }, client: { reconnectAfterInactivityMs: 40_000 } },
  errorFormatter({ shape }) {
    const message = shape.data.code === 'INTERNAL_SERVER_ERROR' ? 'The server failed. Look whether what you did took effect before you do it again.' : shape.message
    return { message, code: shape.code, data: { code: shape.data.code, httpStatus: shape.data.httpStatus } }
  },
})

export const router = t.router
export const signInFirst = () => new TRPCError({ code: 'UNAUTHORIZED', message: 'Sign in first.' })
export const openProcedure = t.procedure.use(async ({ getRawInput, next }) => {
  if (!isStorable(await getRawInput())) throw new TRPCError({ code: 'BAD_REQUEST', message: 'A text holds a character that cannot be kept: U+0000, or half of a surrogate pair.' })
  return next()
})
export const signedInProcedure = openProcedure.use(({ ctx, next }) => {
  if (!ctx.me) throw signInFirst()
  return next({ ctx: { ...ctx, me: ctx.me satisfies SignedIn } })
})

/** For administrators of the Organization. */
export const adminProcedure = signedInProcedure.use(({ ctx, next }) => {
  if (!ctx.me.isAdmin) throw new TRPCError({ code: 'FORBIDDEN', message: 'This is for administrators. Ask one of them.' })
  return next()
})

/** `message` says what is wrong, for people. */
export const badRequest = (message: string) => new TRPCError({ code: 'BAD_REQUEST', message })

/** What there is cannot be read now; it is not the caller's fault. */
export const noneReadable = () => new TRPCError({ code: 'SERVICE_UNAVAILABLE', message: 'None of your missions can be read now. Try again in a while.' })

/** Unknown and hidden look alike. */
export function notFound(what: string): TRPCError {
  return new TRPCError({ code: 'NOT_FOUND', message: `${what} does not exist, or is not shown to you.` })
}
