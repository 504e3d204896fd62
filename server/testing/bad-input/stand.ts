// A real server on a real database with everything that bad input could damage, and a way to see whether it did.
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import postgres from 'postgres'
import { encodeBase64url } from '../../../protocol/base64url.ts'
import { publicKeyOf, signBytes } from '../../../protocol/ed25519-sign.ts'
import { invariant } from '../../../protocol/result.ts'
import { RawClient } from '../../gateways/mwp/testing/raw-client.ts'
import type { Log } from '../../log.ts'
import { createLog } from '../../log.ts'
import type { OrganizationKeys } from '../../service/organization-keys.ts'
import type { ArtifactStore, Clock, Store } from '../../service/ports.ts'
import type { AgentSession, AuthorityService } from '../../service/service.ts'
import type { Draft, Fixture, Person, Signatory } from '../authority-fixture.ts'
import { eventOf, fixtureOn, newUrn } from '../authority-fixture.ts'
import { selectionBasis, workContract } from '../documents.ts'
import { createTestDatabase } from '../test-database.ts'
import type { Shot } from './wire.ts'
import { fromElsewhere, jsonOf, send } from './wire.ts'

export interface StandAgent extends Signatory { readonly seed: Uint8Array; session: AgentSession }

const capability = { id: 'release.report', version: '1.0.0' }

interface Opened {
  readonly server: { readonly port: number; readonly service: AuthorityService; readonly adminToken: string; stop(): Promise<void> }
  readonly resources: { readonly store: Store; readonly artifacts: ArtifactStore; readonly organization: OrganizationKeys; close(): Promise<void> }
}

export interface StandSettings { readonly databaseUrl: string; readonly dataDir: string; readonly log: Log }

/** Every table but the audit trail, its rows as text, and every file of the artifact folder with its size. */
export type Trace = Readonly<Record<string, string>>

export interface Stand extends Pick<Fixture<Clock>, 'service' | 'clock' | 'command' | 'submit'> {
  readonly port: number
  readonly adminToken: string
  readonly url: string
  /** MissionOwner of the Mission below. */
  readonly owner: Person
  /** A person who belongs to no Group. */
  readonly stranger: Person
  /** A person whose key was revoked. */
  readonly revoked: Person
  /** Coordinator of the Mission. */
  readonly coordinator: StandAgent
  /** Worker in the Mission, whose second session is open: its first Session Epoch is fenced. */
  readonly worker: StandAgent
  readonly missionId: string
  readonly groupId: string
  /** What the worker executes, with its current fences. */
  readonly work: { readonly workItemId: string; readonly ownershipEpoch: number; readonly executionLeaseId: string }
  /** A Group of the stranger's, hidden from everybody else. */
  readonly hiddenGroupId: string
  /** Of the bytes that the worker uploaded. */
  readonly contentHash: string
  /** A Command of the owner's that was accepted, byte for byte, and its Action ID. */
  readonly accepted: { readonly bytes: Uint8Array; readonly actionId: string }
  readonly cookie: { readonly cookie: string }
  readonly bearer: { readonly authorization: string }
  /** Of a session that a newer one replaced. */
  readonly staleBearer: { readonly authorization: string }
  /** What the server logged as its own fault since the last call. */
  faults(): readonly string[]
  trace(): Promise<Trace>
  send(shot: Shot): ReturnType<typeof send>
  /** Fails unless every door still does its work. Changes nothing. */
  expectService(): Promise<void>
  /** A fresh MissionWeaveProtocol connection, as the coordinator unless it stays without a name. */
  connect(options?: { isAnonymous: boolean }): Promise<RawClient>
  close(): Promise<void>
}

/** A Message that any member may post, a new one at each call. */
export const messageDraft = (groupId: string, changes: Partial<Draft> = {}): Draft => ({
  kind: 'message.post', groupId, membershipEpoch: 1, payload: { messageId: newUrn(), content: [{ type: 'text', text: 'Hello.' }] }, ...changes,
})

