import type { IncomingMessage } from 'node:http'

const cookieName = 'countersign_session'
const attributes = (isSecure: boolean) => `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`

export function sessionTokenOf(req: IncomingMessage): string | undefined {
  for (const pair of (req.headers.cookie ?? '').split(';')) {
    const [name, value] = pair.trim().split('=', 2)
    if (name === cookieName && value && /^[A-Za-z0-9_-]{43}$/.test(value)) return value
  }
  return undefined
}

export function sessionCookie(token: string, expiresAt: string, isSecure: boolean): string {
  return `${cookieName}=${token}; Expires=${new Date(expiresAt).toUTCString()}; ${attributes(isSecure)}`
}

export function clearSessionCookie(isSecure: boolean): string {
  return `${cookieName}=; Max-Age=0; ${attributes(isSecure)}`
}
