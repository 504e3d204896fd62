import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { silentLog } from '../server/log.ts'
import { openResources } from '../server/resources.ts'
import type { SpaceReport } from '../server/service/verify-log.ts'
import { startServer } from '../server/start.ts'
import { eventOf, fixtureOn, newKey } from '../server/testing/authority-fixture.ts'
import { ReleaseFlow } from '../server/testing/release-flow.ts'
import type { TestDatabase } from '../server/testing/test-database.ts'
import { createTestDatabase, skipReason } from '../server/testing/test-database.ts'
import { operate } from './operate.ts'

describe.skipIf(skipReason)(`the operator, on PostgreSQL${skipReason ? ` (${skipReason})` : ''}`, () => {
  let database: TestDatabase
  let dataDir: string
  const environment = process.env.DATABASE_URL
  beforeAll(async () => {
    database = await createTestDatabase()
    dataDir = await mkdtemp(join(tmpdir(), 'operate-'))
    process.env.DATABASE_URL = database.url
  })
  afterAll(async () => {
    if (environment === undefined) delete process.env.DATABASE_URL
    else process.env.DATABASE_URL = environment
    await rm(dataDir, { recursive: true })
    await database.drop()
  })

  it('is told when no server was ever started on the folder', async () => {
    await expect(operate('agent list', {}, dataDir)).rejects.toThrow('No server has been started')
  })

  it('works on the running server and on the stopped one alike, and the whole log verifies in both', async () => {
    const resources = await openResources({ dataDir, databaseUrl: database.url, organizationName: 'Test' }, silentLog())
    const server = await startServer({ resources, dataDir, log: silentLog() })
    const fixture = fixtureOn(server.service, { ...resources, clock: resources.store.clock })
    const roles = { owner: await fixture.person('Olga'), coordinator: await fixture.agent('Coordinator'), worker: await fixture.agent('Worker') }
    const flow = await ReleaseFlow.executing(fixture, roles)
    await flow.submitForApproval()
    eventOf(await fixture.submit(roles.owner, await flow.approveDraft()))
    const running = await operate('space state', { groupId: flow.groupId }, dataDir)
    const reports = (await operate('log verify', {}, dataDir)) as SpaceReport[]
    await expect(operate('key revoke', { keyId: 'urn:example:none' }, dataDir)).rejects.toThrow('there is no such key')
    await server.stop()
    await resources.close()

    vi.stubEnv('DATABASE_URL', undefined)
    await expect(operate('key list', {}, dataDir)).rejects.toMatchObject({ code: 'log-elsewhere' })
    vi.unstubAllEnvs()
    expect(reports.map(({ differences }) => differences)).toEqual([[], []])
    expect(await operate('space state', { groupId: flow.groupId }, dataDir)).toEqual(running)
    expect(await operate('log verify', {}, dataDir)).toEqual(reports)
    const added = await operate('agent add', { name: 'Later', publicKey: newKey().publicKey, capabilities: [{ id: 'a.b', version: '1.0.0' }] }, dataDir)
    expect(await operate('agent list', {}, dataDir)).toContainEqual(expect.objectContaining({ agentId: (added as { agentId: string }).agentId, online: false }))
    await expect(operate('key revoke', { keyId: 'urn:example:none' }, dataDir)).rejects.toThrow('there is no such key')
  })

  it('finds it when somebody has changed a row behind the server’s back', async () => {
    const { store, close } = await openResources({ dataDir, databaseUrl: database.url, organizationName: 'Test' }, silentLog())
    const [spaceId] = await store.log.listSpaces('mission')
    await close()
    const sql = postgres(database.url, { max: 1 })
    await sql`update missions set state = 'active' where space_id = ${spaceId!}`
    await sql.end()
    const reports = (await operate('log verify', {}, dataDir)) as SpaceReport[]
    expect(reports.flatMap(({ differences }) => differences)).toEqual([expect.stringContaining('read models')])
  })
})
