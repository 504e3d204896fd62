import { beforeEach, describe, expect, it } from 'vitest'
import { encodeBase64url } from '../../protocol/base64url.ts'
import { encodeCanonical } from '../../protocol/canonical-json.ts'
import type { NewKey } from './service.ts'
import type { Fixture, Person } from '../testing/authority-fixture.ts'
import { codeOf, newKey, newUrn, startAuthority } from '../testing/authority-fixture.ts'
import { decodeEntry } from './event-bytes.ts'

let fixture: Fixture
beforeEach(async () => {
  fixture = await startAuthority()
})

const challenge = encodeCanonical({ challengeId: 'one', purpose: 'countersign.console.enrol' })
const enrolling = (token: string, keys: readonly NewKey[] = [provedKey()]) => fixture.service.identities.enrol({ token, name: 'Olga', challenge, keys })
const invite = async () => (await fixture.service.identities.invite({ name: 'Olga', isAdmin: true, ttlSeconds: 600 })).token

function provedKey(use: NewKey['use'] = 'authority', pair = newKey()): NewKey {
  return { use, publicKey: pair.publicKey, custody: 'browser', label: 'Laptop', proof: encodeBase64url(pair.sign(challenge)) }
}

describe('an invitation', () => {
  it('enrols one person, with the keys that they proved to hold', async () => {
    const token = await invite()
    const enrolled = await enrolling(token, [provedKey('authority'), provedKey('conversation')])
    expect(enrolled).toMatchObject({ ok: true, value: { principal: { type: 'human' }, keys: [{ keyUse: 'authority' }, { keyUse: 'conversation' }] } })
    const principal = enrolled.ok ? enrolled.value.principal : undefined
    expect(fixture.service.identities.principal(principal!.id)).toMatchObject({ name: 'Olga', isAdmin: true })
    expect(await enrolling(token)).toMatchObject({ ok: false })
  })

  it('enrols for good while the Directory is being read again', async () => {
    const { listPrincipals } = fixture.store.directory
    let answer = () => {}
    let isRead = false
    fixture.store.directory.listPrincipals = async () => {
      const records = await listPrincipals()
      isRead = true
      await new Promise<void>((resolve) => (answer = resolve))
      return records
    }
    const adopting = fixture.service.doors.custody.adopt({ name: 'Held', capabilities: [{ id: 'release.report', version: '1.0.0' }] })
    await expect.poll(() => isRead).toBe(true)
    const enrolled = await enrolling(await invite())
    answer()
    expect(await adopting).toMatchObject({ ok: true })
    expect(fixture.service.identities.principal(enrolled.ok ? enrolled.value.principal.id : '')).toMatchObject({ name: 'Olga' })
  })

  it('is won by exactly one of two who use it at once', async () => {
    const token = await invite()
    const outcomes = await Promise.all([enrolling(token), enrolling(token), enrolling(token)])
    expect(outcomes.filter((outcome) => outcome.ok)).toHaveLength(1)
    expect(fixture.service.identities.principals().filter(({ principal }) => principal.type === 'human')).toHaveLength(1)
  })

  it('expires, and only its hash is kept', async () => {
    const token = await invite()
    expect(await fixture.service.identities.lookInvitation(token)).toMatchObject({ ok: true, name: 'Olga', isAdmin: true })
    expect(await fixture.store.directory.findInvitation(token)).toBeUndefined()
    fixture.clock.advance(600)
    expect(await fixture.service.identities.lookInvitation(token)).toMatchObject({ ok: false })
    expect(await enrolling(token)).toMatchObject({ ok: false })
  })

  it.each<[string, () => readonly NewKey[]]>([
    ['without a key for decisions', () => [provedKey('conversation')]],
    ['without any key', () => []],
    ['with the proof of another key', () => [{ ...provedKey(), publicKey: newKey().publicKey }]],
    ['with a proof that is none', () => [{ ...provedKey(), proof: 'AA' }]],
    ['with the identity point as key (A-59)', () => [{ ...provedKey(), publicKey: encodeBase64url(Uint8Array.from({ length: 32 }, (_, at) => (at === 0 ? 1 : 0))) }]],
    ['with one key twice', () => [provedKey('authority', twice), provedKey('conversation', twice)]],
  ])('is refused %s, and stays good', async (_, keys) => {
    const token = await invite()
    expect(await enrolling(token, keys())).toMatchObject({ ok: false })
    expect(await enrolling(token)).toMatchObject({ ok: true })
  })
  const twice = newKey()

  it('does not let a registered key be enrolled again (A-62)', async () => {
    const pair = newKey()
    expect(await enrolling(await invite(), [provedKey('authority', pair)])).toMatchObject({ ok: true })
    expect(await enrolling(await invite(), [provedKey('authority', pair)])).toMatchObject({ ok: false, error: { reason: 'this public key is already registered' } })
  })
})

