import { expect, test } from 'vitest'
import type { EventDocument } from '../protocol/generated/types.ts'
import { GroupEpochs } from './group-epochs.ts'

const me = 'urn:test:agent:me'
const groupId = 'urn:test:group'
const event = (kind: string, payload: object) => ({ groupId, kind, payload }) as unknown as EventDocument
const membership = (id: string, membershipEpoch: number) => ({ member: { type: 'agent', id }, membershipEpoch })
const created = (coordinator: string) =>
  event('mission.created', {
    memberships: [membership(me, 1), membership('urn:test:agent:you', 9)],
    mission: { coordinator: { agentId: coordinator, coordinatorEpoch: 1 } },
  })
const renewed = (holderAgentId: string, coordinatorEpoch: number) =>
  event('mission.coordinator.renewed', { coordinatorEpoch, coordinatorLease: { holderAgentId } })

test('nothing is known of a Group that was not seen', () => {
  expect(new GroupEpochs(me).of(groupId)).toBeUndefined()
})

test('a Coordinator signs under both epochs, another member under its own', () => {
  const [coordinator, worker] = [new GroupEpochs(me), new GroupEpochs(me)]
  coordinator.observe(created(me))
  worker.observe(created('urn:test:agent:you'))
  expect(coordinator.of(groupId)).toEqual({ membershipEpoch: 1, coordinatorEpoch: 1 })
  expect(worker.of(groupId)).toEqual({ membershipEpoch: 1 })
})

test('an office that passed to another Agent is no longer claimed', () => {
  const epochs = new GroupEpochs(me)
  epochs.observe(created(me))
  epochs.observe(renewed('urn:test:agent:you', 2))
  expect(epochs.of(groupId)).toEqual({ membershipEpoch: 1 })
})

test('a successor claims the office, at the epoch that it was given (A-120)', () => {
  const epochs = new GroupEpochs(me)
  epochs.observe({ ...created('urn:test:agent:you'), kind: 'mission.follow_up.created' } as EventDocument)
  epochs.observe(event('mission.coordinator.assigned', { coordinatorEpoch: 2, coordinatorLease: { holderAgentId: me } }))
  expect(epochs.of(groupId)).toEqual({ membershipEpoch: 1, coordinatorEpoch: 2 })
})

test('an epoch only ever rises, whatever comes twice or late', () => {
  const epochs = new GroupEpochs(me)
  epochs.adopt(groupId, 3)
  epochs.observe(event('membership.changed', { membership: membership(me, 2) }))
  epochs.observe(renewed(me, 5))
  epochs.observe(renewed('urn:test:agent:you', 4))
  expect(epochs.of(groupId)).toEqual({ membershipEpoch: 3, coordinatorEpoch: 5 })
})

test("another member's epoch is not taken for one's own", () => {
  const epochs = new GroupEpochs(me)
  epochs.adopt(groupId, 1)
  epochs.observe(event('membership.changed', { membership: membership('urn:test:agent:you', 7) }))
  expect(epochs.of(groupId)).toEqual({ membershipEpoch: 1 })
})
