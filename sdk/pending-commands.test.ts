import { expect, test } from 'vitest'
import type { Command, EventDocument } from '../protocol/generated/types.ts'
import { PendingCommands } from './pending-commands.ts'

const actor = { type: 'agent', id: 'urn:test:agent' } as const
const signed = (actionId: string) => ({
  command: { actionId, actor, kind: 'work.start' } as Command,
  bytes: new TextEncoder().encode(actionId),
})
const event = (changes: object) =>
  ({ kind: 'work.started', actor, cause: { type: 'command', id: 'urn:test:action' }, ...changes }) as EventDocument

const pendingOne = () => {
  const pending = new PendingCommands()
  return { pending, answer: pending.add(signed('urn:test:action')) }
}

test('the primary Event is the receipt', async () => {
  const { pending, answer } = pendingOne()
  pending.observe(event({}))
  expect(await answer).toMatchObject({ ok: true, value: { kind: 'work.started' } })
  expect(pending.unanswered()).toEqual([])
})

test.each([
  ['of another actor with the same Action ID', { actor: { type: 'agent', id: 'urn:test:other' } }],
  ['that followed from it', { cause: { type: 'event', id: 'urn:test:action' } }],
  ['of a further kind that it caused', { kind: 'membership.changed' }],
])('an Event %s is no receipt', (_what, changes) => {
  const { pending } = pendingOne()
  pending.observe(event(changes))
  expect(pending.unanswered()).toHaveLength(1)
})

test('a refusal names its Action', async () => {
  const { pending, answer } = pendingOne()
  const error = { code: 'INVALID_COMMAND', message: 'no', retryable: false, occurredAt: '' } as const
  pending.refused({ ...error, relatedActionId: 'urn:test:other' })
  pending.refused(error)
  expect(pending.unanswered()).toHaveLength(1)
  pending.refused({ ...error, relatedActionId: 'urn:test:action' })
  expect(await answer).toMatchObject({ ok: false, error: { code: 'INVALID_COMMAND' } })
})

test('what is unanswered keeps its bytes and its order', () => {
  const pending = new PendingCommands()
  for (const name of ['a', 'b', 'c']) void pending.add(signed(name))
  expect(pending.unanswered().map((bytes) => new TextDecoder().decode(bytes))).toEqual(['a', 'b', 'c'])
})

test('the end of the client rejects everything that waits', async () => {
  const { pending, answer } = pendingOne()
  pending.fail(new Error('closed'))
  await expect(answer).rejects.toThrow('closed')
})