/** `open` starts the server, behind one trusted proxy; the fixtures themselves may not know how. */
export async function openStand(open: (settings: StandSettings) => Promise<Opened>): Promise<Stand> {
  const database = await createTestDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'bad-input-'))
  const faults: string[] = []
  const { server, resources } = await open({ databaseUrl: database.url, dataDir, log: createLog('error', { write: (line) => faults.push(line) }) })
  const { port, service, adminToken } = server
  const { clock } = resources.store
  const fixture = fixtureOn(service, { clock, ...resources })
  const sql = postgres(database.url, { max: 1, onnotice: () => {} })
  const query = await rowsQuery(sql)

  const [owner, stranger, revoked] = [await fixture.person('Olga'), await fixture.person('Sven'), await fixture.person('Rita')]
  await service.identities.revokeKey(revoked.keyId)
  const [coordinator, worker] = [await agentOn(fixture, 'Coordinator'), await agentOn(fixture, 'Worker')]
  const staleBearer = bearerOf(worker)
  worker.session = await fixture.handshake(worker)
  const deadline = { deadline: new Date(clock.nowMs() + 86_400_000).toISOString() }
  const { missionId, groupId } = await fixture.mission(owner, { ...coordinator }, deadline)
  const hidden = await fixture.mission(stranger, { ...worker }, deadline)
  eventOf(await fixture.submit(owner, { kind: 'membership.change', groupId, membershipEpoch: 1, payload: { member: worker.actor, role: 'worker' } }))
  const work = await workOn(fixture, { groupId, coordinator, worker, ...deadline })
  const actionId = newUrn()
  const bytes = await fixture.command(owner, messageDraft(groupId, { actionId }))
  eventOf(await service.submitCommand(bytes, { door: 'http' }))
  const cookie = { cookie: `countersign_session=${(await service.console.open(owner.actor.id, owner.keyId)).token}` }
  const upload = await send(port, { path: '/artifacts', body: 'The report.\n', headers: { ...bearerOf(worker), 'content-type': 'text/plain' } })
  const { contentHash } = jsonOf(upload) as { contentHash: string }

  return {
    ...fixture,
    port, adminToken, owner, stranger, revoked, coordinator, worker, missionId, groupId, work, contentHash, cookie, staleBearer,
    url: `ws://127.0.0.1:${port}/mwp`,
    hiddenGroupId: hidden.groupId,
    accepted: { bytes, actionId },
    bearer: bearerOf(worker),
    faults: () => faults.splice(0),
    trace: async () => ({ ...(await rowsOf(sql, query)), artifacts: await filesOf(join(dataDir, 'artifacts')) }),
    send: (shot) => send(port, shot),
    async expectService() {
      const input = encodeURIComponent(JSON.stringify({ missionId }))
      const answers = await Promise.all([
        send(port, { path: `/artifacts/${contentHash}`, headers: bearerOf(worker) }),
        send(port, { path: '/api/commands', body: bytes, headers: { 'content-type': 'application/json' } }),
        send(port, { path: `/api/trpc/missions.view?input=${input}`, headers: cookie }),
        send(port, { path: '/api/admin', body: '{"command":"agent list"}', headers: { 'content-type': 'application/json', authorization: `Bearer ${adminToken}` } }),
      ])
      invariant(answers.every(({ status }) => status === 200), `the server does not serve any more: ${JSON.stringify(answers)}`)
    },
    async connect({ isAnonymous } = { isAnonymous: false }) {
      const client = await RawClient.open(`ws://127.0.0.1:${port}/mwp`, { headers: fromElsewhere() })
      if (isAnonymous) return client
      await client.shakeHands({ ...coordinator, agentId: coordinator.actor.id })
      const accept = await client.find((frame) => frame.frameType === 'HELLO' && frame.phase === 'server_accept')
      coordinator.session = { ...coordinator.session, ...(accept as unknown as Pick<AgentSession, 'sessionEpoch'>) }
      return client
    },
    async close() {
      await sql.end()
      await server.stop()
      await resources.close()
      await rm(dataDir, { recursive: true })
      await database.drop()
    },
  }
}

