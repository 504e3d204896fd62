import { describe, expect, it } from 'vitest'
import type { Artifact } from '../../protocol/generated/types.ts'
import { agentCard, cora, hashOf, urnOf, wanda, wim } from '../testing/cast.ts'
import { artifactOf } from '../testing/documents.ts'
import { GroupFixture } from '../testing/group-fixture.ts'
import type { Stage } from '../testing/work-scenario.ts'
import { citing, fail, place, publish, reach, recordOf, workId } from '../testing/work-scenario.ts'

function at(stage: Stage): GroupFixture {
  const group = new GroupFixture().found()
  reach(group, 'a', stage)
  return group
}

function payload(group: GroupFixture, changes: Partial<Artifact> = {}, leases: object = {}) {
  const { workItemId: _workItemId, ...cited } = citing(group, 'a')
  return { artifact: artifactOf(place(group, 'a'), 'list', changes), ...cited, ...leases }
}

describe('artifact.publish', () => {
  it('registers the manifest and leaves the WorkItem’s revision alone (A-200)', () => {
    const group = at('active')
    const publication = payload(group)
    const [event] = group.accept(wim, 'artifact.publish', publication, { expectedRevision: 4, workItemId: workId('a') })
    expect(event).toMatchObject({ kind: 'artifact.published', aggregateRevision: 4, workItemId: workId('a'), payload: { artifact: publication.artifact } })
    expect(recordOf(group, 'a').item.revision).toBe(4)
    expect(group.state.artifacts.get(hashOf('list'))).toEqual([publication.artifact])
    expect(group.state.sequenceOf.get(hashOf('list'))).toBe(event?.sequence)
    expect(group.state.sequenceOf.get(publication.artifact.artifactId)).toBe(event?.sequence)
  })

  it('keeps the same content of several WorkItems apart', () => {
    const group = at('active')
    reach(group, 'b', 'active', { worker: wanda })
    publish(group, 'a', {}, 'list')
    publish(group, 'b', {}, 'list')
    expect(group.state.artifacts.get(hashOf('list'))?.map(({ workItemId }) => workItemId)).toEqual([workId('a'), workId('b')])
  })

  it.each<[string, string, Partial<Artifact>]>([
    ['another Mission', 'INVALID_COMMAND', { missionId: urnOf('x') }],
    ['another Group', 'INVALID_COMMAND', { groupId: urnOf('x') }],
    ['unknown work', 'INVALID_COMMAND', { workItemId: workId('x') }],
    ['another producer', 'INVALID_COMMAND', { producer: { agentId: wanda.id, agentCardVersion: 1, capabilities: [{ id: 'release.inventory', version: '1.0.0' }] } }],
    ['another card version than was pinned (A-30)', 'REVISION_CONFLICT', { producer: { agentId: wim.id, agentCardVersion: 2, capabilities: [{ id: 'release.inventory', version: '1.0.0' }] } }],
    ['the future', 'INVALID_COMMAND', { createdAt: '2026-11-29T12:05:00.001Z' }],
    ['an unknown source (A-204)', 'INVALID_COMMAND', { sourceArtifactHashes: [hashOf('elsewhere')] }],
    ['itself as source', 'INVALID_COMMAND', { sourceArtifactHashes: [hashOf('list')] }],
  ])('refuses a manifest of %s', (_, code, changes) => {
    const group = at('active')
    expect(group.code(wim, 'artifact.publish', payload(group, changes))).toBe(code)
  })

  it('allows a producer’s clock to run a little ahead', () => {
    const group = at('active')
    expect(group.accept(wim, 'artifact.publish', payload(group, { createdAt: '2026-11-29T12:05:00.000Z' }))).toHaveLength(1)
  })

  it('pins the card version of the acceptance, not of the moment (A-30)', () => {
    const group = at('active')
    group.cards.set(wim.id, agentCard(wim, { cardVersion: 2 }))
    expect(group.accept(wim, 'artifact.publish', payload(group))).toHaveLength(1)
  })

  it('is never less confidential than its sources', () => {
    const group = at('active')
    publish(group, 'a', { classification: 'confidential' }, 'secret')
    const derived = (classification: Artifact['classification']) => payload(group, { classification, sourceArtifactHashes: [hashOf('secret')] })
    expect(group.code(wim, 'artifact.publish', derived('public'))).toBe('AUTH_FORBIDDEN')
    expect(group.code(wim, 'artifact.publish', derived('internal'))).toBe('AUTH_FORBIDDEN')
    expect(group.judge(group.command(wim, 'artifact.publish', derived('confidential'))).ok).toBe(true)
    expect(group.judge(group.command(wim, 'artifact.publish', derived('restricted'))).ok).toBe(true)
  })

  it('goes by the highest classification under which a source was published', () => {
    const group = at('active')
    reach(group, 'b', 'active', { worker: wanda })
    publish(group, 'a', { classification: 'public' }, 'source')
    publish(group, 'b', { classification: 'restricted' }, 'source')
    expect(group.code(wim, 'artifact.publish', payload(group, { classification: 'confidential', sourceArtifactHashes: [hashOf('source')] }))).toBe('AUTH_FORBIDDEN')
  })

  it('may build on what failed work left behind', () => {
    const group = at('active')
    reach(group, 'b', 'active', { worker: wanda })
    publish(group, 'b', {}, 'fragment')
    fail(group, 'b')
    expect(group.accept(wim, 'artifact.publish', payload(group, { sourceArtifactHashes: [hashOf('fragment')] }))).toHaveLength(1)
  })

  it('is the executing owner’s (A-17, A-180)', () => {
    const group = at('active')
    expect(group.code(wanda, 'artifact.publish', payload(group))).toBe('AUTH_FORBIDDEN')
    expect(group.code(cora, 'artifact.publish', payload(group))).toBe('AUTH_FORBIDDEN')
    expect(group.code(wim, 'artifact.publish', payload(group, {}, { ownershipEpoch: 2 }))).toBe('WORK_STALE_OWNERSHIP')
    expect(group.code(wim, 'artifact.publish', payload(group, {}, { executionLeaseId: urnOf('old') }))).toBe('WORK_LEASE_EXPIRED')
    expect(group.code(wim, 'artifact.publish', payload(group), { expectedRevision: 3 })).toBe('REVISION_CONFLICT')
    expect(group.code(wim, 'artifact.publish', payload(group), { workItemId: workId('b') })).toBe('INVALID_COMMAND')
    expect(group.pass(300).code(wim, 'artifact.publish', payload(group))).toBe('WORK_LEASE_EXPIRED')
  })

  it('refuses an artifact id that is in use (A-14)', () => {
    const group = at('active')
    group.accept(wim, 'artifact.publish', payload(group))
    expect(group.code(wim, 'artifact.publish', payload(group))).toBe('INVALID_COMMAND')
    expect(group.accept(wim, 'artifact.publish', payload(group, { artifactId: urnOf('again') }))).toHaveLength(1)
  })
})
