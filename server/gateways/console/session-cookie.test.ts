import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { clearSessionCookie, sessionCookie, sessionTokenOf } from './session-cookie.ts'

const [own, planted] = ['A'.repeat(43), 'B'.repeat(43)]
const requestWith = (cookie: string) => ({ headers: { cookie } }) as IncomingMessage
const pairIn = (setCookie: string) => setCookie.split(';', 1)[0]!

describe('the cookie of a console session', () => {
  it('is for no script and no other site, and over https for this host alone', () => {
    const [plain, secure] = [false, true].map((isSecure) => sessionCookie(own, '2026-11-30T12:00:00.000Z', isSecure))
    expect(plain).toBe(`countersign_session=${own}; Expires=Mon, 30 Nov 2026 12:00:00 GMT; Path=/; HttpOnly; SameSite=Strict`)
    expect(secure).toBe(`__Host-${plain}; Secure`)
    expect(pairIn(clearSessionCookie(true))).toBe('__Host-countersign_session=')
  })

  it('is not taken over https from one that a neighbouring host could have set', () => {
    const both = requestWith(`countersign_session=${planted}; ${pairIn(sessionCookie(own, '2026-11-30T12:00:00.000Z', true))}`)
    expect(sessionTokenOf(both, true)).toBe(own)
    expect(sessionTokenOf(requestWith(`countersign_session=${planted}`), true)).toBeUndefined()
    expect(sessionTokenOf(requestWith(`countersign_session=${own}`), false)).toBe(own)
  })
})
