// Negotiations of the Inter-Agent Protocol in the log of a Group: who may record them, what they follow on, what they leave alone.
import { describe, expect, it } from 'vitest'
import type { Actor, EventDocument, IapRecord } from '../../protocol/generated/types.ts'
import { GROUP_ARCHIVE, IAP_RECORD, IAP_RECORDED } from '../../protocol/kinds.ts'
import { ada, cora, dora, groupAuthority, otto, registry, router, urnOf, wanda, wim } from '../testing/cast.ts'
import { archivalSnapshot } from '../testing/documents.ts'
import { GroupFixture } from '../testing/group-fixture.ts'
import { delegate, offerPayload, reach, recordOf, workId } from '../testing/work-scenario.ts'
import { edgesOf } from './graph-edges.ts'
import { recordIdOf } from './negotiation.ts'
import type { GroupEvent } from './request.ts'

const idOf = (ordinal: number) => recordIdOf(workId('a'), 'task', ordinal)

/** Cora proposes, Wim and Wanda bid, Wim is chosen, accepts and is done. */
const STEPS: readonly Pick<IapRecord, 'type' | 'speaker' | 'concerns' | 'refs'>[] = [
  { type: 'task_proposal', speaker: cora, refs: [] },
  { type: 'task_bid', speaker: wim, refs: [idOf(0)] },
  { type: 'task_bid', speaker: wanda, refs: [idOf(0)] },
  { type: 'task_assignment', concerns: wim, refs: [idOf(1), idOf(2)] },
  { type: 'task_acceptance', speaker: wim, refs: [idOf(3)] },
  { type: 'task_result', speaker: wim, refs: [idOf(4)] },
]

function payload(ordinal: number, changes: Partial<IapRecord> = {}) {
  const record: IapRecord = { recordId: idOf(ordinal), taskId: 'task', ordinal, author: 'agent', at: '2026-11-29T12:00:00Z', content: {}, ...STEPS[ordinal]!, ...changes }
  for (const name of ['speaker', 'concerns'] as const) if (record[name] === undefined) delete record[name]
  return { workItemId: workId('a'), record }
}

function negotiating(): GroupFixture {
  const group = new GroupFixture().found()
  reach(group, 'a', 'open')
  return group
}

function record(group: GroupFixture, ordinal: number): EventDocument & GroupEvent<typeof IAP_RECORDED> {
  const [event, ...rest] = group.accept(router, IAP_RECORD, payload(ordinal))
  expect(rest).toEqual([])
  return event as EventDocument & GroupEvent<typeof IAP_RECORDED>
}

const edges = (group: GroupFixture, event: EventDocument) => edgesOf(event as unknown as GroupEvent, group.state).map(({ parent, provenance }) => `${provenance} ${parent}`)

