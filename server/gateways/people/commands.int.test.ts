import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { reject } from '../../../protocol/error-codes.ts'
import type { SubmitOutcome } from '../../service/service.ts'
import { createCommandsHandler } from './commands.ts'

const clock = { now: () => '2026-11-29T12:00:00.000Z', nowMs: () => 0 }
let outcome: SubmitOutcome
let nowMs: number
const handler = createCommandsHandler({ clock, submitCommand: async () => outcome }, () => nowMs)
const server = createServer((request, response) => void handler(request, response))

beforeEach(async () => {
  nowMs = 0
  await once(server.listen(0, '127.0.0.1'), 'listening')
})
afterEach(async () => {
  server.closeAllConnections()
  await once(server.close(), 'close')
})

const send = () => fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } })

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

  it('of anything else does not', async () => {
    outcome = { ok: false, rejection: reject('REVISION_CONFLICT', 'No.', { expectedRevision: 1, currentRevision: 2 }) }
    nowMs = 3_600_000
    for (let failure = 0; failure < 50; failure++) expect((await send()).status).toBe(409)
  })
})
