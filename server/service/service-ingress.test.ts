// Services that an operator registered: what they sign, by which door, and what they may do.
import { beforeEach, describe, expect, it } from 'vitest'
import { DEFAULT_POLICY } from '../authority/policy.ts'
import { agentCard } from '../testing/cast.ts'
import type { Agent, Draft, Fixture, Person, Signatory } from '../testing/authority-fixture.ts'
import { codeOf, eventOf, newKey, signAs, startAuthority } from '../testing/authority-fixture.ts'

let fixture: Fixture
let admin: Person
let coordinator: Agent
let scheduler: Signatory
let groupId: string

beforeEach(async () => {
  fixture = await startAuthority()
  ;[admin, coordinator, scheduler] = [await fixture.person('Olga', { isAdmin: true }), await fixture.agent('Coordinator'), await fixture.serviceOf('Scheduler')]
  ;({ groupId } = await fixture.mission(admin, coordinator))
})

const letCancel = () => {
  const policy = { ...DEFAULT_POLICY, version: 1, services: [{ principalId: scheduler.actor.id, kinds: ['mission.cancel'] }] }
  return fixture.submit(admin, { kind: 'ext.countersign.policy.change', groupId: fixture.service.policy.spaceId, membershipEpoch: 1, expectedRevision: 0, payload: { policy, reason: 'It watches budgets.' } })
}
const cancel = (): Draft => ({ kind: 'mission.cancel', groupId, payload: { reason: 'The budget was frozen.' } })

describe('a Command of a registered service', () => {
  it('A-61, A-128: is its own signed Command and passes where the policy in force names service and kind', async () => {
    expect(codeOf(await fixture.submit(scheduler, cancel()))).toBe('AUTH_FORBIDDEN')
    await letCancel()
    expect(eventOf(await fixture.submit(scheduler, cancel()))).toMatchObject({ kind: 'mission.cancelled', actor: scheduler.actor })
    expect((await fixture.service.verifyLog()).flatMap((report) => report.differences)).toEqual([])
  })

  it('A-35: does not come in by the session of an Agent', async () => {
    await letCancel()
    const bytes = await fixture.command(scheduler, cancel())
    expect(codeOf(await fixture.service.submitCommand(bytes, { door: 'mwp', session: coordinator.session }))).toBe('AUTH_FORBIDDEN')
    expect(codeOf(await fixture.service.submitCommand(bytes, { door: 'http' }))).toBe('accepted')
  })

  it('A-28: registers no Agent Card and opens no session, which are the Registry’s', async () => {
    const card = await signAs(scheduler, { ...agentCard(coordinator.actor), organizationId: fixture.organization.organizationId, cardVersion: 9, issuedAt: fixture.clock.now() }, 'issuedAt')
    expect(codeOf(await fixture.submit(scheduler, { kind: 'ext.missionweaveprotocol.registry.agent_card_register', payload: { card } }))).toBe('AUTH_FORBIDDEN')
    expect(codeOf(await fixture.submit(scheduler, { kind: 'ext.missionweaveprotocol.identity.session_open', payload: { agentId: coordinator.actor.id } }))).toBe('AUTH_FORBIDDEN')
  })

  it('A-64: is refused once the key is revoked', async () => {
    await letCancel()
    expect(await fixture.service.identities.revokeKey(scheduler.keyId)).toMatchObject({ ok: true })
    expect(codeOf(await fixture.submit(scheduler, cancel()))).toBe('AUTH_INVALID_SIGNATURE')
  })
})

describe('the registration of a service', () => {
  const add = (changes: object = {}) => fixture.service.identities.addService({ name: 'Other', publicKey: newKey().publicKey, ...changes })

  it('A-62: repeated with the same key is the same service, and another key may be added to it', async () => {
    const { publicKey } = newKey()
    const first = await add({ publicKey })
    expect(await add({ publicKey })).toEqual(first)
    const serviceId = first.ok ? first.value.principal.id : ''
    expect(await add({ serviceId })).toMatchObject({ ok: true, value: { principal: { id: serviceId } } })
    expect(fixture.service.identities.keysOf(serviceId)).toHaveLength(2)
  })

  it.each<[string, () => object]>([
    ['for an id that is no URI', () => ({ serviceId: 'scheduler' })],
    ['for the id of a person', () => ({ serviceId: admin.actor.id })],
    ['for the id of the Group Authority', () => ({ serviceId: fixture.organization.authority.principal.id })],
    ['with the key of the Registry', () => ({ publicKey: fixture.organization.registry.publicKey })],
    ['with a key that is none', () => ({ publicKey: 'A'.repeat(43) })],
  ])('A-62: is refused %s', async (_, changes) => {
    const before = fixture.service.identities.principals().length
    expect(await add(changes())).toMatchObject({ ok: false })
    expect(fixture.service.identities.principals()).toHaveLength(before)
  })

  it('A-63: is found again after a restart, and the Organization’s own keys stay out of reach', async () => {
    const again = await startAuthority({ clock: fixture.clock, store: fixture.store, organization: fixture.organization })
    expect(again.service.identities.principal(scheduler.actor.id)).toMatchObject({ name: 'Scheduler' })
    expect(await again.service.identities.revokeKey(fixture.organization.registry.keyId)).toMatchObject({ ok: false })
    await expect(startAuthority({ clock: fixture.clock, store: fixture.store })).rejects.toThrow('another Organization')
  })
})
