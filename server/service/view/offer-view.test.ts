import { describe, expect, it } from 'vitest'
import { agentCard, cora, nora, wim } from '../../testing/cast.ts'
import { GroupFixture } from '../../testing/group-fixture.ts'
import { reach, workId } from '../../testing/work-scenario.ts'
import { offerView } from './offer-view.ts'
import type { Naming } from './participants.ts'

const name: Naming = ({ id, type }) => ({ id, type, name: id === wim.id ? 'Wim' : 'Somebody' })
const viewOf = (group: GroupFixture, cardOf: Parameters<typeof offerView>[3] = (id) => group.cards.get(id)) => offerView(group.state, workId('a'), { name, me: cora.id, now: group.now }, cardOf)
const whyNot = (group: GroupFixture, cardOf?: Parameters<typeof offerView>[3]) => Object.fromEntries(viewOf(group, cardOf)!.candidates.map((candidate) => [candidate.who.id, candidate.whyNot]))

function openWork(): GroupFixture {
  const group = new GroupFixture().found()
  reach(group, 'a', 'open')
  return group
}

describe('offering a WorkItem as its owner (A-117, A-149)', () => {
  it('is open to the workers of the Group, not to its Coordinator', () => {
    const group = openWork()
    expect(viewOf(group)).toMatchObject({ revision: group.state.workItems.get(workId('a'))!.item.revision })
    expect(viewOf(group)?.obstacle).toBeUndefined()
    expect(Object.keys(whyNot(group))).not.toContain(cora.id)
    expect(whyNot(group)[wim.id]).toBeUndefined()
  })

  it('says why somebody cannot be asked: another role, no card, no capability', () => {
    const group = openWork()
    group.cards.set(nora.id, agentCard(nora))
    group.accept(cora, 'membership.change', { member: nora, role: 'observer' })
    expect(whyNot(group)[nora.id]).toBe('Here as observer, not as a worker.')
    expect(whyNot(group, () => undefined)[wim.id]).toBe('It has no valid card.')
    expect(whyNot(group, (id) => ({ ...group.cards.get(id)!, capabilities: [] }))[wim.id]).toMatch(/^It lacks \S+ \S+\.$/)
  })

  it('says why nobody can: somebody owns it, or the Mission is over', () => {
    const group = new GroupFixture().found()
    reach(group, 'a', 'active')
    expect(viewOf(group)).toMatchObject({ obstacle: 'Wim owns it.', until: expect.any(String) as string })
    group.accept(cora, 'mission.terminate', { reason: 'It cannot be done.' })
    expect(viewOf(group)?.obstacle).toBe('The mission is not active.')
  })

  it('knows no work but that of the Mission', () => {
    expect(viewOf(new GroupFixture().found())).toBeUndefined()
  })
})
