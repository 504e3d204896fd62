import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { reject } from '../../../protocol/error-codes.ts'
import type { EventDocument } from '../../../protocol/generated/types.ts'
import type { SubmitOutcome } from '../../service/service.ts'
import { CLOSE_CODES } from './close-codes.ts'
import type { MwpLimits } from './limits.ts'
import { FakeService, testAgent } from './testing/fake-service.ts'
import { envelope, id, listen, RawClient } from './testing/raw-client.ts'

const agent = testAgent('worker')
const groupId = 'urn:test:group'
const utf8 = new TextDecoder()
let fake: FakeService
let server: Awaited<ReturnType<typeof listen>>
let client: RawClient

async function start(limits: Partial<MwpLimits> = {}) {
  server = await listen(fake.asService(), { limits })
  client = await RawClient.authenticated(server.url, agent)
}

beforeEach(() => {
  fake = new FakeService()
  fake.register(agent)
})
afterEach(() => server.stop())

function command(of = groupId) {
  const actionId = id()
  const frame = { ...envelope(), frameType: 'COMMAND', command: { actionId, groupId: of } }
  client.send(frame)
  return { actionId, frameId: frame.frameId }
}

const receiptsOf = (actionId: string) => client.events(groupId).filter(({ cause }) => cause.id === actionId)
const receiptOf = (actionId: string) =>
  client.find((frame) => frame.frameType === 'EVENT' && frame.event.cause.id === actionId)

/** A decision that a test makes later. */
function deferred() {
  let settle: (outcome: SubmitOutcome) => void = () => undefined
  const outcome = new Promise<SubmitOutcome>((resolve) => (settle = resolve))
  return { outcome, settle: (value: SubmitOutcome) => settle(value) }
}

describe('receipts (O-3)', () => {
  test('an accepted Command is answered with its Event, subscribed or not', async () => {
    const group = fake.group(groupId, agent)
    await start()
    const { actionId } = command()
    await receiptOf(actionId)
    expect(client.texts.at(-1)).toContain(utf8.decode(group.entries[0]!.bytes))
  })

  test('a subscriber gets the Event once, in its place', async () => {
    const group = fake.group(groupId, agent)
    for (let before = 0; before < 50; before++) group.append()
    await start()
    client.subscribe(groupId, 0)
    const { actionId } = command()
    await receiptOf(actionId)
    await client.roundTrip()
    expect(client.events(groupId).map(({ sequence }) => sequence)).toEqual(Array.from({ length: 51 }, (_, index) => index + 1))
    expect(receiptsOf(actionId)).toHaveLength(1)
  })

  test('a filter that drops the Event does not drop the receipt', async () => {
    fake.group(groupId, agent)
    await start()
    client.subscribe(groupId, 0, { eventKinds: ['work.started'] })
    await client.roundTrip()
    const { actionId } = command()
    await receiptOf(actionId)
  })

  test('a retry is answered again with the same bytes (A-222)', async () => {
    const group = fake.group(groupId, agent)
    const entry = group.append({ cause: { type: 'command', id: 'urn:test:action' } })
    fake.decide = () => ({ ok: true, spaceId: groupId, sequence: 1, eventBytes: entry.bytes, isDuplicate: true })
    await start()
    client.subscribe(groupId, 0)
    await client.sequencesUpTo(groupId, 1)
    command()
    await expect.poll(() => receiptsOf('urn:test:action')).toHaveLength(2)
    const texts = client.texts.filter((text) => text.includes('"EVENT"')).map((text) => text.slice(0, text.indexOf(',"frameId":"urn:uuid')))
    expect(new Set(texts).size).toBe(1)
  })

  test('an Event of a Group that is not subscribed, after the subscription of it ended, still comes', async () => {
    const group = fake.group(groupId, agent)
    await start()
    client.subscribe(groupId, 0)
    await client.roundTrip()
    group.endFeeds()
    await client.findError('MEMBERSHIP_REQUIRED')
    const { actionId } = command()
    await receiptOf(actionId)
  })

  test('a receipt that waits for its place is not lost when the subscription ends first', async () => {
    const group = fake.group(groupId, agent)
    const { outcome, settle } = deferred()
    fake.decide = () => outcome
    await start()
    client.subscribe(groupId, 0)
    await client.roundTrip()
    const ahead: EventDocument['cause'] = { type: 'command', id: 'urn:test:ahead' }
    const entry = group.append({ cause: ahead })
    command()
    settle({ ok: true, spaceId: groupId, sequence: 99, eventBytes: entry.bytes, isDuplicate: true })
    await client.roundTrip()
    expect(receiptsOf('urn:test:ahead')).toHaveLength(1)
    group.endFeeds()
    await client.findError('MEMBERSHIP_REQUIRED')
    await expect.poll(() => receiptsOf('urn:test:ahead')).toHaveLength(2)
  })
})

describe('exact bytes (A-53)', () => {
  test('the authority sees the Command as it was sent, spacing, order, escapes and numbers included', async () => {
    fake.group(groupId, agent)
    await start()
    const text = `{ "z":1.50, "groupId":"${groupId}",\n\t"\\u0061ctionId":"urn:test:action", "text":"\\u00e9 é \\ud83d\\ude00" }`
    client.send(`{"frameId":"urn:test:frame","command" : ${text} ,"frameType":"COMMAND","protocolVersion":"0.1"}`)
    await receiptOf('urn:test:action')
    expect(fake.submitted).toEqual([text])
  })
})

