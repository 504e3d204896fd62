import { describe, expect, it } from 'vitest'
import type { ContextPackage } from '../../protocol/generated/types.ts'
import { ada, cora, hashOf, nora, otto, urnOf, wim } from '../testing/cast.ts'
import { GroupFixture } from '../testing/group-fixture.ts'
import { artifactName, invitation, reach, workId } from '../testing/work-scenario.ts'

function ready(): GroupFixture {
  const group = new GroupFixture().found()
  reach(group, 'done', 'verified')
  reach(group, 'a', 'open')
  group.accept(wim, 'message.post', { messageId: urnOf('said'), content: [{ type: 'text', text: 'I have time.' }] })
  return group
}

const offerWith = (group: GroupFixture, changes: Partial<ContextPackage> = {}) => invitation(group, 'a', [wim], changes)
const rangeOf = (group: GroupFixture, ...sequences: readonly number[]) => ({
  fromSequence: sequences[0] ?? 1,
  toSequence: sequences.at(-1) ?? 1,
  eventIds: sequences.map((sequence) => group.log[sequence - 1]?.eventId ?? urnOf('no Event')),
})

describe('a Context Package', () => {
  it('A-203: is kept with its version and its sources, and linked to by the next one', () => {
    const group = ready()
    const first = offerWith(group, { artifactHashes: [hashOf(artifactName('done'))] })
    group.accept(cora, 'work.offer', first)
    const firstId = first.contextPackage?.contextPackageId ?? ''
    expect(group.state.contextPackages.get(firstId)).toEqual({ version: 1, workItemId: workId('a'), artifactHashes: [hashOf(artifactName('done'))] })
    group.accept(cora, 'work.offer', offerWith(group, { version: 2, previousContextPackageId: firstId }))
    expect([...group.state.contextPackages.values()].map(({ version }) => version)).toEqual([1, 2])
  })

  it('A-203: may name a selection of the Events of its range', () => {
    const group = ready()
    const decisions = [{ description: 'Wim works.', sourceEventIds: [group.log[3]?.eventId ?? ''] }]
    expect(group.accept(cora, 'work.offer', offerWith(group, { sourceEventRange: rangeOf(group, 2, 5), decisions }))).toHaveLength(1)
  })

  it.each<[string, (group: GroupFixture) => Partial<ContextPackage>]>([
    ['of another Group', () => ({ groupId: urnOf('other') })],
    ['of another Mission', () => ({ missionId: urnOf('other') })],
    ['about other work', () => ({ workItemId: workId('done') })],
    ['with an id that is in use', (group) => ({ contextPackageId: group.log[0]?.eventId ?? '' })],
    ['with a range beyond the log', (group) => ({ sourceEventRange: { ...rangeOf(group, 1, 2), toSequence: group.log.length + 1 } })],
    ['with a range that does not begin with its first Event', (group) => ({ sourceEventRange: { ...rangeOf(group, 2, 4), fromSequence: 1 } })],
    ['with Events out of order', (group) => ({ sourceEventRange: rangeOf(group, 1, 4, 3, 5) })],
    ['with the id of a Message in place of an Event', (group) => ({ sourceEventRange: { ...rangeOf(group, group.log.length, group.log.length), eventIds: [urnOf('said')] } })],
    ['with a decision that has a Message as its source', (group) => ({ decisions: [{ description: 'Wim works.', sourceEventIds: [urnOf('said')] }], sourceEventRange: rangeOf(group, 1, group.log.length) })],
    ['with an Event of another log', () => ({ sourceEventRange: { fromSequence: 1, toSequence: 1, eventIds: [urnOf('foreign')] } })],
    ['with an artifact that nobody published', () => ({ artifactHashes: [hashOf('unknown')] })],
    ['with a decision from outside its range', (group) => ({ sourceEventRange: rangeOf(group, 2, 3) })],
    ['that is a second version of nothing', () => ({ version: 2 })],
    ['that follows on an unknown one', () => ({ version: 2, previousContextPackageId: urnOf('unknown') })],
  ])('A-203: is refused %s', (_, changes) => {
    const group = ready()
    expect(group.code(cora, 'work.offer', offerWith(group, changes(group)))).toBe('INVALID_COMMAND')
  })

  it('A-203: is refused when it skips a version', () => {
    const group = ready()
    const first = offerWith(group)
    group.accept(cora, 'work.offer', first)
    const previousContextPackageId = first.contextPackage?.contextPackageId ?? ''
    expect(group.code(cora, 'work.offer', offerWith(group, { version: 3, previousContextPackageId }))).toBe('INVALID_COMMAND')
  })

  it('A-203: is refused from an Agent that may not read the log', () => {
    const group = ready()
    expect(group.code(cora, 'work.offer', offerWith(group, { generatedBy: otto as ContextPackage['generatedBy'] }))).toBe('AUTH_FORBIDDEN')
    group.accept(cora, 'work.offer', invitation(group, 'a', [nora]))
    expect(group.code(cora, 'work.offer', offerWith(group, { generatedBy: nora as ContextPackage['generatedBy'] }))).toBe('AUTH_FORBIDDEN')
  })

  it('A-131: comes with the offer of the MissionOwner too, by the Coordinator’s hand', () => {
    const group = ready()
    const [offer] = group.accept(ada, 'work.offer', { ...offerWith(group), overrideReason: 'The Coordinator is down.' })
    expect(offer?.payload).toMatchObject({ contextPackage: { generatedBy: cora } })
  })
})
