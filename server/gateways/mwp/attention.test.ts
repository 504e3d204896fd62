import { describe, expect, test } from 'vitest'
import type { Attention } from '../../../protocol/generated/types.ts'
import { passesAttention } from './attention.ts'

const me = 'urn:test:agent:me'
const entry = (kind: string, event: object = {}) => ({
  spaceId: 'urn:test:group',
  sequence: 1,
  eventId: 'urn:test:event',
  kind,
  bytes: new TextEncoder().encode(JSON.stringify({ kind, payload: {}, ...event })),
})
const message = (mentions?: object[]) => entry('message.posted', { payload: { message: { mentions } } })

const passes = (attention: Attention, of: ReturnType<typeof entry>) => passesAttention(attention, of, me)

describe('attention filters (A-132, A-239)', () => {
  test('an empty filter lets everything through', () => {
    expect(passes({}, entry('work.started'))).toBe(true)
  })

  test.each([
    [{ eventKinds: ['work.started'] }, entry('work.started'), true],
    [{ eventKinds: ['work.started'] }, entry('work.failed'), false],
    [{ eventKinds: [] }, entry('work.failed'), false],
    [{ conversationIds: ['urn:a:1'] }, entry('message.posted', { conversationId: 'urn:a:1' }), true],
    [{ conversationIds: ['urn:a:1'] }, entry('message.posted', { conversationId: 'urn:a:2' }), false],
    [{ conversationIds: ['urn:a:1'] }, entry('work.started'), false],
    [{ workItemIds: ['urn:a:1'] }, entry('work.started', { workItemId: 'urn:a:1' }), true],
    [{ workItemIds: ['urn:a:1'] }, entry('work.started', { workItemId: 'urn:a:2' }), false],
    [{ mentionsOnly: true }, message([{ type: 'agent', id: me }]), true],
    [{ mentionsOnly: true }, message([{ type: 'agent', id: 'urn:test:agent:you' }]), false],
    [{ mentionsOnly: true }, message(), false],
    [{ mentionsOnly: true }, entry('work.started'), false],
    [{ mentionsOnly: false }, entry('work.started'), true],
  ] as [Attention, ReturnType<typeof entry>, boolean][])('%j', (attention, of, expected) => {
    expect(passes(attention, of)).toBe(expected)
  })

  test('every given condition must hold', () => {
    const attention = { eventKinds: ['work.started'], workItemIds: ['urn:a:1'] }
    expect(passes(attention, entry('work.started', { workItemId: 'urn:a:2' }))).toBe(false)
    expect(passes(attention, entry('work.failed', { workItemId: 'urn:a:1' }))).toBe(false)
    expect(passes(attention, entry('work.started', { workItemId: 'urn:a:1' }))).toBe(true)
  })

  test('announcements pass beside whatever else is asked for', () => {
    const attention = { mentionsOnly: true, announcements: true }
    expect(passes(attention, entry('mission.approved'))).toBe(true)
    expect(passes(attention, entry('work.started'))).toBe(false)
  })
})
