import { describe, expect, it } from 'vitest'
import type { Actor, Artifact, ArtifactImportPayload } from '../../protocol/generated/types.ts'
import { ARTIFACT_IMPORT } from '../../protocol/kinds.ts'
import { ada, cora, hashOf, nora, otto, urnOf, wanda, wim } from '../testing/cast.ts'
import { artifactOf, evidenceOf, workContract } from '../testing/documents.ts'
import { GroupFixture, replay } from '../testing/group-fixture.ts'
import { MissionTree } from '../testing/mission-tree.ts'
import { advance, approve, artifactName, citing, invitation, place, publish, reach, submitMission, workId } from '../testing/work-scenario.ts'
import { resultManifests } from './artifact.ts'
import { encodeState } from './encode-state.ts'
import { rowsOf } from './read-models.ts'

const content = hashOf(artifactName('a'))
type Classification = Artifact['classification']

/** A Mission whose one result its owner has approved. */
function approved(classification: Classification = 'internal'): GroupFixture {
  const group = finished(classification)
  submitMission(group, 'a')
  group.accept(ada, 'mission.approve', approve(group))
  return group
}

/** A Mission whose one result its Coordinator has accepted. */
function finished(classification: Classification = 'internal'): GroupFixture {
  const group = new GroupFixture('source').found()
  reach(group, 'a', 'active')
  publish(group, 'a', { classification })
  advance(group, 'a', 'submitted', 'verified')
  return group
}

/** Another Mission of the same people. */
function beside(source: GroupFixture): GroupFixture {
  const group = new GroupFixture('target').found()
  group.elsewhere = new Map([[source.state.groupId, source.state]])
  return group
}

function payload(source: GroupFixture, changes: Partial<ArtifactImportPayload> = {}): ArtifactImportPayload {
  const [artifact] = source.state.artifacts.get(content) ?? []
  return { sourceGroupId: source.state.groupId, artifactId: artifact!.artifactId, contentHash: content, reason: 'The list is the same.', ...changes }
}

const refusalOf = (source: GroupFixture, actor: Actor, changes: Partial<ArtifactImportPayload> = {}) => beside(source).refusal(actor, ARTIFACT_IMPORT, payload(source, changes))

