import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Policy } from '../../../protocol/generated/types.ts'
import type { PolicyVersion, RulingLine } from '../../service/views.ts'
import type { Agent, Fixture, Person } from '../../testing/authority-fixture.ts'
import { codeOf, eventOf, newUrn } from '../../testing/authority-fixture.ts'
import { ConsoleDoor } from '../../testing/console-door.ts'

let door: ConsoleDoor
let fixture: Fixture

let [admin, owner, stranger] = [] as unknown as [Person, Person, Person]
let coordinator: Agent
let groupId: string
let missionId: string

beforeEach(async () => {
  door = await ConsoleDoor.open()
  ;({ fixture } = door)
  ;[admin, owner, stranger] = [await fixture.person('Ada', { isAdmin: true }), await fixture.person('Olga'), await fixture.person('Paul')]
  coordinator = await fixture.agent('Coordinator')
  ;({ groupId, missionId } = await fixture.mission(owner, coordinator))
})
afterEach(() => door.close())

async function ask<T>(who: Person | undefined, path: string, input?: object): Promise<{ status: number; data: T }> {
  const response = await door.ask(`policy.${path}`, input, who && (await door.cookieOf(who)))
  return { status: response.status, data: ((await response.json()) as { result: { data: T } }).result?.data }
}
type Rulings = { lines: RulingLine[]; hasOlder: boolean }
const rulings = (who: Person | undefined, input: object = {}) => ask<Rulings>(who, 'rulings', { limit: 10, ...input })
const versions = async (input: object) => (await ask<{ versions: PolicyVersion[]; hasOlder: boolean }>(stranger, 'versions', input)).data

async function change(freshnessSeconds: number): Promise<void> {
  const { spaceId, current } = fixture.service.policy
  const policy: Policy = { ...current, version: current.version + 1, freshnessSeconds }
  eventOf(await fixture.submit(admin, { kind: 'ext.countersign.policy.change', groupId: spaceId, membershipEpoch: 1, expectedRevision: current.version, payload: { policy, reason: `${freshnessSeconds} are enough.` } }))
}
async function redact() {
  const messageId = newUrn()
  await fixture.submit(owner, { kind: 'message.post', groupId, membershipEpoch: 1, payload: { messageId, content: [{ type: 'text', text: 'Hello' }] } })
  return eventOf(await fixture.submit(owner, { kind: 'message.redact', groupId, membershipEpoch: 1, payload: { amendmentId: newUrn(), messageId, reason: 'It names a customer.' } }))
}
async function refuse(): Promise<void> {
  expect(codeOf(await fixture.submit(coordinator, { kind: 'mission.cancel', groupId, membershipEpoch: 1, sessionEpoch: coordinator.session.sessionEpoch, payload: { reason: 'I am tired.' } }))).toBe('AUTH_FORBIDDEN')
  await expect.poll(async () => (await fixture.service.policy.rulings({ outcome: 'refused', limit: 1 })).length).toBe(1)
}

describe('the policy in the console', () => {
  it('is read by everybody who is signed in, with the services that it can name', async () => {
    const archivist = await fixture.serviceOf('Archivist')
    expect(await ask(stranger, 'view')).toEqual({
      status: 200,
      data: { spaceId: fixture.service.policy.spaceId, policy: fixture.service.policy.current, services: [{ serviceId: archivist.actor.id, name: 'Archivist' }] },
    })
    expect((await ask(undefined, 'view')).status).toBe(401)
  })

  it('tells each version with who put it in force, why, and what it replaced, page by page', async () => {
    expect(await versions({ limit: 10 })).toEqual({ versions: [], hasOlder: false })
    for (const seconds of [60, 90, 120]) await change(seconds)
    const newest = await versions({ limit: 2 })
    expect(newest).toMatchObject({
      versions: [
        { policy: { version: 3, freshnessSeconds: 120 }, previous: { version: 2, freshnessSeconds: 90 }, by: { name: 'Ada' }, reason: '120 are enough.' },
        { policy: { version: 2 }, previous: { version: 1 } },
      ],
      hasOlder: true,
    })
    expect(await versions({ limit: 2, before: 2 })).toMatchObject({ versions: [{ policy: { version: 1 }, previous: { version: 0, freshnessSeconds: 300 } }], hasOlder: false })
  })
})