describe('a negotiation in the log of a Group', () => {
  it('is recorded by the router in its own name, with whose words they are, and moves no work', () => {
    const group = negotiating()
    const before = recordOf(group, 'a')
    const event = record(group, 0)
    expect(event).toMatchObject({ kind: IAP_RECORDED, actor: router, workItemId: workId('a'), conversationId: before.item.conversationId, aggregateRevision: event.sequence, payload: payload(0) })
    record(group, 1)
    expect(recordOf(group, 'a')).toEqual(before)
  })

  it('is a graph: the proposal follows on the authorization, bids answer it, the award decides on the bids, all else answers', () => {
    const group = negotiating()
    const [authorized] = group.state.workSteps.get(workId('a'))!
    const sequences = STEPS.map((_, ordinal) => record(group, ordinal))
    const [proposal, first, second, award, acceptance, result] = sequences
    expect(edges(group, proposal!)).toEqual([`cause ${authorized}`])
    for (const bid of [first!, second!]) expect(edges(group, bid)).toEqual([`reply ${proposal!.sequence}`])
    expect(edges(group, award!)).toEqual([`decides ${first!.sequence}`, `decides ${second!.sequence}`])
    expect(edges(group, acceptance!)).toEqual([`reply ${award!.sequence}`])
    expect(edges(group, result!)).toEqual([`reply ${acceptance!.sequence}`])
  })

  it('is tied to the offer that cites the award as its cause', () => {
    const group = negotiating()
    const award = STEPS.slice(0, 4).map((_, ordinal) => record(group, ordinal))[3]!
    const [offered] = group.accept(cora, 'work.offer', offerPayload('a'), { causedByEventId: award.eventId })
    expect(edges(group, offered!)).toContain(`cause ${award.sequence}`)
  })

  it.each<[string, Actor]>([['the owner', ada], ['the Coordinator', cora], ['a worker', wim], ['another service', registry], ['the Group Authority', groupAuthority]])('AUTH_FORBIDDEN: %s does not record one', (_, actor) => {
    expect(negotiating().code(actor, IAP_RECORD, payload(0))).toBe('AUTH_FORBIDDEN')
  })

  it.each<[string, Partial<IapRecord>]>([['a worker', { speaker: wim }], ['nobody', { speaker: undefined }], ['the owner', { speaker: ada }]] as never)('AUTH_FORBIDDEN: begins with a proposal of the Coordinator, not of %s', (_, changes) => {
    expect(negotiating().code(router, IAP_RECORD, payload(0, changes))).toBe('AUTH_FORBIDDEN')
  })

  it('A-142, A-145: begins with a proposal of a delegate while its Grant covers offering the work', () => {
    const group = negotiating()
    const proposal = payload(0, { speaker: dora })
    group.accept(ada, 'membership.change', { member: dora, role: 'work_delegate' })
    expect(group.code(router, IAP_RECORD, proposal)).toBe('AUTH_FORBIDDEN')
    reach(group, 'b', 'open')
    delegate(group, 'b', { grantId: urnOf('elsewhere') })
    expect(group.code(router, IAP_RECORD, proposal)).toBe('AUTH_FORBIDDEN')
    delegate(group, 'a')
    expect(group.judge(group.command(router, IAP_RECORD, proposal)).ok).toBe(true)
    expect(group.pass(3_600).code(router, IAP_RECORD, proposal)).toBe('AUTH_FORBIDDEN')
  })

  it('AUTH_FORBIDDEN: names nobody who never belonged to the Group', () => {
    const group = negotiating()
    record(group, 0)
    expect(group.code(router, IAP_RECORD, payload(1, { speaker: otto }))).toBe('AUTH_FORBIDDEN')
    expect(group.code(router, IAP_RECORD, payload(1, { concerns: otto }))).toBe('AUTH_FORBIDDEN')
  })

  it('INVALID_COMMAND: each record once, after its proposal and what it refers to, about work that there is', () => {
    const group = negotiating()
    expect(group.code(router, IAP_RECORD, payload(1, { refs: [] }))).toBe('INVALID_COMMAND')
    expect(group.code(router, IAP_RECORD, payload(0, { recordId: urnOf('other') }))).toBe('INVALID_COMMAND')
    expect(group.code(router, IAP_RECORD, { ...payload(0), workItemId: workId('b') })).toBe('INVALID_COMMAND')
    record(group, 0)
    expect(group.code(router, IAP_RECORD, payload(0))).toBe('INVALID_COMMAND')
    expect(group.code(router, IAP_RECORD, payload(3))).toBe('INVALID_COMMAND')
    expect(group.code(router, IAP_RECORD, payload(1, { taskId: 'other' }))).toBe('INVALID_COMMAND')
  })

  it('takes late words as evidence: of a Membership that has ended, and after the Mission is over', () => {
    const group = negotiating()
    for (const ordinal of [0, 1, 2, 3, 4]) record(group, ordinal)
    group.accept(ada, 'membership.end', { member: wim, reason: 'Left.' })
    group.accept(ada, 'mission.cancel', { reason: 'Enough.' })
    record(group, 5)
    expect(recordOf(group, 'a').item.state).toBe('cancelled')
    expect(group.code(router, IAP_RECORD, payload(0, { taskId: 'late', recordId: recordIdOf(workId('a'), 'late', 0) }))).toBe('INVALID_STATE_TRANSITION')
  })

  it('INVALID_STATE_TRANSITION: ends with the archive of the Group', () => {
    const group = negotiating()
    record(group, 0)
    group.accept(ada, 'mission.cancel', { reason: 'Enough.' })
    group.accept(groupAuthority, GROUP_ARCHIVE, { snapshot: archivalSnapshot(group, { snapshotId: urnOf('snapshot') }) })
    expect(group.code(router, IAP_RECORD, payload(1))).toBe('INVALID_STATE_TRANSITION')
  })
})