describe('an enrolment that fails', () => {
  const people = () => fixture.service.identities.principals().filter(({ principal }) => principal.type === 'human')

  it('in the store leaves the invitation good and nobody behind', async () => {
    const token = await invite()
    await expect(enrolling(token, [{ ...provedKey(), label: 'Lap\0top' }])).rejects.toThrow()
    expect([people(), (await fixture.store.directory.listPrincipals()).filter(({ principal }) => principal.type === 'human')]).toEqual([[], []])
    expect(await enrolling(token)).toMatchObject({ ok: true })
  })

  it('against another with the same key leaves the invitation good and nobody behind (A-62)', async () => {
    const [pair, further] = [newKey(), newKey()]
    const tokens = [await invite(), await invite()]
    const before = await fixture.store.directory.listPrincipals()
    const outcomes = await Promise.all(tokens.map((token) => enrolling(token, [provedKey('authority', pair), provedKey('conversation', newKey())])))
    expect(outcomes.map((outcome) => outcome.ok).sort()).toEqual([false, true])
    expect(await fixture.store.directory.listPrincipals()).toHaveLength(before.length + 1)
    const loser = tokens[outcomes.findIndex((outcome) => !outcome.ok)]!
    expect(await enrolling(loser, [provedKey('authority', further)])).toMatchObject({ ok: true })
  })
})

describe('a further key', () => {
  const addition = async (person: Person, key: NewKey, signer = person as Pick<Person, 'keyId' | 'sign'>) => {
    const authorizationBytes = encodeCanonical({ publicKey: key.publicKey, use: key.use })
    return fixture.service.identities.addKey({ principalId: person.actor.id, key, challenge, authorizedBy: signer.keyId, authorization: encodeBase64url(signer.sign(authorizationBytes)), authorizationBytes })
  }

  it('is added under the signature of a key for decisions', async () => {
    const olga = await fixture.person('Olga')
    expect(await addition(olga, provedKey())).toMatchObject({ ok: true, value: { keyUse: 'authority', principal: olga.actor } })
    expect(fixture.service.identities.keysOf(olga.actor.id)).toHaveLength(3)
  })

  it('is refused under a conversation key, a foreign key, a revoked key or a wrong signature', async () => {
    const [olga, sven] = [await fixture.person('Olga'), await fixture.person('Sven')]
    expect(await addition(olga, provedKey(), olga.conversation)).toMatchObject({ ok: false })
    expect(await addition(olga, provedKey(), sven)).toMatchObject({ ok: false })
    expect(await addition(olga, provedKey(), { keyId: olga.keyId, sign: sven.sign })).toMatchObject({ ok: false })
    await fixture.service.identities.revokeKey(olga.keyId)
    expect(await addition(olga, provedKey())).toMatchObject({ ok: false })
    expect(fixture.service.identities.keysOf(olga.actor.id)).toHaveLength(2)
  })
})

describe('a revoked key', () => {
  it('signs nothing new, keeps its earliest end (A-64), and no other node takes it either', async () => {
    const olga = await fixture.person('Olga')
    const other = await startAuthority({ clock: fixture.clock, store: fixture.store, organization: fixture.organization })
    const { identities } = fixture.service
    expect(await identities.revokeKey(olga.keyId)).toMatchObject({ ok: true, value: { history: [{ revokedAt: fixture.clock.now() }] } })
    expect(await identities.revokeKey(olga.keyId, '2026-12-24T00:00:00Z')).toMatchObject({ ok: false })
    const message = new TextEncoder().encode('x')
    await expect.poll(() => other.service.identities.key(olga.keyId)?.history.length).toBe(1)
    for (const { service } of [fixture, other]) expect(await service.identities.verifyWithKey(olga.keyId, message, encodeBase64url(olga.sign(message)))).toBe(false)
  })

  it('cannot be one of the Organization itself, and has to exist', async () => {
    const { identities } = fixture.service
    expect(await identities.revokeKey(fixture.organization.authority.keyId)).toMatchObject({ ok: false })
    expect(await identities.revokeKey(newUrn())).toMatchObject({ ok: false })
    expect(await identities.revokeKey((await fixture.person('Olga')).keyId, 'yesterday')).toMatchObject({ ok: false })
  })
})

