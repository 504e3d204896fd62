import { describe, expect, it } from 'vitest'
import type { AgentView, ParticipantView } from '../trpc.tsx'
import { membershipDraft, newcomers, rolesFor } from './membership-draft.ts'

const agent = (agentId: string, more: Partial<AgentView> = {}) => ({ agentId, name: agentId, status: 'active', online: true, ...more }) as AgentView
const member = (id: string, membershipState: string, membershipEpoch: number): ParticipantView => ({ id, type: 'agent', name: id, role: 'worker', membershipState, membershipEpoch })

describe('bringing somebody in', () => {
  it('offers agents and people who are no members now, by name, and no agent whose card was revoked', () => {
    const people = [member('urn:a', 'active', 1), member('urn:b', 'provisional', 1), member('urn:c', 'ended', 2)]
    const found = newcomers([agent('urn:z'), agent('urn:a'), agent('urn:b'), agent('urn:c'), agent('urn:r', { status: 'revoked' })], [{ id: 'urn:mara', name: 'Mara' }], people)
    expect(found.map(({ id, type }) => `${type} ${id}`)).toEqual(['human urn:mara', 'agent urn:c', 'agent urn:z'])
  })

  it('A-223: names the epoch of somebody who left, and none of somebody who was never here', () => {
    const [left, fresh] = newcomers([agent('urn:c'), agent('urn:z')], [], [member('urn:c', 'ended', 2)])
    expect([left, fresh].map((who) => membershipDraft(who!, 'worker').expectedRevision)).toEqual([2, 0])
  })

  it('A-131: gives what was chosen of the log: all of it, or what follows', () => {
    const mara = { id: 'urn:mara', type: 'human', name: 'Mara', membershipEpoch: 0 } as const
    const startOf = (what: 'everything' | 'from-now') => membershipDraft(mara, 'observer', { what, head: 41 }).payload
    expect(startOf('everything')).toEqual({ member: { type: 'human', id: 'urn:mara' }, role: 'observer', visibilityStartSequence: 1 })
    expect(startOf('from-now')).toMatchObject({ visibilityStartSequence: 42 })
    expect(membershipDraft(mara, 'reviewer').payload).not.toHaveProperty('visibilityStartSequence')
  })

  it('gives no person a role in which one does work', () => {
    expect(rolesFor('human').map(({ role }) => role)).toEqual(['observer', 'reviewer'])
    expect(rolesFor('agent')[0]?.role).toBe('worker')
  })
})