describe('ext.countersign.artifact.import', () => {
  it('A-204: brings in the signed manifest with the Approval of its Mission and the Event that approved it', () => {
    const source = approved()
    const group = beside(source)
    const [artifact] = source.state.artifacts.get(content)!
    const approval = source.state.submissions.at(-1)?.approval
    const sourceEventId = source.log.find(({ kind }) => kind === 'mission.approved')?.eventId
    const [event] = group.accept(ada, ARTIFACT_IMPORT, payload(source), { expectedRevision: 1 })
    expect(event).toMatchObject({ kind: 'ext.countersign.artifact.imported', aggregateRevision: 1, payload: { artifact, sourceGroupId: source.state.groupId, sourceEventId, approval, reason: 'The list is the same.' } })
    expect(group.state.artifacts.get(content)).toEqual([artifact])
    expect(group.state.mission.revision).toBe(1)
    expect(encodeState(replay(group.log))).toEqual(encodeState(group.state))
  })

  it('A-126: stands in the Policy Log, and A-131: in the rows that say who may read the content', () => {
    const source = approved()
    const group = beside(source)
    const events = group.accept(cora, ARTIFACT_IMPORT, payload(source))
    expect(group.state.policyLog).toMatchObject([{ decision: 'ext.countersign.artifact.imported', actor: cora, details: { areas: ['authorization'] } }])
    expect(rowsOf(events, group.state).artifacts).toMatchObject([{ sequence: group.state.sequence, contentHash: content }])
  })

  it('A-200: lets work be made of it, as confidential as it is at least', () => {
    const source = approved('internal')
    const group = beside(source)
    group.accept(ada, 'membership.change', { member: wim, role: 'worker' })
    reach(group, 'b', 'active')
    const { workItemId: _workItemId, ...leases } = citing(group, 'b')
    const made = (classification: Classification) => ({ ...leases, artifact: artifactOf(place(group, 'b'), 'made of it', { classification, sourceArtifactHashes: [content] }) })
    expect(group.code(wim, 'artifact.publish', made('internal'))).toBe('INVALID_COMMAND')
    group.accept(ada, ARTIFACT_IMPORT, payload(source))
    expect(group.code(wim, 'artifact.publish', made('public'))).toBe('AUTH_FORBIDDEN')
    expect(group.accept(wim, 'artifact.publish', made('internal'))).toHaveLength(1)
    expect(group.accept(cora, 'work.offer', (reach(group, 'c', 'open'), invitation(group, 'c', [wim], { artifactHashes: [content] })))).not.toHaveLength(0)
  })

  it('A-157, A-124: is no result of this Mission’s work, and none of its work has the id of the work that made it', () => {
    const source = approved()
    const group = beside(source)
    group.accept(ada, ARTIFACT_IMPORT, payload(source))
    expect(group.code(cora, 'work.authorize', { workItemId: workId('a'), contract: workContract() })).toBe('INVALID_COMMAND')
    reach(group, 'b', 'active')
    expect(group.code(wim, 'work.submit', { ...citing(group, 'b'), artifactHashes: [content], evidence: [evidenceOf(place(group, 'b'), wim)] })).toBe('INVALID_COMMAND')
    advance(group, 'b', 'published', 'verified')
    expect(() => submitMission(group, 'a')).toThrow('no verified work published one of the artifacts')
    const taken = beside(source)
    reach(taken, 'a', 'open')
    expect(taken.code(ada, ARTIFACT_IMPORT, payload(source))).toBe('INVALID_COMMAND')
  })

  it('A-24: does not stand for a result of the same content, which keeps its own manifest', () => {
    const source = approved()
    const group = beside(source)
    reach(group, 'b', 'active')
    publish(group, 'b', { classification: 'public' }, artifactName('a'))
    group.accept(ada, ARTIFACT_IMPORT, payload(source))
    expect(group.state.artifacts.get(content)).toHaveLength(2)
    expect(resultManifests(group.state, content)).toMatchObject([{ groupId: group.state.groupId, workItemId: workId('b') }])
    expect(resultManifests(beside(source).state, content)).toEqual([])
  })

  it('A-23, A-239: tells nobody who does not belong to the other Group whether there is one', () => {
    const source = approved()
    const group = beside(source)
    group.accept(ada, 'mission.assign_coordinator', { coordinatorAgentId: nora.id, reason: 'Cora is away.' })
    const strangers = [
      refusalOf(source, ada, { sourceGroupId: urnOf('nowhere') }),
      refusalOf(source, ada, { artifactId: urnOf('nothing') }),
      refusalOf(source, ada, { contentHash: hashOf('other content') }),
      group.refusal(nora, ARTIFACT_IMPORT, payload(source)),
    ]
    expect(new Set(strangers.map((refusal) => JSON.stringify(refusal)))).toHaveLength(1)
    expect(strangers[0]?.code).toBe('INVALID_COMMAND')
  })

  it('A-204: takes nothing that was not approved there', () => {
    expect(refusalOf(finished(), ada)).toMatchObject({ code: 'AUTH_FORBIDDEN', message: 'the artifact was not approved in its Group' })
  })

  it.each<[Classification, boolean, boolean]>([
    ['public', true, true],
    ['internal', true, true],
    ['confidential', true, false],
    ['restricted', true, false],
  ])('A-204: lets owner and Coordinator bring in what is %s: %s, %s', (classification, byOwner, byCoordinator) => {
    const source = approved(classification)
    const group = beside(source)
    const isAllowed = (actor: Actor) => group.judge(group.command(actor, ARTIFACT_IMPORT, payload(source))).ok
    expect([isAllowed(ada), isAllowed(cora)]).toEqual([byOwner, byCoordinator])
  })

  it('A-119, A-218: is for owner and Coordinator alone, under a live lease, in an active Mission', () => {
    const source = approved()
    const group = beside(source)
    group.accept(ada, 'membership.change', { member: wim, role: 'worker' })
    expect(group.code(wim, ARTIFACT_IMPORT, payload(source))).toBe('AUTH_FORBIDDEN')
    expect(group.code(otto, ARTIFACT_IMPORT, payload(source))).toBe('GROUP_NOT_FOUND')
    expect(group.code(ada, ARTIFACT_IMPORT, payload(source), { keyUse: 'conversation' })).toBe('AUTH_FORBIDDEN')
    expect(group.code(cora, ARTIFACT_IMPORT, payload(source), { coordinatorEpoch: undefined as never })).toBe('AUTH_STALE_COORDINATOR')
    expect(group.code(ada, ARTIFACT_IMPORT, payload(source), { expectedRevision: 7 })).toBe('REVISION_CONFLICT')
    group.pass(86_400)
    expect(group.code(cora, ARTIFACT_IMPORT, payload(source))).toBe('WORK_LEASE_EXPIRED')
    group.accept(ada, 'mission.cancel', { reason: 'Enough.' })
    expect(group.code(ada, ARTIFACT_IMPORT, payload(source))).toBe('INVALID_STATE_TRANSITION')
  })

  it('A-14: comes once', () => {
    const source = approved()
    const group = beside(source)
    group.accept(ada, ARTIFACT_IMPORT, payload(source))
    expect(group.code(ada, ARTIFACT_IMPORT, payload(source))).toBe('INVALID_COMMAND')
  })

  it('A-243: keeps to the major version of an extension that the Group has pinned', () => {
    const profile = urnOf('profile')
    const extensions = (version: string) => ({ [profile]: { version, critical: true, data: {} } })
    const source = new GroupFixture('source').found()
    reach(source, 'a', 'active')
    publish(source, 'a', { extensions: extensions('2.0.0') })
    advance(source, 'a', 'submitted', 'verified')
    submitMission(source, 'a')
    source.accept(ada, 'mission.approve', approve(source))
    const group = beside(source)
    group.accept(ada, 'message.post', { messageId: urnOf('hello'), content: [{ type: 'text', text: 'Hello.' }] }, { extensions: extensions('1.0.0') })
    expect(group.code(ada, ARTIFACT_IMPORT, payload(source))).toBe('UNKNOWN_CRITICAL_EXTENSION')
  })
})