/** The rows and files that came or went, one line each; no line when the two are equal. */
export function changesBetween(before: Trace, after: Trace): string[] {
  return Object.keys({ ...before, ...after }).flatMap((place) => {
    const [old, now] = [before, after].map((trace) => new Set((trace[place] ?? '').split('\n'))) as [Set<string>, Set<string>]
    const line = (sign: string, row: string) => `${sign} ${place} ${row.slice(0, 300)}`
    return [...[...old].filter((row) => !now.has(row)).map((row) => line('-', row)), ...[...now].filter((row) => !old.has(row)).map((row) => line('+', row))]
  })
}

const bearerOf = ({ session }: StandAgent) => ({ authorization: `Bearer ${session.token}` })

/** An Agent whose seed the test holds, so that it can shake hands on the wire. */
async function agentOn({ service, handshake }: Fixture<Clock>, name: string): Promise<StandAgent> {
  const seed = randomBytes(32)
  const added = await service.identities.addAgent({ name, publicKey: encodeBase64url(publicKeyOf(seed)), capabilities: [capability] })
  invariant(added.ok, added.ok ? '' : added.error.reason)
  const agent = { actor: { type: 'agent', id: added.value.agentId } as const, keyId: added.value.keyId, seed, sign: (bytes: Uint8Array) => signBytes(seed, bytes) }
  return { ...agent, session: await handshake(agent) }
}

/** A WorkItem from its authorization to its execution. */
async function workOn({ submit }: Fixture<Clock>, { groupId, coordinator, worker, deadline }: { groupId: string; coordinator: StandAgent; worker: StandAgent; deadline: string }): Promise<Stand['work']> {
  const act = async (agent: StandAgent, draft: Draft) =>
    eventOf(await submit(agent, { groupId, membershipEpoch: 1, sessionEpoch: agent.session.sessionEpoch, ...(agent === coordinator && { coordinatorEpoch: 1 }), ...draft })).payload
  const workItemId = newUrn()
  const contract = workContract({ requiredCapabilities: [capability], budget: { toolCallLimit: 10 }, deadline })
  await act(coordinator, { kind: 'work.authorize', payload: { workItemId, contract } })
  const offered = await act(coordinator, { kind: 'work.offer', payload: { workItemId, candidateAgentIds: [worker.actor.id], selectionBasis: selectionBasis(capability) } })
  const [{ offerId }] = offered.offers as [{ offerId: string }]
  const { ownershipEpoch } = (await act(worker, { kind: 'work.accept_offer', payload: { workItemId, offerId, ownershipLeaseSeconds: 3600 } })) as { ownershipEpoch: number }
  const { executionLease } = (await act(worker, { kind: 'work.start', payload: { workItemId, ownershipEpoch, executionLeaseSeconds: 3600 } })) as { executionLease: { leaseId: string } }
  return { workItemId, ownershipEpoch, executionLeaseId: executionLease.leaseId }
}

/** A query for every row of every table, as text and in one order, but for what is kept about refusals. */
async function rowsQuery(sql: postgres.Sql): Promise<string> {
  const tables = await sql<{ name: string }[]>`
    SELECT table_name AS name FROM information_schema.tables
    WHERE table_schema NOT IN ('pg_catalog', 'information_schema') AND table_type = 'BASE TABLE' AND table_name <> 'audit' ORDER BY 1`
  const rows = tables.map(({ name }) => {
    const wanted = name === 'policy_log' ? `WHERE outcome = 'allowed'` : ''
    return `SELECT '${name}' AS name, coalesce((SELECT string_agg(t::text, E'\\n' ORDER BY t::text) FROM "${name}" AS t ${wanted}), '') AS rows`
  })
  return rows.join(' UNION ALL ')
}

async function rowsOf(sql: postgres.Sql, query: string): Promise<Record<string, string>> {
  const found = await sql.unsafe<{ name: string; rows: string }[]>(query, [], { prepare: true })
  return Object.fromEntries(found.map(({ name, rows }) => [name, rows]))
}

async function filesOf(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const sizes = await Promise.all(paths.map(async (path) => `${relative(folder, path)} ${(await stat(path)).size}`))
  return sizes.sort().join('\n')
}
