// Tokens and custody on two nodes over one PostgreSQL, and over a restart.
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { silentLog } from '../../log.ts'
import { openStore } from '../../store/open-store.ts'
import type { Agent, Fixture, Person } from '../../testing/authority-fixture.ts'
import { codeOf, eventOf, fixtureOn, memoryArtifacts, newUrn } from '../../testing/authority-fixture.ts'
import { ReleaseFlow } from '../../testing/release-flow.ts'
import type { TestDatabase } from '../../testing/test-database.ts'
import { createTestDatabase, skipReason } from '../../testing/test-database.ts'
import { createAuthorityService } from '../authority-service.ts'
import type { OrganizationKeys } from '../organization-keys.ts'
import { foundOrganization, parseOrganizationKeys } from '../organization-keys.ts'
import type { Clock } from '../ports.ts'
import type { CustodialCommand } from './types.ts'

const migrationsFolder = join(import.meta.dirname, '../../../drizzle/migrations')
const capabilities = [{ id: 'release.report', version: '1.0.0' }]

describe.skipIf(skipReason)(`doors of two nodes on one PostgreSQL${skipReason ? ` (${skipReason})` : ''}`, () => {
  let database: TestDatabase
  let keys: OrganizationKeys
  let one: Fixture<Clock>
  let other: Fixture<Clock>
  let owner: Person
  let coordinator: Agent
  const running = new Set<Fixture<Clock>>()

  async function start(): Promise<Fixture<Clock>> {
    const store = await openStore({ url: database.url, migrationsFolder, maxConnections: 4 })
    keys ??= parseOrganizationKeys(foundOrganization('Test', store.clock.now()))
    const service = await createAuthorityService({ store, artifacts: memoryArtifacts(), organization: keys, origin: 'http://127.0.0.1:4310', diagnostics: silentLog() })
    const fixture = fixtureOn(service, { store, clock: store.clock, organization: keys })
    running.add(fixture)
    return fixture
  }

  async function stop(fixture: Fixture<Clock>): Promise<void> {
    running.delete(fixture)
    await fixture.service.stop()
    await fixture.store.close()
  }

  beforeAll(async () => {
    database = await createTestDatabase()
    one = await start()
    other = await start()
    owner = await one.person('Olga', { isAdmin: true })
    coordinator = await one.agent('Coordinator')
  })
  afterAll(async () => {
    for (const fixture of [...running]) await stop(fixture)
    await database.drop()
  })

  /** A custodial Agent, known to both nodes. */
  async function adopted(): Promise<string> {
    const result = await one.service.doors.custody.adopt({ name: 'Scout', capabilities })
    if (!result.ok) throw new Error(result.error.reason)
    await expect.poll(() => other.service.doors.custody.holds(result.value.agentId), { timeout: 10_000 }).toBe(true)
    return result.value.agentId
  }

  async function issue(principalId: string) {
    const issued = await one.service.doors.tokens.issue({ principalId, doors: ['mcp'], label: 'laptop' })
    if (!issued.ok) throw new Error(issued.error.reason)
    return issued.value
  }

  const coordinate = async (groupId: string, kind: string, payload: Record<string, unknown>) =>
    eventOf(await one.submit(coordinator, { kind: kind as 'work.offer', groupId, sessionEpoch: coordinator.session.sessionEpoch, membershipEpoch: 1, coordinatorEpoch: 1, payload }))

  async function mission(agentId: string): Promise<string> {
    const { groupId } = await one.mission(owner, coordinator)
    await coordinate(groupId, 'membership.change', { member: { type: 'agent', id: agentId }, role: 'worker' })
    await expect.poll(() => other.service.reads.groupFor(agentId, groupId), { timeout: 10_000 }).toBeDefined()
    return groupId
  }

  const post = (groupId: string): CustodialCommand => ({ kind: 'message.post', groupId, payload: { messageId: newUrn(), content: [{ type: 'text', text: 'Hello' }] } })
  const sessionEpochOf = async (agentId: string) => (await one.store.directory.sessionEpochs()).get(agentId)

  it('a token is good at both, and at neither once it was revoked at one of them', async () => {
    const { token, record } = await issue(await adopted())
    const ended = new Promise<string>((resolve) => other.service.doors.tokens.onEnded(resolve))
    expect([await one.service.doors.tokens.find(token, 'mcp'), await other.service.doors.tokens.find(token, 'mcp')]).toEqual([record, record])
    expect(await one.service.doors.tokens.revoke(record.tokenId)).toBe(true)
    expect(await one.service.doors.tokens.find(token, 'mcp')).toBeUndefined()
    expect(await ended).toBe(record.tokenId)
    expect(await other.service.doors.tokens.find(token, 'mcp')).toBeUndefined()
  })

  it('a token is issued for an Agent that this node has not heard of yet', async () => {
    const { agentId } = await one.service.doors.custody.adopt({ name: 'Newcomer', capabilities }).then((result) => (result.ok ? result.value : { agentId: '' }))
    expect(await other.service.doors.tokens.issue({ principalId: agentId, doors: ['ioa'], label: 'laptop' })).toMatchObject({ ok: true })
  })

  it('a key is held once, on whichever node it is asked for', async () => {
    const agentId = newUrn()
    const results = await Promise.all(Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? one : other).service.doors.custody.adopt({ name: 'Scout', capabilities, agentId })))
    expect(new Set(results.map((result) => (result.ok ? result.value.keyId : result.error.reason))).size).toBe(1)
    expect(results[0]?.ok).toBe(true)
    expect((await one.store.directory.loadKeys()).keys.filter(({ principal }) => principal.id === agentId)).toHaveLength(1)
  })

  it('both nodes act in one session of the Agent', async () => {
    const agentId = await adopted()
    const groupId = await mission(agentId)
    // A node that has not heard of the session yet opens one of its own, which the first one then goes on in.
    for (const fixture of [one, other]) expect(codeOf(await fixture.service.doors.custody.submit(agentId, post(groupId)))).toBe('accepted')
    const epoch = await sessionEpochOf(agentId)
    await expect.poll(async () => codeOf(await one.service.doors.custody.submit(agentId, post(groupId))), { timeout: 10_000 }).toBe('accepted')
    for (const fixture of [other, one, other]) expect(codeOf(await fixture.service.doors.custody.submit(agentId, post(groupId)))).toBe('accepted')
    expect(await sessionEpochOf(agentId)).toBe(epoch)
  })

  it('work goes on over a restart, under the lease that it was begun with', async () => {
    const agentId = await adopted()
    const groupId = await mission(agentId)
    const workItemId = newUrn()
    await coordinate(groupId, 'work.authorize', { workItemId, contract: { ...ReleaseFlow.contract, deadline: '2026-12-31T00:00:00Z' } })
    const offered = await coordinate(groupId, 'work.offer', { workItemId, candidateAgentIds: [agentId], selectionBasis: { ...ReleaseFlow.selectionBasis, availabilityEstimate: one.clock.now() }, offerExpiresInSeconds: 600 })
    const { offerId } = (offered.payload as { offers: { offerId: string }[] }).offers[0]!
    const work = async (fixture: Fixture<Clock>, kind: string, payload: Record<string, unknown>) => eventOf(await fixture.service.doors.custody.submit(agentId, { kind, groupId, workItemId, payload: { workItemId, ...payload } }))
    const { ownershipEpoch } = (await work(one, 'work.accept_offer', { offerId, ownershipLeaseSeconds: 3600 })).payload as { ownershipEpoch: number }
    const started = await work(one, 'work.start', { ownershipEpoch, executionLeaseSeconds: 600 })
    const { leaseId: executionLeaseId } = (started.payload as { executionLease: { leaseId: string } }).executionLease
    const restarted = await start()
    const renewed = await work(restarted, 'ext.missionweaveprotocol.core.work_execution_lease_renew', { ownershipEpoch, executionLeaseId, leaseSeconds: 600 })
    expect(renewed).toMatchObject({ kind: 'work.progressed', actor: { id: agentId } })
    await stop(restarted)
  })
})