describe('A-204, A-206: a child Mission and the Group above it', () => {
  function below(classification: Classification): { child: GroupFixture; root: GroupFixture } {
    const tree = new MissionTree(new GroupFixture('source').found())
    const { root } = tree
    reach(root, 'a', 'active')
    publish(root, 'a', { classification })
    advance(root, 'a', 'submitted', 'verified')
    reach(root, 'b', 'open')
    const child = tree.child(root, 'child', 'b')
    child.elsewhere = new Map([[root.state.groupId, root.state]])
    return { child, root }
  }

  it.each<Classification>(['internal', 'restricted'])('the Parent Coordinator hands down what it has accepted, also when it is %s', (classification) => {
    const { child, root } = below(classification)
    const sourceEventId = root.log.find(({ kind }) => kind === 'work.result.accepted')?.eventId
    const [event] = child.accept(cora, ARTIFACT_IMPORT, payload(root))
    expect(event?.payload).toMatchObject({ sourceEventId, sourceGroupId: root.state.groupId })
    expect(event?.payload).not.toHaveProperty('approval')
  })

  it('the Coordinator below takes what is not confidential, as a member above', () => {
    expect(below('internal').child.accept(wim, ARTIFACT_IMPORT, payload(below('internal').root))).toHaveLength(1)
    const { child, root } = below('confidential')
    expect(child.code(wim, ARTIFACT_IMPORT, payload(root))).toBe('AUTH_FORBIDDEN')
  })

  it('what the child was brought from elsewhere stays out of the Group above, which gets the child’s own result of the same content', () => {
    const source = approved()
    const tree = new MissionTree(new GroupFixture('root').found())
    reach(tree.root, 'report', 'open')
    const child = tree.child(tree.root, 'child', 'report')
    const part = { contract: { deadline: '2026-12-18T18:00:00Z', budget: { modelTokenLimit: 5 } }, worker: wanda }
    reach(child, 'part', 'active', part)
    publish(child, 'part', {}, artifactName('a'))
    advance(child, 'part', 'submitted', 'verified', part)
    child.state.artifacts.set(content, [...source.state.artifacts.get(content)!, ...child.state.artifacts.get(content)!])
    submitMission(child, 'a')
    child.accept(cora, 'mission.approve', approve(child))
    tree.settle()
    expect(tree.root.state.artifacts.get(content)).toMatchObject([{ groupId: child.state.groupId }])
  })
})
