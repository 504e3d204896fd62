import { describe, expect, it } from 'vitest'
import type { EventDocument } from '../../protocol/generated/types.ts'
import { ada, cora, hashOf, urnOf, wanda, wim } from '../testing/cast.ts'
import { evidenceOf, workContract } from '../testing/documents.ts'
import { GroupFixture } from '../testing/group-fixture.ts'
import { advance, approve, artifactName, block, citing, fail, offerPayload, place, publish, reach, requestChanges, submitMission, workId } from '../testing/work-scenario.ts'
import { edgesOf } from './graph-edges.ts'
import type { GroupEvent } from './request.ts'

const founded = () => new GroupFixture().found()
const say = (group: GroupFixture, name: string, more: object = {}, envelope: object = {}) => only(group.accept(wim, 'message.post', { messageId: urnOf(name), content: [{ type: 'text', text: name }], ...more }, envelope))

function only(events: readonly EventDocument[]): EventDocument {
  const [event] = events
  if (!event) throw new Error('no Event')
  return event
}

/** `provenance → sequence of the parent`, sorted. */
function parents(group: GroupFixture, event: EventDocument): string[] {
  return edgesOf(event as unknown as GroupEvent, group.state).map(({ child, parent, provenance }) => (expect(child).toBe(event.sequence), `${provenance} ${parent}`)).sort()
}

const at = (event: EventDocument) => event.sequence ?? 0
const sequenceOf = (group: GroupFixture, id: string) => group.state.sequenceOf.get(id) ?? -1

describe('Messages', () => {
  it('point to everything they reference: Messages, Events, work, artifacts', () => {
    const group = founded()
    const first = say(group, 'first')
    reach(group, 'a', 'published')
    const references = [urnOf('first'), group.log[0]?.eventId, workId('a'), urnOf('unknown')]
    const reply = say(group, 'reply', { references })
    expect(parents(group, reply)).toEqual([`reply ${at(first)}`, 'reply 1', `reply ${sequenceOf(group, workId('a'))}`].sort())
  })

  it('point to the Event that brought a mentioned member in, if there is one', () => {
    const group = founded()
    const introduced = group.log.findIndex(({ kind }) => kind === 'membership.changed') + 1
    expect(parents(group, say(group, 'm', { mentions: [wim, ada, { type: 'human', id: urnOf('stranger') }] }))).toEqual([`mention ${introduced}`])
  })

  it('state each edge once and never to themselves or later Events', () => {
    const group = founded()
    const first = say(group, 'first', { references: [urnOf('first'), urnOf('second')] })
    const second = say(group, 'second', { references: [urnOf('first'), first.eventId] })
    expect(parents(group, first)).toEqual([])
    expect(parents(group, second)).toEqual([`reply ${at(first)}`])
  })

  it('do not follow on the steps of the work they are about', () => {
    const group = founded()
    reach(group, 'a', 'open')
    expect(parents(group, say(group, 'm', {}, { workItemId: workId('a') }))).toEqual([])
  })
})

describe('causes', () => {
  it('come from the causedByEventId that the Command cites', () => {
    const group = founded()
    const first = say(group, 'first')
    const second = say(group, 'second', {}, { causedByEventId: first.eventId })
    expect(second.extensions).toEqual({ 'urn:countersign:extension:caused-by': { version: '1.0.0', critical: false, data: { eventId: first.eventId } } })
    expect(parents(group, second)).toEqual([`cause ${at(first)}`])
    expect(parents(group, say(group, 'third', {}, { causedByEventId: urnOf('elsewhere') }))).toEqual([])
  })

  it('come from the Event that an Event follows from', () => {
    const group = founded()
    reach(group, 'a', 'open')
    const [cancelled, withdrawn] = group.accept(ada, 'mission.cancel', { reason: 'Enough.' })
    if (!cancelled || !withdrawn) throw new Error('two Events expected')
    expect(parents(group, withdrawn)).toEqual([`cause ${sequenceOf(group, workId('a'))}`, `cause ${at(cancelled)}`].sort())
  })

  it('are nothing for a malformed extension entry', () => {
    const group = founded()
    const extensions = { 'urn:countersign:extension:caused-by': { version: '1.0.0', critical: false, data: 'text' } }
    expect(parents(group, say(group, 'm', {}, { extensions }))).toEqual([])
  })
})

