import { beforeEach, describe, expect, it } from 'vitest'
import type { Fixture } from '../testing/authority-fixture.ts'
import { startAuthority } from '../testing/authority-fixture.ts'
import type { ConsoleAccess } from './service.ts'

let fixture: Fixture
let access: ConsoleAccess
beforeEach(async () => {
  fixture = await startAuthority()
  access = fixture.service.console
})

const [signIn, enrol] = ['countersign.console.sign-in', 'countersign.console.enrol'] as const
const openOne = () => access.challenge(signIn)

describe('a challenge', () => {
  it('says what it is for, to whom and until when, in canonical form', () => {
    const { challengeId, challenge, expiresAt } = openOne()
    const bytes = Buffer.from(challenge, 'base64url')
    expect(JSON.parse(bytes.toString())).toEqual({ audience: 'http://127.0.0.1:4310', challengeId, expiresAt: '2026-11-29T12:10:00.000Z', purpose: signIn })
    expect([expiresAt, Buffer.from(access.recall(challengeId, signIn)!)]).toEqual(['2026-11-29T12:10:00.000Z', bytes])
  })

  it('is good for its purpose alone, for ten minutes, and only here', async () => {
    const { challengeId } = openOne()
    const other = await startAuthority({ clock: fixture.clock, store: fixture.store, organization: fixture.organization })
    expect([access.recall(challengeId, enrol), other.service.console.recall(challengeId, signIn), access.recall('AA', signIn), access.recall(`${challengeId}A`, signIn)]).toEqual([undefined, undefined, undefined, undefined])
    fixture.clock.advance(599)
    expect(access.recall(challengeId, signIn)).toBeDefined()
    fixture.clock.advance(1)
    expect(access.recall(challengeId, signIn)).toBeUndefined()
  })

  it('is spent once', () => {
    const { challengeId } = openOne()
    expect([access.spend(challengeId), access.spend(challengeId), access.recall(challengeId, signIn)]).toEqual([true, false, undefined])
    expect(access.spend(openOne().challengeId)).toBe(true)
  })

  it('stays good however many others are asked for', () => {
    const { challengeId } = openOne()
    for (let asked = 0; asked < 10_001; asked++) openOne()
    expect(access.recall(challengeId, signIn)).toBeDefined()
  })
})

describe('a console session', () => {
  it('ends by itself after twelve hours, when its person says so, and with its key', async () => {
    const olga = await fixture.person('Olga')
    const open = async () => (await access.open(olga.actor.id, olga.keyId)).token
    const [late, ended, revoked] = [await open(), await open(), await open()]
    expect(await access.find(late)).toEqual({ principalId: olga.actor.id, keyId: olga.keyId })
    await access.end(ended)
    expect([await access.find(ended), await access.find('unknown')]).toEqual([undefined, undefined])
    fixture.clock.advance(12 * 3600)
    expect(await access.find(late)).toBeUndefined()
    const fresh = await open()
    await fixture.service.identities.revokeKey(olga.keyId)
    expect([await access.find(fresh), await access.find(revoked)]).toEqual([undefined, undefined])
  })

  it('is kept as a hash', async () => {
    const olga = await fixture.person('Olga')
    const { token } = await access.open(olga.actor.id, olga.keyId)
    expect(await fixture.store.directory.findConsoleSession(token)).toBeUndefined()
  })
})
