import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { decodeBase64url } from '../protocol/base64url.ts'
import { publicKeyOf } from '../protocol/ed25519-sign.ts'
import { verifyStrict } from '../protocol/ed25519-strict.ts'
import { signingBytes } from '../protocol/signed-documents.ts'
import { validateDocument } from '../protocol/validate.ts'
import { buildCommand } from './build-command.ts'
import { Identity } from './identity.ts'
import { newId } from './ids.ts'

const seed = randomBytes(32)
const identity = new Identity({ type: 'agent', id: 'urn:test:agent' }, 'urn:test:key', seed)
const payload = { messageId: newId(), content: [{ type: 'text' as const, text: 'é😀' }], authority: false as const }
const target = { groupId: 'urn:test:group', conversationId: 'urn:test:conversation', sessionEpoch: 2, membershipEpoch: 3 }

test('a Command fits its schema, carries its epochs and is signed under the strict profile', async () => {
  const { command, bytes } = await buildCommand(identity, 'message.post', payload, target)
  expect(validateDocument('command', command)).toBeUndefined()
  expect(command).toMatchObject({ ...target, kind: 'message.post', actor: identity.principal })
  expect(command.signature.createdAt).toBe(command.issuedAt)
  expect(verifyStrict(publicKeyOf(seed), signingBytes(command), decodeBase64url(command.signature.value)!)).toBe(true)
  expect(JSON.parse(new TextDecoder().decode(bytes))).toEqual(command)
})

test('a member without a value is missing, not null', async () => {
  const { command } = await buildCommand(identity, 'message.post', payload, { ...target, workItemId: undefined } as never)
  expect('workItemId' in command).toBe(false)
})

test('each Command has an Action ID of its own unless one is given', async () => {
  const [one, two] = await Promise.all([1, 2].map(() => buildCommand(identity, 'message.post', payload, target)))
  expect(one!.command.actionId).not.toBe(two!.command.actionId)
  const named = await buildCommand(identity, 'message.post', payload, { ...target, actionId: 'urn:test:action' })
  expect(named.command).toMatchObject({ actionId: 'urn:test:action', correlationId: 'urn:test:action' })
})

test('a Command that no door would take is not sent', async () => {
  const content = [1, 2, 3].map(() => ({ type: 'text' as const, text: 'x'.repeat(90_000) }))
  await expect(buildCommand(identity, 'message.post', { ...payload, content }, target)).rejects.toThrow(RangeError)
})

test.each([31, 33])('a seed of %i bytes is refused', (length) => {
  expect(() => new Identity(identity.principal, 'urn:test:key', randomBytes(length))).toThrow(RangeError)
})