describe('the life of a WorkItem', () => {
  it('is a chain from step to step', () => {
    const group = founded()
    reach(group, 'a', 'submitted')
    const steps = group.log.filter(({ workItemId, kind }) => workItemId === workId('a') && kind.startsWith('work.'))
    expect(steps.map(({ kind }) => kind)).toEqual(['work.authorized', 'work.offer.created', 'work.offer.accepted', 'work.started', 'work.submitted'])
    expect(steps.map((step) => parents(group, step).filter((edge) => edge.startsWith('cause')))).toEqual([[], ...steps.slice(0, -1).map((step) => [`cause ${at(step)}`])])
  })

  it('hangs renewals, charges and publications on the step they belong to', () => {
    const group = founded()
    reach(group, 'a', 'active')
    const started = at(group.log.at(-1) ?? only([]))
    const renewal = only(group.accept(wim, 'ext.missionweaveprotocol.core.work_execution_lease_renew', citing(group, 'a')))
    const usage = only(group.accept(wim, 'ext.missionweaveprotocol.core.resource_usage_record', { ...citing(group, 'a'), usageDelta: { modelTokens: 1 } }))
    const published = only(publish(group, 'a'))
    for (const event of [renewal, usage, published]) expect(parents(group, event)).toEqual([`cause ${started}`])
    const submitted = only(group.accept(wim, 'work.submit', { ...citing(group, 'a'), artifactHashes: [hashOf(artifactName('a'))], evidence: [evidenceOf(place(group, 'a'), wim)] }))
    expect(parents(group, submitted)).toEqual([`cause ${started}`, `source ${at(published)}`].sort())
  })

  it('continues where a lease has ended', () => {
    const group = founded()
    reach(group, 'a', 'active')
    const expired = only(group.pass(300).due())
    const restarted = only(group.accept(wim, 'work.start', { workItemId: workId('a'), ownershipEpoch: 1 }))
    expect(parents(group, restarted)).toEqual([`cause ${at(expired)}`])
  })

  it('leads from a block to its end, and to a dependency that was added (A-171)', () => {
    const group = founded()
    reach(group, 'dependency', 'open')
    reach(group, 'a', 'active')
    const started = at(group.log.at(-1) ?? only([]))
    const blocked = only(block(group, 'a'))
    const revised = only(group.accept(cora, 'ext.missionweaveprotocol.core.work_dependency_add', { workItemId: workId('a'), dependencyId: workId('dependency') }))
    expect(parents(group, blocked)).toEqual([`cause ${started}`])
    expect(parents(group, revised)).toEqual([`cause ${at(blocked)}`, `depends ${sequenceOf(group, workId('dependency'))}`])
  })

  it('begins with dependencies, proposal, parent and what it replaces', () => {
    const group = founded()
    reach(group, 'dependency', 'open')
    reach(group, 'parent', 'open')
    reach(group, 'old', 'open')
    fail(group, 'old')
    const contract = workContract({ dependencyWorkItemIds: [workId('dependency')], budget: { modelTokenLimit: 1 } })
    const proposed = only(group.accept(wim, 'work.propose', { proposalId: urnOf('p'), contract, parentWorkItemId: workId('parent') }))
    const links = { proposalId: urnOf('p'), parentWorkItemId: workId('parent'), replacesWorkItemId: workId('old') }
    const authorized = only(group.accept(cora, 'work.authorize', { workItemId: workId('new'), contract, ...links }))
    const causes = [at(proposed), sequenceOf(group, workId('parent')), sequenceOf(group, workId('old'))].map((parent) => `cause ${parent}`)
    expect(parents(group, authorized)).toEqual([...causes, `depends ${sequenceOf(group, workId('dependency'))}`].sort())
  })

  it('gains dependencies through a revised contract', () => {
    const group = founded()
    reach(group, 'a', 'open')
    reach(group, 'b', 'open')
    const contract = workContract({ contractVersion: 2, dependencyWorkItemIds: [workId('b')] })
    const offered = only(group.accept(cora, 'work.offer', { ...offerPayload('a'), contract }))
    expect(parents(group, offered)).toEqual([`cause ${sequenceOf(group, workId('a'))}`, `depends ${sequenceOf(group, workId('b'))}`].sort())
  })
})

describe('artifacts and decisions', () => {
  it('lead from an artifact to its sources', () => {
    const group = founded()
    reach(group, 'a', 'active')
    const started = at(group.log.at(-1) ?? only([]))
    const source = only(publish(group, 'a', {}, 'source'))
    const derived = only(publish(group, 'a', { sourceArtifactHashes: [hashOf('source')] }, 'derived'))
    expect(parents(group, derived)).toEqual([`cause ${started}`, `source ${at(source)}`].sort())
  })

  it('lead from a submission of work to its own publications, not to equal content of others', () => {
    const group = founded()
    reach(group, 'b', 'active', { worker: wanda })
    const other = only(publish(group, 'b', {}, artifactName('a')))
    reach(group, 'a', 'submitted')
    const submitted = group.log.at(-1) ?? only([])
    expect(parents(group, submitted)).not.toContain(`source ${at(other)}`)
    expect(parents(group, submitted).filter((edge) => edge.startsWith('source'))).toHaveLength(1)
  })

  it('lead from the decision to the submission and its artifacts, and stay so later', () => {
    const group = founded()
    reach(group, 'a', 'verified')
    const published = sequenceOf(group, hashOf(artifactName('a')))
    const first = only(submitMission(group, 'a'))
    const changes = only(group.accept(ada, 'mission.request_changes', requestChanges(group)))
    reach(group, 'b', 'active', { worker: wanda })
    publish(group, 'b', {}, artifactName('a'))
    advance(group, 'b', 'submitted', 'verified', { worker: wanda })
    const second = only(submitMission(group, 'a'))
    const approved = only(group.accept(ada, 'mission.approve', approve(group)))
    expect(parents(group, first)).toEqual([`decides ${published}`])
    expect(parents(group, changes)).toEqual([`decides ${published}`, `decides ${at(first)}`].sort())
    expect(parents(group, approved)).toContain(`decides ${at(second)}`)
    expect(parents(group, approved)).not.toContain(`decides ${at(first)}`)
  })
})
