import { expect, test } from 'vitest'
import type { AgentEntry } from '../../../sdk/index.ts'
import { GroupMirror } from '../../../sdk/index.ts'
import { chooseWorker } from './worker-choice.ts'

const required = { id: 'release.report', version: '1.0.0' }
const agent = (agentId: string, changes: Partial<AgentEntry> = {}): AgentEntry => ({ agentId, displayName: agentId, capabilities: [required], cardVersion: 1, online: true, ...changes })

function mirrorWith(...members: readonly (readonly [id: string, role: string, state: string])[]): GroupMirror {
  const mirror = new GroupMirror()
  const memberships = mirror.memberships as Map<string, unknown>
  for (const [id, role, state] of members) memberships.set(id, { role, state })
  return mirror
}

test.each([
  ['a member before a newcomer', mirrorWith(['urn:z', 'worker', 'active']), [agent('urn:a'), agent('urn:z')], 'urn:z'],
  ['the lowest id among equals', mirrorWith(), [agent('urn:b'), agent('urn:a')], 'urn:a'],
  ['nobody who is offline', mirrorWith(), [agent('urn:a', { online: false }), agent('urn:b')], 'urn:b'],
  ['nobody with another major version', mirrorWith(), [agent('urn:a', { capabilities: [{ ...required, version: '2.0.0' }] })], undefined],
  ['a newer minor version', mirrorWith(), [agent('urn:a', { capabilities: [{ ...required, version: '1.4.0' }] })], 'urn:a'],
  ['nobody whose Membership was ended', mirrorWith(['urn:a', 'worker', 'ended']), [agent('urn:a')], undefined],
  ['nobody who observes', mirrorWith(['urn:a', 'observer', 'active']), [agent('urn:a')], undefined],
])('chooses %s', (_what, mirror, agents, expected) => {
  expect(chooseWorker(mirror, agents, required)?.agent.agentId).toBe(expected)
})
