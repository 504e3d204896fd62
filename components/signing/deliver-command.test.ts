import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { encodeCanonical } from '../../protocol/canonical-json.ts'
import { signBytes } from '../../protocol/ed25519-sign.ts'
import { signingHash } from '../../protocol/signed-documents.ts'
import { deliverCommand } from './deliver-command.ts'
import { createOutbox } from './outbox.ts'
import { AUTHORITY, answerTo, bytesOf, createDraft, IDS, ORIGIN } from './signing-fixture.ts'
import { completeCommand, planSigning } from './signing-plan.ts'
import { sendKept } from './use-command.ts'

const unsigned = bytesOf(createDraft)
const plan = planSigning(unsigned, ORIGIN)
if (!plan.ok || plan.value.form !== 'command') throw new Error('no command')
const signed = await completeCommand(plan.value, IDS.myKey, (message) => signBytes(new Uint8Array(32).fill(9), message))
const event = await answerTo({ actionId: IDS.action, signingHash: signingHash(unsigned) })

const sent: Uint8Array[] = []
function serverAnswers(answer: () => Response | Promise<Response>): void {
  vi.stubGlobal('fetch', async (_: string, init: { body: Uint8Array }) => {
    sent.push(init.body)
    return answer()
  })
}
const json = (value: object, status = 200) => new Response(new Uint8Array(encodeCanonical(value)), { status })
const refusal = (code: string, extra: object = {}) => json({ error: { code, message: 'no', retryable: false, occurredAt: '2026-11-29T12:00:01Z', ...extra } }, 409)

const kept = new Map<string, string>()

beforeEach(() => {
  sent.length = 0
  kept.clear()
  vi.stubGlobal('localStorage', {
    get length() {
      return kept.size
    },
    key: (at: number) => [...kept.keys()][at] ?? null,
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  })
  createOutbox(localStorage).keep({ actionId: IDS.action, principalId: IDS.me, kind: 'mission.create', signedAt: '1', text: '{}' })
})

afterEach(() => vi.unstubAllGlobals())

describe('deliverCommand', () => {
  it('sends the signed bytes as they are and reports the verified Event', async () => {
    let isAccepted = false
    serverAnswers(() => json({ event }))
    expect(await deliverCommand(signed, { authority: AUTHORITY, onAccepted: () => (isAccepted = true) })).toMatchObject({ outcome: 'verified', event: { eventId: IDS.event } })
    expect(sent).toEqual([signed])
    expect(isAccepted).toBe(true)
  })

  it('reports an answer that does not verify as such, never as success', async () => {
    serverAnswers(() => json({ event: { ...event, payload: { title: 'Another' } } }))
    expect(await deliverCommand(signed, { authority: AUTHORITY })).toEqual({ outcome: 'unverified', stage: 'signature' })
  })

  it('reports a refusal with its code and revisions', async () => {
    serverAnswers(() => refusal('REVISION_CONFLICT', { expectedRevision: 6, currentRevision: 7 }))
    expect(await deliverCommand(signed, { authority: AUTHORITY })).toEqual({ outcome: 'refused', code: 'REVISION_CONFLICT', move: { expectedRevision: 6, currentRevision: 7 } })
  })

  it.each<[string, () => Response | Promise<Response>]>([
    ['no answer', () => Promise.reject(new TypeError('failed to fetch'))],
    ['a page of a proxy', () => new Response('<html>', { status: 502 })],
    ['an empty object', () => json({})],
    ['a code that does not exist', () => refusal('toString')],
  ])('takes %s for silence', async (_, answer) => {
    serverAnswers(answer)
    expect(await deliverCommand(signed, { authority: AUTHORITY })).toEqual({ outcome: 'unreachable' })
  })
})

describe('sendKept', () => {
  const listed = () => createOutbox(localStorage).list(IDS.me).length

  it.each<[string, () => Response | Promise<Response>, number, string | undefined]>([
    ['lets go of what was accepted and verified', () => json({ event }), 0, undefined],
    ['lets go of what was refused for good', () => refusal('INVALID_COMMAND'), 0, 'INVALID_COMMAND'],
    ['keeps what may be sent again unchanged', () => refusal('BACKPRESSURE'), 1, 'BACKPRESSURE'],
    ['keeps what was not answered', () => Promise.reject(new TypeError('failed to fetch')), 1, 'UNREACHABLE'],
    ['keeps what was answered by an Event that does not verify', () => json({ event: { ...event, occurredAt: 'x' } }), 1, 'UNVERIFIED'],
  ])('%s', async (_, answer, left, code) => {
    serverAnswers(answer)
    const outcome = await sendKept(IDS.action, signed, { authority: AUTHORITY })
    expect(outcome.ok ? undefined : outcome.error.code).toBe(code)
    expect(listed()).toBe(left)
  })
})
