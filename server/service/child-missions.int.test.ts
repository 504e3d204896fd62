import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { silentLog } from '../log.ts'
import { openStore } from '../store/open-store.ts'
import type { Agent, Fixture, Person } from '../testing/authority-fixture.ts'
import { codeOf, fixtureOn, memoryArtifacts } from '../testing/authority-fixture.ts'
import type { TestDatabase } from '../testing/test-database.ts'
import { createTestDatabase, skipReason } from '../testing/test-database.ts'
import { TreeFlow } from '../testing/tree-flow.ts'
import { createAuthorityService } from './authority-service.ts'
import type { OrganizationKeys } from './organization-keys.ts'
import { foundOrganization, parseOrganizationKeys } from './organization-keys.ts'
import type { Clock, Store } from './ports.ts'

const migrationsFolder = join(import.meta.dirname, '../../drizzle/migrations')
const patience = { timeout: 10_000 }

describe.skipIf(skipReason)(`a tree of Missions on PostgreSQL${skipReason ? ` (${skipReason})` : ''}`, () => {
  let database: TestDatabase
  let fixture: Fixture<Clock>
  let owner: Person
  let agents: Agent[]
  const open: Fixture<Clock>[] = []

  /** A node that dies before it records a reaction, if `dies` is set. */
  async function node({ organization, dies = false }: { organization?: OrganizationKeys; dies?: boolean } = {}): Promise<Fixture<Clock>> {
    const store = await openStore({ url: database.url, migrationsFolder, maxConnections: 4 })
    const keys = organization ?? parseOrganizationKeys(foundOrganization('Test', store.clock.now()))
    const log: Store['log'] = dies ? { ...store.log, append: (batch) => (batch.settled ? Promise.reject(new Error('the node is gone')) : store.log.append(batch)) } : store.log
    const service = await createAuthorityService({ store: { ...store, log }, artifacts: memoryArtifacts(), organization: keys, origin: 'http://127.0.0.1:4310', diagnostics: silentLog() })
    const started = fixtureOn(service, { store, clock: store.clock, organization: keys })
    open.push(started)
    return started
  }

  async function close(started: Fixture<Clock>): Promise<void> {
    open.splice(open.indexOf(started), 1)
    await started.service.stop()
    await started.store.close()
  }

  beforeAll(async () => {
    database = await createTestDatabase()
    fixture = await node()
    owner = await fixture.person('Olga')
    agents = await Promise.all(['Cora', 'Carl', 'Cleo', 'Wim'].map((name) => fixture.agent(name)))
  })
  afterAll(async () => {
    for (const started of [...open]) await close(started)
    await database.drop()
  })

  async function threeLevels(on = fixture): Promise<TreeFlow> {
    const flow = await TreeFlow.root(on, owner, agents)
    await flow.child()
    await flow.child()
    return flow
  }

  it('A-162, A-207: is approved from the bottom up', async () => {
    const flow = await threeLevels()
    await flow.finishDeepest(agents[3]!)
    for (const index of [2, 1]) {
      expect(codeOf(await flow.approve(flow.levels[index]!))).toBe('accepted')
      await expect.poll(() => flow.workState(flow.levels[index - 1]!), patience).toBe('verified')
      await flow.submit(flow.levels[index - 1]!)
    }
    expect(codeOf(await flow.approve(flow.levels[0]!))).toBe('accepted')
    expect(await flow.missionStates()).toEqual(['approved', 'approved', 'approved'])
    expect((await fixture.service.verifyLog()).flatMap(({ differences }) => differences)).toEqual([])
  })

  it('A-114, A-164: ends with its root, and keeps no reaction', async () => {
    const flow = await threeLevels()
    await flow.send(owner, flow.levels[0]!.groupId, { kind: 'mission.cancel', payload: { reason: 'Enough.' } })
    await expect.poll(() => flow.missionStates(), patience).toEqual(['cancelled', 'cancelled', 'cancelled'])
    await expect.poll(() => fixture.store.log.pendingReactions(10), patience).toEqual([])
    expect((await fixture.service.verifyLog()).flatMap(({ differences }) => differences)).toEqual([])
  })

  it('A-205: founds a Group once, whoever asks at the same time', async () => {
    const [one, two] = [await TreeFlow.root(fixture, owner, agents), await TreeFlow.root(fixture, owner, agents)]
    const { groupId, missionId } = one.childDraft().payload as { groupId: string; missionId: string }
    const outcomes = await Promise.all([one, two].map((flow) => flow.send(agents[0]!, flow.deepest.groupId, flow.childDraft({ groupId, missionId }), true)))
    expect(outcomes.map(codeOf).sort()).toEqual(['INVALID_COMMAND', 'accepted'])
    expect((await Promise.all([one, two].map((flow) => flow.workState(flow.deepest)))).sort()).toEqual(['blocked', 'open'])
    expect(await fixture.store.log.head(groupId)).toBe(1)
  })

  it('A-164: goes on at another node where one has died between the two commits', async () => {
    const { organization } = fixture
    await close(fixture)
    const dying = await node({ organization, dies: true })
    agents = await Promise.all(agents.map(async (agent) => ({ ...agent, session: await dying.handshake(agent) })))
    const flow = await threeLevels(dying)
    await flow.send(owner, flow.levels[0]!.groupId, { kind: 'mission.cancel', payload: { reason: 'Enough.' } })
    await close(dying)

    fixture = await node({ organization })
    const ends = async ({ groupId }: { groupId: string }) => (await fixture.store.log.read(groupId, 0, 100)).filter(({ kind }) => kind === 'mission.cancelled').length
    await expect.poll(() => Promise.all(flow.levels.map(ends)), patience).toEqual([1, 1, 1])
    await expect.poll(() => fixture.store.log.pendingReactions(10), patience).toEqual([])
    const second = await node({ organization })
    expect(await Promise.all(flow.levels.map(ends))).toEqual([1, 1, 1])
    expect((await second.service.verifyLog()).flatMap(({ differences }) => differences)).toEqual([])
  })
})