describe('refusals', () => {
  test('name frame, action and Group and leave the connection open (A-247)', async () => {
    fake.group(groupId, agent)
    fake.decide = () => ({ ok: false, rejection: reject('REVISION_CONFLICT', 'changed', { currentRevision: 4 }) })
    await start()
    const { actionId, frameId } = command()
    expect(await client.findError('REVISION_CONFLICT')).toMatchObject({
      relatedFrameId: frameId,
      relatedActionId: actionId,
      groupId,
      retryable: false,
      currentRevision: 4,
    })
    await client.roundTrip()
  })

  test('that are fatal end the connection', async () => {
    fake.group(groupId, agent)
    fake.decide = () => ({ ok: false, rejection: reject('PROTOCOL_VIOLATION', 'outside the data model') })
    await start()
    command()
    expect(await client.findError('PROTOCOL_VIOLATION')).toMatchObject({ fatal: true })
    expect(await client.closed).toEqual(CLOSE_CODES.protocolViolation)
  })

  test('a fault of ours is INTERNAL_ERROR without detail, and may be retried unchanged (A-275)', async () => {
    fake.group(groupId, agent)
    fake.decide = () => Promise.reject(new Error('relation "secrets" does not exist'))
    await start()
    const { actionId } = command()
    const error = await client.findError('INTERNAL_ERROR')
    expect(error).toMatchObject({ relatedActionId: actionId, retryable: true })
    expect(JSON.stringify(error)).not.toContain('secrets')
    expect(server.faults).toHaveLength(1)
    await client.roundTrip()
  })
})

describe('several Commands at once', () => {
  test('are decided side by side, and answered in their order within a Group', async () => {
    const group = fake.group(groupId, agent)
    const other = fake.group('urn:test:other', agent)
    const first = deferred()
    fake.decide = (sent, of) => (fake.submitted.length === 1 ? first.outcome : fake.accept(sent, of))
    await start()
    const sent = [command(), command(), command('urn:test:other')]
    await client.sequencesUpTo(other.groupId, 1)
    expect(fake.submitted).toHaveLength(3)
    expect(client.events(groupId)).toEqual([])
    first.settle(fake.accept({ actionId: sent[0]!.actionId } as never, group))
    await receiptOf(sent[1]!.actionId)
    const answered = client.events(groupId).map(({ cause }) => cause.id)
    expect(answered).toEqual([sent[0]!.actionId, sent[1]!.actionId])
  })

  test('are bounded: one too many is refused with BACKPRESSURE and may be retried unchanged (A-272)', async () => {
    fake.group(groupId, agent)
    const held = deferred()
    fake.decide = () => held.outcome
    await start({ maxCommandsInFlight: 2 })
    command()
    command()
    const { actionId } = command()
    expect(await client.findError('BACKPRESSURE')).toMatchObject({
      relatedActionId: actionId,
      retryable: true,
      retryAfterMs: expect.any(Number),
    })
    expect(fake.submitted).toHaveLength(2)
    held.settle({ ok: false, rejection: reject('INVALID_COMMAND', 'no') })
    await client.findError('INVALID_COMMAND')
    await client.roundTrip()
    command()
    await client.roundTrip()
    expect(fake.submitted).toHaveLength(3)
  })

  test('a thousand of them are all answered', async () => {
    fake.group(groupId, agent)
    await start({ maxCommandsInFlight: 2000, frameBurst: 2000 })
    client.subscribe(groupId, 0)
    const sent = Array.from({ length: 1000 }, () => command().actionId)
    const sequences = await client.sequencesUpTo(groupId, 1000)
    expect(sequences).toEqual(Array.from({ length: 1000 }, (_, index) => index + 1))
    expect(client.events(groupId).map(({ cause }) => cause.id)).toEqual(sent)
  })
})

describe('Commands that fail to prove who signed them', () => {
  const unproven: SubmitOutcome = { ok: false, rejection: reject('AUTH_INVALID_SIGNATURE', 'no') }
  async function fail(times: number) {
    for (let sent = 0; sent < times; sent++) {
      const { frameId } = command()
      await client.find((frame) => frame.frameType === 'ERROR' && frame.error.relatedFrameId === frameId)
    }
  }

  test('are refused unseen once an Agent has sent too many, on whichever connection; others go on', async () => {
    const other = testAgent('other')
    fake.register(other)
    fake.group(groupId, agent, other)
    fake.decide = () => unproven
    await start()
    await fail(40)
    command()
    expect(await client.findError('RATE_LIMITED')).toMatchObject({ retryable: true, retryAfterMs: expect.any(Number) })
    client = await RawClient.authenticated(server.url, agent)
    command()
    await client.findError('RATE_LIMITED')
    client = await RawClient.authenticated(server.url, other)
    command()
    await client.findError('AUTH_INVALID_SIGNATURE')
    expect(fake.submitted).toHaveLength(41)
  })

  test('are not those that the authority refuses for what they say', async () => {
    fake.group(groupId, agent)
    fake.decide = () => ({ ok: false, rejection: reject('REVISION_CONFLICT', 'no') })
    await start()
    await fail(60)
    expect(fake.submitted).toHaveLength(60)
  })
})