describe('an Agent', () => {
  const add = (changes: object = {}) => fixture.service.identities.addAgent({ name: 'Worker', publicKey: newKey().publicKey, capabilities: [{ id: 'release.report', version: '1.0.0' }], ...changes })

  it('gets a card that the Registry signed and the log records (A-28)', async () => {
    const added = await add({ maxConcurrency: 3 })
    const { agentId, keyId } = added.ok ? added.value : { agentId: '', keyId: '' }
    expect(fixture.service.identities.cardOf(agentId)).toMatchObject({ agentId, cardVersion: 1, maxConcurrency: 3, publicKeys: [{ keyId }], signature: { keyId: fixture.organization.registry.keyId } })
    const entries = (await fixture.store.log.read(fixture.organization.organizationId, 0, 10)).map(decodeEntry)
    expect(entries.map(({ event }) => event.kind)).toEqual(['ext.missionweaveprotocol.registry.agent_card_registered'])
  })

  it('that is registered again under its id gets the next version of its card', async () => {
    const publicKey = newKey().publicKey
    const first = await add({ publicKey })
    const again = await add({ publicKey, agentId: first.ok ? first.value.agentId : '', capabilities: [{ id: 'release.inventory', version: '1.0.0' }] })
    expect(again).toEqual({ ok: true, value: { ...(first.ok && first.value), cardVersion: 2 } })
  })

  it.each([
    ['with somebody’s key', async () => ({ publicKey: fixture.organization.registry.publicKey })],
    ['with an unsafe key', async () => ({ publicKey: encodeBase64url(new Uint8Array(32)) })],
    ['under a person’s id', async () => ({ agentId: (await fixture.person('Olga')).actor.id })],
    ['under an id that is no URI', async () => ({ agentId: 'worker' })],
    ['without a capability', async () => ({ capabilities: [] })],
    ['without a key (A-33)', async () => ({ publicKey: '' })],
  ])('is refused %s', async (_, changes) => {
    expect(await add(await changes())).toMatchObject({ ok: false })
    expect(fixture.service.identities.cards()).toEqual([])
  })

  it.each([
    ['a version that is none', { capabilities: [{ id: 'release.report', version: '1.0.0 and more' }] }],
    ['a capability id that is none', { capabilities: [{ id: 'report', version: '1.0.0' }] }],
    ['a name that is too long', { name: 'W'.repeat(201) }],
  ])('whose card cannot be issued, for %s, leaves its key free', async (_, changes) => {
    const publicKey = newKey().publicKey
    expect(await add({ publicKey, ...changes })).toMatchObject({ ok: false })
    expect(fixture.service.identities.principals().filter(({ principal }) => principal.type === 'agent')).toEqual([])
    expect(await add({ publicKey })).toMatchObject({ ok: true })
  })

  it.each(['a\0', '\ud800'])('whose name no store can hold, %j, leaves its key free', async (name) => {
    const publicKey = newKey().publicKey
    await expect(add({ publicKey, name })).rejects.toThrow()
    expect(await add({ publicKey })).toMatchObject({ ok: true })
  })

  it('whose registration was interrupted before its card is taken up again by its key', async () => {
    const publicKey = newKey().publicKey
    const { append } = fixture.store.log
    fixture.store.log.append = async () => Promise.reject(new Error('lost'))
    expect(await add({ publicKey })).toMatchObject({ ok: false })
    fixture.store.log.append = append
    const again = await add({ publicKey })
    expect(again).toMatchObject({ ok: true, value: { cardVersion: 1 } })
    expect(fixture.service.identities.principals().filter(({ principal }) => principal.type === 'agent')).toHaveLength(1)
  })

  it('is known to every node at once', async () => {
    const other = await startAuthority({ clock: fixture.clock, store: fixture.store, organization: fixture.organization })
    const agent = await fixture.agent('Worker')
    await expect.poll(() => other.service.identities.cardOf(agent.actor.id)?.displayName).toBe('Worker')
    await expect.poll(() => other.service.identities.principal(agent.actor.id)?.name).toBe('Worker')
  })
})

it('finds a card again that an interrupted registration left in the log alone', async () => {
  const { directory } = fixture.store
  const putCard = directory.putCard
  directory.putCard = async () => Promise.reject(new Error('lost'))
  const publicKey = newKey().publicKey
  await expect(fixture.service.identities.addAgent({ name: 'Worker', publicKey, capabilities: [{ id: 'a.b', version: '1.0.0' }] })).rejects.toThrow('lost')
  directory.putCard = putCard
  const restarted = await startAuthority({ clock: fixture.clock, store: fixture.store, organization: fixture.organization })
  expect(restarted.service.identities.cards()).toMatchObject([{ displayName: 'Worker' }])
})

it('refuses to continue the log of another Organization', async () => {
  await fixture.agent('Worker')
  await expect(startAuthority({ clock: fixture.clock, store: fixture.store })).rejects.toThrow('another Organization')
})

it('lets a person act with the key that they enrolled, at once', async () => {
  const [olga, coordinator] = [await fixture.person('Olga'), await fixture.agent('Coordinator')]
  const { groupId } = await fixture.mission(olga, coordinator)
  expect(codeOf(await fixture.submit(olga, { kind: 'mission.cancel', groupId, membershipEpoch: 1, payload: { reason: 'Over.' } }))).toBe('accepted')
})