describe('the Policy Log in the console', () => {
  it('A-126: is shown to the MissionOwner for their Mission, page by page, and is not there for anybody else', async () => {
    const events = [await redact(), await redact()]
    const { data } = await rulings(owner, { groupId, limit: 1 })
    expect(data).toMatchObject({ lines: [{ area: 'redaction', outcome: 'allowed', actor: { name: 'Olga' }, reason: 'It names a customer.', groupId, mission: { missionId }, sequence: events[1]!.sequence }], hasOlder: true })
    expect((await rulings(owner, { groupId, limit: 1, before: data.lines[0]!.entry })).data).toMatchObject({ lines: [{ sequence: events[0]!.sequence }], hasOlder: false })
    expect([(await rulings(stranger, { groupId })).status, (await rulings(owner)).status, (await rulings(undefined)).status]).toEqual([404, 403, 401])
  })

  it('is whole for an administrator, by Group and outcome, without the words of members and the title of a Mission of others', async () => {
    await redact()
    await refuse()
    await change(60)
    const { data } = await rulings(admin)
    expect(data.lines.map(({ area, outcome, groupId: about, reason }) => [area, outcome, about, reason])).toEqual([
      ['policy', 'allowed', undefined, 'version 1 is in force: 60 are enough.'],
      ['authorization', 'refused', groupId, expect.any(String)],
      ['redaction', 'allowed', groupId, undefined],
    ])
    expect(data.lines.flatMap(({ mission }) => mission ?? [])).toEqual([])
    expect((await rulings(admin, { groupId, outcome: 'refused' })).data.lines).toMatchObject([{ code: 'AUTH_FORBIDDEN', actor: { name: 'Coordinator' } }])
    expect((await rulings(admin, { groupId: fixture.service.policy.spaceId })).data.lines).toHaveLength(1)
  })

  it('A-131: tells an administrator who was brought in the words of members only from where they read the log', async () => {
    const earlier = await redact()
    await fixture.submit(owner, { kind: 'membership.change', groupId, membershipEpoch: 1, expectedRevision: 0, payload: { member: admin.actor, role: 'observer', visibilityStartSequence: earlier.sequence! + 1 } })
    const later = await redact()
    const { data } = await rulings(admin, { groupId })
    expect(data.lines.filter(({ area }) => area === 'redaction').map(({ sequence, reason, mission }) => [sequence, reason, mission?.missionId])).toEqual([
      [later.sequence, 'It names a customer.', missionId],
      [earlier.sequence, undefined, missionId],
    ])
  })

  it('is whole for an administrator although a Mission of theirs cannot be read, whose words it does not tell', async () => {
    await fixture.submit(owner, { kind: 'membership.change', groupId, membershipEpoch: 1, expectedRevision: 0, payload: { member: admin.actor, role: 'observer' } })
    await redact()
    await change(60)
    const { log, wakeUps } = fixture.store
    const { read } = log
    log.read = (spaceId, after, limit) => (spaceId === groupId ? Promise.reject(new Error('the disk is damaged')) : read(spaceId, after, limit))
    wakeUps.publish(groupId)
    const { data } = await rulings(admin)
    expect(data.lines.map(({ area, groupId: about, reason }) => [area, about, reason])).toEqual([['policy', undefined, 'version 1 is in force: 60 are enough.'], ['redaction', groupId, undefined]])
  })

  it('names Agents and work where a reason has their ids', async () => {
    const reason = `${coordinator.actor.id} may act below work ${newUrn()}`
    await fixture.store.rulings.add(groupId, { area: 'authorization', outcome: 'refused', at: fixture.clock.now(), actor: coordinator.actor, actionId: newUrn(), kind: 'work.offer', reason, policyVersion: 0, code: 'AUTH_FORBIDDEN' })
    const [line] = (await rulings(owner, { groupId })).data.lines
    expect(line!.reason).toBe(reason.replace(coordinator.actor.id, 'Coordinator'))
  })
})
