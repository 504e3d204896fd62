import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { reject } from '../../../protocol/error-codes.ts'
import type { Handler } from '../../http-messages.ts'
import { addressReader } from '../../http-messages.ts'
import type { SubmitOutcome } from '../../service/service.ts'
import { createCommandsHandler } from './commands.ts'

const clock = { now: () => '2026-11-29T12:00:00.000Z', nowMs: () => 0 }
let outcome: SubmitOutcome
let nowMs: number
let decided: Promise<void>
let under: number
let handler: Handler
let contexts: unknown[]
async function submitCommand(_command: unknown, context: unknown) {
  under++
  contexts.push(context)
  await decided
  return outcome
}
const server = createServer((request, response) => void handler(request, response))

beforeEach(async () => {
  ;[nowMs, under, decided, contexts] = [0, 0, Promise.resolve(), []]
  handler = createCommandsHandler({ clock, submitCommand }, addressReader(1), () => nowMs)
  await once(server.listen(0, '127.0.0.1'), 'listening')
})
afterEach(async () => {
  server.closeAllConnections()
  await once(server.close(), 'close')
})

const send = (client?: unknown) => fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json', ...(typeof client === 'string' && { 'x-forwarded-for': client }) } })

it('tells the audit trail who sends (A-106)', async () => {
  outcome = { ok: false, rejection: reject('AUTH_INVALID_SIGNATURE', 'No.') }
  await send('192.0.2.7')
  expect(contexts).toEqual([{ door: 'http', peer: '192.0.2.7' }])
})

describe('a refusal', () => {
  it('keeps the members of the protocol error and says when to come back', async () => {
    outcome = { ok: false, actionId: 'urn:example:action', rejection: reject('BACKPRESSURE', 'Later.', { retryAfterMs: 1500, details: { queue: 1 } }) }
    const response = await send()
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2'])
    expect(await response.json()).toEqual({ error: { code: 'BACKPRESSURE', message: 'Later.', retryable: true, retryAfterMs: 1500, details: { queue: 1 }, relatedActionId: 'urn:example:action', occurredAt: clock.now() } })
  })

  it('of a signature counts against the address, until time has passed', async () => {
    outcome = { ok: false, rejection: reject('AUTH_INVALID_SIGNATURE', 'No.') }
    for (let failure = 0; failure < 40; failure++) expect((await send()).status).toBe(401)
    const limited = await send()
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '1'])
    expect(await limited.json()).toMatchObject({ error: { code: 'RATE_LIMITED', retryable: true, retryAfterMs: 250 } })
    nowMs = 250
    expect((await send()).status).toBe(401)
    expect((await send()).status).toBe(429)
  })

  it('is counted before it is known, so that many at once find no more room (A-106)', async () => {
    outcome = { ok: false, rejection: reject('SCHEMA_VALIDATION_FAILED', 'No.') }
    let decide = () => {}
    decided = new Promise((resolve) => (decide = resolve))
    const answers = Array.from({ length: 60 }, send)
    const limited = await Promise.race(answers)
    expect(limited.status).toBe(429)
    decide()
    const statuses = (await Promise.all(answers)).map(({ status }) => status)
    expect([under, statuses.filter((status) => status === 422).length, statuses.filter((status) => status === 429).length]).toEqual([40, 40, 20])
  })

  it('counts for the address that the trusted proxy names, not for the proxy', async () => {
    outcome = { ok: false, rejection: reject('AUTH_INVALID_SIGNATURE', 'No.') }
    for (let failure = 0; failure < 40; failure++) await send('198.51.100.1')
    expect([(await send('198.51.100.1')).status, (await send('198.51.100.2')).status]).toEqual([429, 401])
  })

  it('of anything else does not', async () => {
    outcome = { ok: false, rejection: reject('REVISION_CONFLICT', 'No.', { expectedRevision: 1, currentRevision: 2 }) }
      for (let failure = 0; failure < 50; failure++) expect((await send()).status).toBe(409)
  })
})
