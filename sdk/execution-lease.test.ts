import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { reject } from '../protocol/error-codes.ts'
import type { EventDocument } from '../protocol/generated/types.ts'
import { deferred } from './deferred.ts'
import { withExecutionLease } from './execution-lease.ts'
import type { Receipt, Refusal } from './refusal.ts'

const request = { groupId: 'urn:test:group', workItemId: 'urn:test:work', ownershipEpoch: 1, leaseSeconds: 0.3 }
const started = { ok: true, value: { payload: { executionLease: { leaseId: 'urn:test:lease', missionId: 'urn:test:mission' } } } as unknown as EventDocument } as const

/** A client whose renewals are refused with this code. */
function refusing(code: Refusal['code']) {
  const refused = deferred<void>()
  const submit = async (kind: string): Promise<Receipt> => {
    if (kind === 'work.start') return started
    refused.resolve()
    return { ok: false, error: { ...reject(code, 'no'), retryable: false, occurredAt: '' } as Refusal }
  }
  return { client: { submit }, refused: refused.promise }
}

test('A-197: a lease on an exhausted budget is good to its end, so that the work can be handed in', async () => {
  const { client, refused } = refusing('BUDGET_EXCEEDED')
  const done = await withExecutionLease(client, request, async (_lease, signal) => {
    await refused
    await nextTurn()
    const wasGood = !signal.aborted
    await once(signal, 'abort')
    return [wasGood, (signal.reason as Refusal).code]
  })
  expect(done).toEqual({ ok: true, value: [true, 'BUDGET_EXCEEDED'] })
})

test('A-197: what was handed in before that end is not lost', async () => {
  const { client, refused } = refusing('BUDGET_EXCEEDED')
  const done = await withExecutionLease(client, request, async (_lease, signal) => {
    await refused
    return signal.aborted
  })
  expect(done).toEqual({ ok: true, value: false })
})

test('A-181: any other refusal of a renewal ends the work at once', async () => {
  const { client } = refusing('WORK_LEASE_EXPIRED')
  const done = await withExecutionLease(client, request, async (_lease, signal) => {
    await once(signal, 'abort')
    return (signal.reason as Refusal).code
  })
  expect(done).toEqual({ ok: true, value: 'WORK_LEASE_EXPIRED' })
})
