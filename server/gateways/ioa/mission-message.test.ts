// How Events of a mission Space read at the IOA door.
import { expect, it } from 'vitest'
import type { EventDocument, IapRecord } from '../../../protocol/generated/types.ts'
import { IAP_RECORDED } from '../../../protocol/kinds.ts'
import type { DecodedEntry } from '../../service/ports.ts'
import { router, urnOf, wanda, wim } from '../../testing/cast.ts'
import { missionMessage, talkOf } from './mission-message.ts'

function entryOf(record: Partial<IapRecord>): DecodedEntry {
  const whole = { recordId: urnOf('r'), taskId: 'task', ordinal: 3, type: 'task_assignment', author: 'router', concerns: wanda, at: '2026-11-30T08:00:00Z', refs: [urnOf('a'), urnOf('b')], ...record }
  const event = { kind: IAP_RECORDED, actor: router, workItemId: urnOf('work'), occurredAt: '2026-11-30T08:00:01Z', payload: { workItemId: urnOf('work'), record: whole } } as unknown as EventDocument
  return { event, spaceId: 'group', sequence: 7, eventId: 'e7' } as DecodedEntry
}
const read = (entry: DecodedEntry) => JSON.parse(new TextDecoder().decode(missionMessage(entry, 'router-node', { messages: ['e5'], nodes: ['wanda-node'] }).bytes)) as Record<string, unknown>

it('IOA: a step of a negotiation has the type and the content that it has in open Spaces, sent by the router, with whose words it is', () => {
  const entry = entryOf({ type: 'task_bid', author: 'wim-9', speaker: wim, content: { bid: { estimatedCost: 4 } } })
  expect(missionMessage(entry, 'router-node', { messages: [], nodes: [] })).toMatchObject({ contentType: 'iap/task_bid', senderId: 'router-node', isBroadcast: true })
  expect(read(entry)).toMatchObject({ id: 'e7', sender: 'router-node', content_type: 'iap/task_bid', content: { workItemId: urnOf('work'), taskId: 'task', ordinal: 3, author: 'wim-9', bid: { estimatedCost: 4 } }, refs: { messages: ['e5'], nodes: ['wanda-node'] } })
})

it('IOA: it refers to the records that it rests on and to whom it is about', () => {
  expect(talkOf(entryOf({}))).toEqual({ references: [urnOf('a'), urnOf('b')], mentions: [wanda.id] })
})

it('IOA: what is too long for the log is there by its hash', () => {
  const omitted = { sha256: '0'.repeat(64), size: 70_000 }
  expect(read(entryOf({ omitted }))).toMatchObject({ content: { taskId: 'task', omitted } })
})
