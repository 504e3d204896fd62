// What readers are handed of a Group in which something was redacted.
import { createHash, createPublicKey, verify } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { decodeBase64url } from '../../protocol/base64url.ts'
import type { EventDocument } from '../../protocol/generated/types.ts'
import { signingBytes } from '../../protocol/signed-documents.ts'
import { STAND_IN_EXTENSION, standInOf } from '../../protocol/stand-in.ts'
import { validateDocument, validateEventPayload } from '../../protocol/validate.ts'
import type { Agent, Draft, Fixture, Person } from '../testing/authority-fixture.ts'
import { codeOf, eventOf, newUrn, startAuthority } from '../testing/authority-fixture.ts'
import { decodeEvent } from './event-bytes.ts'

const secret = 'The door code is 4711.'
let fixture: Fixture
let owner: Person
let coordinator: Agent
let groupId: string
let messageId: string
let post: Draft

beforeEach(async () => {
  fixture = await startAuthority()
  owner = await fixture.person('Olga')
  coordinator = await fixture.agent('Coordinator')
  groupId = (await fixture.mission(owner, coordinator)).groupId
  messageId = newUrn()
  post = { kind: 'message.post', groupId, membershipEpoch: 1, payload: { messageId, content: [{ type: 'text', text: secret }], mentions: [coordinator.actor] } }
  eventOf(await fixture.submit(owner, post))
})

const redact = async (id = messageId) => eventOf(await fixture.submit(owner, { kind: 'message.redact', groupId, membershipEpoch: 1, payload: { amendmentId: newUrn(), messageId: id, reason: 'It opens a door.' } }))

/** The Events up to `last`, as a feed delivers them to this Principal. */
async function read(principalId: string, last: number, service = fixture.service): Promise<EventDocument[]> {
  const feed = await service.feeds.open(principalId, groupId, 0)
  const events: EventDocument[] = []
  while (feed.ok && events.at(-1)?.sequence !== last) {
    const entries = await feed.value.next(10)
    if (entries === 'ended') break
    events.push(...entries.map(({ bytes }) => decodeEvent(bytes)))
  }
  if (feed.ok) feed.value.close()
  return events
}

const isSignedByAuthority = (event: EventDocument) => {
  const { publicKey } = fixture.service.organization.authority
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey }, format: 'jwk' })
  return verify(null, signingBytes(event), key, decodeBase64url(event.signature.value) ?? new Uint8Array())
}

describe('a redacted Message', () => {
  it('A-125: reaches readers as a signed stand-in at its place, without a gap and without the words', async () => {
    const [, original] = await read(coordinator.actor.id, 2)
    expect(JSON.stringify(original)).toContain(secret)
    await redact()
    const events = await read(coordinator.actor.id, 3)
    expect(events.map(({ sequence }) => sequence)).toEqual([1, 2, 3])
    expect(JSON.stringify(events)).not.toContain(secret)
    const standIn = events[1]!
    const { eventId, sequence, kind, actor, occurredAt, conversationId } = original!
    expect(standIn).toMatchObject({ eventId, sequence, kind, groupId, actor, occurredAt, conversationId, payload: { message: { messageId, author: owner.actor, content: [{ type: 'text', text: 'This message was redacted.' }] } } })
    expect(standIn).not.toHaveProperty('commandHash')
    expect(standIn).not.toHaveProperty('payload.message.mentions')
    expect(isSignedByAuthority(standIn)).toBe(true)
    expect(validateDocument('event', standIn)).toBeUndefined()
    expect(validateEventPayload('message.posted', standIn.payload)).toBeUndefined()
  })

  it('A-125: is stood in for by the same document each time, which commits to the stored bytes', async () => {
    await redact()
    const [first, second] = [await read(coordinator.actor.id, 3), await read(coordinator.actor.id, 3)]
    expect(first).toEqual(second)
    const [entry] = await fixture.store.log.readAt(groupId, [2])
    const documentHash = `sha256:${createHash('sha256').update(entry!.bytes).digest('hex')}`
    expect(first[1]?.extensions?.[STAND_IN_EXTENSION]).toEqual({ version: '1.0.0', critical: false, data: { because: 'redacted', redactedBy: 3, documentHash } })
  })

  it('A-126: stays in the log, whose hashes and signatures hold, and is read by the auditor', async () => {
    const before = await fixture.store.log.readAt(groupId, [2])
    await redact()
    expect(await fixture.store.log.readAt(groupId, [2])).toEqual(before)
    expect((await fixture.service.verifyLog()).flatMap((report) => report.differences)).toEqual([])
    const [entry] = await fixture.service.reads.entries(owner.actor.id, groupId, [2])
    expect(JSON.stringify(entry?.event)).toContain(secret)
    expect(await fixture.service.reads.commandBytes(owner.actor.id, groupId, 2)).toBeDefined()
  })

  it('A-125: is hidden in every other read as well, the Command included', async () => {
    await redact()
    const { reads } = fixture.service
    const reader = coordinator.actor.id
    const shown = [...(await reads.entries(reader, groupId, [2])), ...(await reads.range(reader, groupId, 1, 1))]
    expect(shown.map(({ event }) => standInOf(event)?.because)).toEqual(['redacted', 'redacted'])
    expect(shown.map(({ bytes }) => Buffer.from(bytes).includes(secret))).toEqual([false, false])
    expect(await reads.commandBytes(reader, groupId, 2)).toBeUndefined()
    expect(await reads.commandBytes(reader, groupId, 3)).toBeDefined()
  })

  it('A-125: is hidden by a node that did not write the redaction', async () => {
    const other = await startAuthority({ clock: fixture.clock, store: fixture.store, organization: fixture.organization })
    expect(JSON.stringify(await read(coordinator.actor.id, 2, other.service))).toContain(secret)
    await redact()
    expect(JSON.stringify(await read(coordinator.actor.id, 3, other.service))).not.toContain(secret)
  })

  it('A-222: answers a retry of its own Command with the original Event', async () => {
    const twice = newUrn()
    const bytes = await fixture.command(owner, { ...post, payload: { messageId: twice, content: [{ type: 'text', text: 'Twice.' }] } })
    const first = await fixture.service.submitCommand(bytes, { door: 'http' })
    await redact(twice)
    const again = await fixture.service.submitCommand(bytes, { door: 'http' })
    expect(codeOf(again)).toBe('accepted')
    expect(eventOf(again)).toEqual(eventOf(first))
  })
})

describe('a latecomer', () => {
  it('A-131: is shown nothing from before its visibility start, by any read', async () => {
    const worker = await fixture.agent('Worker')
    eventOf(await fixture.submit(owner, { kind: 'membership.change', groupId, membershipEpoch: 1, payload: { member: worker.actor, role: 'worker', visibilityStartSequence: 3 } }))
    const { reads } = fixture.service
    expect((await reads.entries(worker.actor.id, groupId, [1, 2, 3])).map(({ sequence }) => sequence)).toEqual([3])
    expect((await reads.range(worker.actor.id, groupId, 0, 10)).map(({ sequence }) => sequence)).toEqual([3])
    expect(await reads.commandBytes(worker.actor.id, groupId, 2)).toBeUndefined()
    expect(await reads.range(newUrn(), groupId, 0, 10)).toEqual([])
  })
})
