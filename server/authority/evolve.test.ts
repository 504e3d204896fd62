import { describe, expect, it } from 'vitest'
import type { EventDocument } from '../../protocol/generated/types.ts'
import { CORE_EVENT_KINDS, EXTENSION_EVENT_KINDS, WORK_EXECUTION_LEASE_EXPIRED, WORK_EXECUTION_LEASE_REVOKED } from '../../protocol/kinds.ts'
import { InvariantViolation } from '../../protocol/result.ts'
import { isEventPayloadKind } from '../../protocol/validate.ts'
import { ada, cora, urnOf, wim } from '../testing/cast.ts'
import { saw } from '../testing/evidence.ts'
import { GroupFixture, replay } from '../testing/group-fixture.ts'
import { approve, reach, requestChanges, submitMission } from '../testing/work-scenario.ts'
import { encodeState } from './encode-state.ts'
import { evolve } from './evolve.ts'

const founded = () => new GroupFixture().found()
const last = (group: GroupFixture): EventDocument => {
  const event = group.log.at(-1)
  if (!event) throw new Error('empty log')
  return event
}

describe('the fold', () => {
  it('rebuilds byte for byte from the log alone', () => {
    const group = founded()
    reach(group, 'a', 'verified')
    submitMission(group, 'a')
    group.accept(ada, 'mission.request_changes', requestChanges(group))
    reach(group, 'b', 'active')
    group.pass(300).due()
    reach(group, 'c', 'verified')
    group.accept(cora, 'work.cancel', { workItemId: urnOf('work b'), reason: 'No.' })
    submitMission(group, 'a', 'c')
    group.accept(ada, 'mission.approve', approve(group))
    expect(encodeState(replay(group.log))).toEqual(encodeState(group.state))
    expect(group.state.sequence).toBe(group.log.length)
    expect(group.state.lastOccurredAt).toBe(group.now)
  })

  it('knows every Event by its id', () => {
    const group = founded()
    for (const { eventId, sequence } of group.log) expect(group.state.sequenceOf.get(eventId)).toBe(sequence)
  })

  it('keeps the first meaning of an id', () => {
    const group = founded()
    const [first] = group.log
    group.accept(wim, 'message.post', { messageId: urnOf('m'), content: [{ type: 'text', text: 'x' }] })
    const repeated = { ...last(group), sequence: group.state.sequence + 1, eventId: first?.eventId ?? '' }
    evolve(group.state, repeated)
    expect(group.state.sequenceOf.get(first?.eventId ?? '')).toBe(1)
  })

  it('begins with a Mission, at sequence 1', () => {
    const group = founded()
    const [created, changed] = group.log
    if (!created || !changed) throw new Error('empty log')
    expect(() => evolve(undefined, changed)).toThrow(InvariantViolation)
    expect(() => evolve(undefined, { ...created, sequence: 2 })).toThrow(InvariantViolation)
  })

  it('stops at a gap, a repetition and an Event of another Group', () => {
    const group = founded()
    const event = last(group)
    expect(() => evolve(group.state, event)).toThrow('does not follow')
    expect(() => evolve(group.state, { ...event, sequence: group.state.sequence + 2 })).toThrow('does not follow')
    expect(() => evolve(group.state, { ...event, sequence: group.state.sequence + 1, groupId: urnOf('other') })).toThrow('another Group')
  })

  const unknown = [...CORE_EVENT_KINDS, ...EXTENSION_EVENT_KINDS, 'ext.acme.tool.ran' as const].filter((kind) => !isEventPayloadKind(kind))

  it.each(unknown)('stops at %s, which it does not know', (kind) => {
    const group = founded()
    const before = encodeState(group.state)
    expect(() => evolve(group.state, { ...last(group), kind, sequence: group.state.sequence + 1 })).toThrow(`does not know Events of kind ${kind}`)
    expect(encodeState(group.state)).toEqual(before)
  })

  it.each(['mission.created', 'ext.missionweaveprotocol.identity.session_opened', 'toString'])('stops at %s in the middle of a Group', (kind) => {
    const group = founded()
    expect(() => evolve(group.state, { ...last(group), kind: kind as 'mission.created', sequence: group.state.sequence + 1 })).toThrow(InvariantViolation)
  })

  it('A-20, A-233: takes no Event twice, whatever its kind, and is none the worse for it', () => {
    const group = founded()
    reach(group, 'expires', 'active')
    group.pass(300).due()
    reach(group, 'revoked', 'active')
    group.replaceSession(wim)
    const kinds = new Set<string>()
    for (const event of group.log) {
      const state = replay(group.log.slice(0, event.sequence))
      const before = encodeState(state)
      expect(() => evolve(state, event)).toThrow('does not follow')
      expect(encodeState(state)).toEqual(before)
      saw('event-refused', event.kind)
      kinds.add(event.kind)
    }
    expect([...kinds]).toEqual(expect.arrayContaining([WORK_EXECUTION_LEASE_EXPIRED, WORK_EXECUTION_LEASE_REVOKED]))
  })

  it('stops at an Event without a Group', () => {
    const group = founded()
    const { groupId: _groupId, ...homeless } = last(group)
    expect(() => evolve(group.state, homeless)).toThrow('belongs to no Group')
  })
})
