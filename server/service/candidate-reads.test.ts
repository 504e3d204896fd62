// What an Agent that is offered work from outside the Group can read and verify, through the whole service.
import { beforeEach, describe, expect, it } from 'vitest'
import type { ContextPackage, EventDocument } from '../../protocol/generated/types.ts'
import type { Agent, Fixture, Person } from '../testing/authority-fixture.ts'
import { codeOf, eventOf, newUrn, signAs, startAuthority } from '../testing/authority-fixture.ts'
import { selectionBasis, workContract } from '../testing/documents.ts'
import { decodeEvent } from './event-bytes.ts'
import type { GroupFeed } from './service.ts'

const capability = { id: 'release.report', version: '1.0.0' }
const contract = workContract({ requiredCapabilities: [capability], budget: { toolCallLimit: 10 }, deadline: '2026-12-30T00:00:00Z' })
let fixture: Fixture
let owner: Person
let coordinator: Agent
let candidate: Agent
let missionId: string
let groupId: string
let workItemId: string

beforeEach(async () => {
  fixture = await startAuthority()
  owner = await fixture.person('Olga')
  coordinator = await fixture.agent('Coordinator')
  candidate = await fixture.agent('Newcomer')
  ;({ missionId, groupId } = await fixture.mission(owner, coordinator))
  workItemId = newUrn()
  eventOf(await fixture.submit(coordinator, { kind: 'work.authorize', ...standing(), payload: { workItemId, contract } }))
})

const standing = () => ({ groupId, membershipEpoch: 1, coordinatorEpoch: 1, sessionEpoch: coordinator.session.sessionEpoch })
const asCandidate = (membershipEpoch: number) => ({ groupId, membershipEpoch, sessionEpoch: candidate.session.sessionEpoch })

async function packageBy(author: Agent, changes: Partial<ContextPackage> = {}): Promise<ContextPackage> {
  const log = await fixture.service.reads.range(owner.actor.id, groupId, 0, 10)
  const eventIds = log.map(({ event }) => event.eventId)
  const unsigned = {
    contextPackageId: newUrn(),
    version: 1,
    missionId,
    groupId,
    workItemId,
    sourceEventRange: { fromSequence: 1, toSequence: eventIds.length, eventIds },
    artifactHashes: [],
    summary: 'A release is under way.',
    decisions: [],
    constraints: [],
    unresolvedQuestions: [],
    generatedBy: { type: 'agent', id: author.actor.id } as const,
    generatedAt: fixture.clock.now(),
  }
  const { signature: _signature, ...changed } = { ...unsigned, ...changes } as ContextPackage
  return signAs(author, changed, 'generatedAt')
}

const offer = (contextPackage: ContextPackage) =>
  fixture.submit(coordinator, { kind: 'work.offer', ...standing(), payload: { workItemId, candidateAgentIds: [candidate.actor.id], selectionBasis: selectionBasis(capability), contextPackage } })

const say = async (text: string) =>
  eventOf(await fixture.submit(owner, { kind: 'message.post', groupId, membershipEpoch: 1, payload: { messageId: newUrn(), content: [{ type: 'text', text }] } }))

async function feedOf(agent: Agent): Promise<GroupFeed> {
  const opened = await fixture.service.feeds.open(agent.actor.id, groupId, 0)
  if (!opened.ok) throw new Error(opened.error.code)
  return opened.value
}

async function take(feed: GroupFeed, count: number): Promise<EventDocument[]> {
  const events: EventDocument[] = []
  while (events.length < count) {
    const entries = await feed.next(count - events.length)
    if (entries === 'ended') break
    events.push(...entries.map(({ bytes }) => decodeEvent(bytes)))
  }
  return events
}

describe('a candidate from outside the Group', () => {
  it('A-131: is delivered its offer with the Context Package and nothing else of the log', async () => {
    await say('Before.')
    const contextPackage = await packageBy(coordinator)
    const offered = eventOf(await offer(contextPackage))
    await say('After.')
    const [first, second] = await take(await feedOf(candidate), 2)
    expect(first).toMatchObject({ kind: 'work.offer.created', sequence: offered.sequence, payload: { contextPackage, contract: { goal: contract.goal } } })
    expect(second).toMatchObject({ kind: 'membership.changed', payload: { membership: { state: 'provisional' } } })
    const readable = await fixture.service.reads.range(candidate.actor.id, groupId, 0, 100)
    expect(readable.map(({ event }) => event.kind)).toEqual(['work.offer.created', 'membership.changed'])
    expect(await fixture.service.reads.entries(candidate.actor.id, groupId, [1, 2, 3, 6])).toEqual([])
  })

  it('A-130: goes on in the same feed without a gap once it has accepted', async () => {
    const offered = eventOf(await offer(await packageBy(coordinator)))
    const feed = await feedOf(candidate)
    await take(feed, 2)
    const rest = take(feed, 3)
    await say('Hidden until it accepts.')
    const { offerId } = (offered.payload as { offers: { offerId: string }[] }).offers[0]!
    eventOf(await fixture.submit(candidate, { kind: 'work.accept_offer', ...asCandidate(1), payload: { workItemId, offerId } }))
    const sequences = (await rest).map(({ kind, sequence }) => [kind, sequence])
    expect(sequences).toEqual([['message.posted', 5], ['work.offer.accepted', 6], ['membership.changed', 7]])
    feed.close()
  })

  it('A-130: sees its feed end when it has declined', async () => {
    const offered = eventOf(await offer(await packageBy(coordinator)))
    const feed = await feedOf(candidate)
    await take(feed, 2)
    const { offerId } = (offered.payload as { offers: { offerId: string }[] }).offers[0]!
    const next = feed.next(10)
    await fixture.submit(candidate, { kind: 'ext.countersign.work.offer_decline', ...asCandidate(1), payload: { workItemId, offerId, reason: 'capacity' } })
    expect(await next).toBe('ended')
    expect(await fixture.service.reads.groupFor(candidate.actor.id, groupId)).toBeUndefined()
  })

  it('A-203: is given no Context Package whose signature does not hold', async () => {
    const genuine = await packageBy(coordinator)
    expect(codeOf(await offer({ ...genuine, summary: 'Something else.' }))).toBe('AUTH_INVALID_SIGNATURE')
    expect(codeOf(await offer(await packageBy(candidate, { generatedBy: genuine.generatedBy })))).toBe('AUTH_INVALID_SIGNATURE')
    expect(await fixture.service.reads.groupFor(candidate.actor.id, groupId)).toBeUndefined()
  })
})
