// What a procedure knows about its caller.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AuthorityService } from '../../service/service.ts'
import { clearSessionCookie, sessionCookie, sessionTokenOf } from './session-cookie.ts'

export interface SignedIn { readonly principalId: string; readonly name: string; readonly isAdmin: boolean; readonly keyId: string }

export interface ConsoleContext {
  readonly service: AuthorityService
  readonly me: SignedIn | undefined
  /** Asks again, for an answer that outlives its request: the session may have ended, or its key. */
  readonly isStillSignedIn: () => Promise<boolean>
  /** Opens a console session and sets its cookie. */
  readonly signIn: (principalId: string, keyId: string) => Promise<void>
  readonly signOut: () => Promise<void>
}

/** The signed-in person behind this request's cookie, if any. Also used by the doors for files. */
export async function readConsoleSession(service: AuthorityService, req: IncomingMessage): Promise<SignedIn | undefined> {
  const token = sessionTokenOf(req, isSecureOrigin(service))
  const session = token ? await service.console.find(token) : undefined
  const record = session && service.identities.principal(session.principalId)
  return session && record ? { principalId: session.principalId, name: record.name, isAdmin: record.isAdmin, keyId: session.keyId } : undefined
}

export async function createContext(service: AuthorityService, req: IncomingMessage, res: ServerResponse): Promise<ConsoleContext> {
  const isSecure = isSecureOrigin(service)
  return {
    service,
    me: await readConsoleSession(service, req),
    isStillSignedIn: async () => (await readConsoleSession(service, req)) !== undefined,
    signIn: async (principalId, keyId) => {
      const { token, expiresAt } = await service.console.open(principalId, keyId)
      res.appendHeader('Set-Cookie', sessionCookie(token, expiresAt, isSecure))
    },
    signOut: async () => {
      const token = sessionTokenOf(req, isSecure)
      if (token) await service.console.end(token)
      res.appendHeader('Set-Cookie', clearSessionCookie(isSecure))
    },
  }
}

const isSecureOrigin = ({ organization }: Pick<AuthorityService, 'organization'>): boolean => organization.origin.startsWith('https:')
