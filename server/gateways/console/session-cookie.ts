import type { IncomingMessage } from 'node:http'

/** Browsers take a `__Host-` cookie from this very host over https alone: nobody beside or before it can put in one of its own. */
const nameOf = (isSecure: boolean) => `${isSecure ? '__Host-' : ''}countersign_session`
const attributes = (isSecure: boolean) => `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`

export function sessionTokenOf(req: IncomingMessage, isSecure: boolean): string | undefined {
  for (const pair of (req.headers.cookie ?? '').split(';')) {
    const [name, value] = pair.trim().split('=', 2)
    if (name === nameOf(isSecure) && value && /^[A-Za-z0-9_-]{43}$/.test(value)) return value
  }
  return undefined
}

export function sessionCookie(token: string, expiresAt: string, isSecure: boolean): string {
  return `${nameOf(isSecure)}=${token}; Expires=${new Date(expiresAt).toUTCString()}; ${attributes(isSecure)}`
}

export function clearSessionCookie(isSecure: boolean): string {
  return `${nameOf(isSecure)}=; Max-Age=0; ${attributes(isSecure)}`
}
