// Tokens over a real socket.
import { once } from 'node:events'
import type { Server } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Agent } from '../../testing/authority-fixture.ts'
import { newUrn, startAuthority } from '../../testing/authority-fixture.ts'
import { ReleaseFlow } from '../../testing/release-flow.ts'
import { createTokenHandler, createTokenVerifyHandler } from './execution-tokens.ts'

let server: Server
let worker: Agent
let flow: ReleaseFlow

beforeEach(async () => {
  const fixture = await startAuthority()
  worker = await fixture.agent('Worker')
  flow = await ReleaseFlow.executing(fixture, { owner: await fixture.person('Olga'), coordinator: await fixture.agent('Coordinator'), worker })
  const [issue, verify] = [createTokenHandler(fixture.service), createTokenVerifyHandler(fixture.service)]
  server = createServer((incoming, response) => void (incoming.url === '/issue' ? issue : verify)(incoming, response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
})
afterEach(async () => {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
})

async function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<{ status: number; body: Record<string, unknown> }> {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}
const issue = (changes: Record<string, unknown> = {}, credential = worker.session.token) =>
  post('/issue', { groupId: flow.groupId, workItemId: flow.workItemId, ...changes }, { authorization: `Bearer ${credential}` })
const use = (token: unknown) => post('/verify', { token, resource: 'urn:example:repository', operation: 'read', usage: { toolCalls: 1 } })

it('A-194: an Agent gets a token with its session and a guard verifies it', async () => {
  const { status, body } = await issue({ seconds: 60 })
  expect([status, Object.keys(body)]).toEqual([201, ['token', 'expiresAt']])
  expect(await use(body['token'])).toMatchObject({ status: 200, body: { grant: { agentId: worker.actor.id, workItemId: flow.workItemId } } })
})

it('A-195: nobody gets one without a session, and a token is no session', async () => {
  const { body } = await issue()
  const statuses = [await issue({}, 'x'), await issue({}, String(body['token'])), await post('/issue', { groupId: flow.groupId, workItemId: flow.workItemId })]
  expect(statuses.map(({ status }) => status)).toEqual([401, 401, 401])
})

it('A-194: a refusal has the status and the error of its code', async () => {
  expect(await issue({ groupId: newUrn() })).toMatchObject({ status: 404, body: { error: { code: 'GROUP_NOT_FOUND' } } })
  expect(await issue({ budget: { toolCallLimit: 11 } })).toMatchObject({ status: 409, body: { error: { code: 'BUDGET_EXCEEDED' } } })
  expect(await use('x.y')).toMatchObject({ status: 401, body: { error: { code: 'AUTH_INVALID_SIGNATURE' } } })
})

it('takes JSON of the documented shape only', async () => {
  expect((await issue({ surprise: 1 })).status).toBe(400)
  expect((await issue({ seconds: 0.5 })).status).toBe(400)
  expect((await post('/verify', {}, { 'content-type': 'text/plain' })).status).toBe(415)
})
