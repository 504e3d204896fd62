import { once } from 'node:events'
import type { IncomingMessage, Server } from 'node:http'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Agent, Fixture } from '../../testing/authority-fixture.ts'
import { startAuthority } from '../../testing/authority-fixture.ts'
import { createAgentsHandler, createGroupsHandler } from './agents.ts'

let fixture: Fixture
let agent: Agent
let server: Server
let revision: number

beforeEach(async () => {
  fixture = await startAuthority()
  agent = await fixture.agent('Worker')
  const groups = createGroupsHandler(fixture.service)
  const agents = createAgentsHandler(fixture.service)
  server = createServer((incoming, response) => void (incoming.url === '/api/agents' ? agents : groups)(incoming, response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  ;({ revision } = await fixture.service.reads.memberships(agent.actor.id))
})
afterEach(async () => {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
})

const ask = (after: number, { session } = agent) => {
  const asked = request({ port: (server.address() as AddressInfo).port, path: `/api/groups?after=${after}&wait=25`, headers: { authorization: `Bearer ${session.token}` } }).end()
  asked.on('error', () => undefined)
  return asked
}
async function statusOf(asked: ReturnType<typeof ask>): Promise<number | undefined> {
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  return response.resume().statusCode
}
/** Requests that wait, once the server has begun with all of them. */
async function waiting(count: number) {
  const begun = Promise.all(Array.from({ length: count }, () => once(server, 'request')))
  const asked = Array.from({ length: count }, () => ask(revision))
  await begun
  return asked
}

describe('GET /api/groups that waits', () => {
  it('takes one of few places of its session, until the peer goes away', async () => {
    const [first] = await waiting(4)
    expect(await statusOf(ask(revision))).toBe(429)
    const other = await fixture.agent('Other')
    expect(await statusOf(ask(0, other))).toBe(200)
    first!.destroy()
    await expect.poll(() => statusOf(ask(0))).toBe(200)
  })

  it('is answered when its session ends (A-35)', async () => {
    const [asked] = await waiting(1)
    const status = statusOf(asked!)
    await fixture.handshake(agent)
    expect(await status).toBe(401)
  }, 10_000)

  it('leaves nothing behind when nobody waits any more', async () => {
    const { reads } = fixture.service
    const gone = new AbortController()
    const answer = reads.membershipsAfter(agent.actor.id, revision, 25_000, gone.signal)
    gone.abort()
    expect((await answer).revision).toBe(revision)
    expect((await reads.membershipsAfter(agent.actor.id, revision, 25_000, gone.signal)).revision).toBe(revision)
  }, 10_000)
})

it('A-32: tells other Agents how busy one says it is, and nothing of what it does', async () => {
  const { agentId, sessionEpoch } = agent.session
  const capacity = { maxSlots: 3, activeSlots: 1, availableSlots: 2, queuedItems: 7 }
  const times = { lastHeartbeat: fixture.clock.now(), expiresAt: '2026-11-29T12:01:00Z' }
  fixture.service.sessions.notePresence(agent.session, { agentId, sessionEpoch, status: 'busy', capacity, capabilityAvailability: [], ...times })
  const listed = async () => {
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api/agents`, { headers: { authorization: `Bearer ${agent.session.token}` } })
    return ((await response.json()) as { agents: { agentId: string; presence?: object }[] }).agents.find((one) => one.agentId === agentId)
  }
  expect((await listed())?.presence).toEqual({ status: 'busy', availableSlots: 2 })
  fixture.clock.advance(60)
  expect(await listed()).not.toHaveProperty('presence')
})
