// How what a Group answers to a record is taken: what may pass is a fault, which the publisher tries again; anything else is final.
import { expect, it } from 'vitest'
import type { ErrorCode } from '../../../protocol/error-codes.ts'
import { reject } from '../../../protocol/error-codes.ts'
import { err } from '../../../protocol/result.ts'
import { parseStrictJson } from '../../../protocol/strict-json.ts'
import type { TaskRecord } from '../../authority/iap/records.ts'
import { recordIdOf } from '../../authority/negotiation.ts'
import type { RecorderNeeds } from './group-recorder.ts'
import { GroupRecorder } from './group-recorder.ts'

const record: TaskRecord = { taskId: 'task', ordinal: 3, refs: [], author: 'router', at: '2026-11-30T08:00:00Z', type: 'task_cancellation', content: { by: 'ada' } }
const work = { groupId: 'urn:example:group', workItemId: 'urn:example:work', requiredCapabilities: [], workerIds: [] }

const recorder = (submit: RecorderNeeds['submit']) =>
  new GroupRecorder({
    router: { principal: { type: 'service', id: 'urn:example:router' }, keyId: 'urn:example:key', sign: async () => new Uint8Array(64) },
    submit,
    nodes: { principalOf: async () => undefined },
    clock: { now: () => record.at, nowMs: () => Date.parse(record.at) },
  })
const answered = (code: ErrorCode) => recorder(async () => ({ ok: false, rejection: reject(code, 'no') })).put(record, work, [])

it.each<ErrorCode>(['INTERNAL_ERROR', 'BACKPRESSURE', 'RATE_LIMITED'])('A-271, A-272, A-275: a record that is answered with %s is no refused one: it comes again', async (code) => {
  await expect(answered(code)).rejects.toThrow(code)
})

it('IAP: what the state of the Group does not allow is refused for good', async () => {
  expect(await answered('INVALID_STATE_TRANSITION')).toEqual(err(reject('INVALID_STATE_TRANSITION', 'no')))
})

it('A-222: an Action ID that was used before is that of this record, which stands there', async () => {
  expect(await answered('ACTION_ID_COLLISION')).toEqual({ ok: true, value: recordIdOf(work.workItemId, 'task', 3) })
})

it('IAP: content that is nested too deep for a Command stands in the log by its hash, and ends no negotiation', async () => {
  const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) })
  const commandWith = async (depth: number) => {
    const sent: Uint8Array[] = []
    const result = { taskId: 'task', status: 'completed' as const, result: nested(depth) }
    await recorder(async (input) => (sent.push(input as Uint8Array), { ok: false, rejection: reject('ACTION_ID_COLLISION', 'no') })).put({ ...record, author: 'router', type: 'task_result', content: { messageId: 'm', result } }, work, [])
    const parsed = parseStrictJson(sent[0]!)
    return parsed.ok && (parsed.value.value as { payload: { record: object } }).payload.record
  }
  expect(await commandWith(8)).toMatchObject({ content: { result: { taskId: 'task' } } })
  for (const depth of [57, 58, 59, 60, 61]) expect(await commandWith(depth)).toMatchObject({ recordId: recordIdOf(work.workItemId, 'task', 3) })
  expect(await commandWith(61)).toMatchObject({ omitted: { size: expect.any(Number) } })
})
