// What is remembered of agents that take part, however many there are.
import { describe, expect, it } from 'vitest'
import type { NodeInfo, OpenSpaces, SpaceInfo } from '../open-spaces/types.ts'
import { startAuthority } from '../../testing/authority-fixture.ts'
import { AgentNodes } from './agent-nodes.ts'

const remembered = 10_000

/** Open Spaces with one Space, which counts who is looked up and who enters. */
function counting(answer = (_entrances: number): { ok: boolean } => ({ ok: true })) {
  const [resolved, entered]: [string[], string[]] = [[], []]
  const spaces = {
    nodes: { resolve: async (_namespace: string, subject: string) => (resolved.push(subject), { ok: true, value: { nodeId: subject } as NodeInfo }) },
    find: async (spaceId: string) => ({ spaceId, name: spaceId }) as SpaceInfo,
    enter: async (nodeId: string) => ({ value: {} as SpaceInfo, ...answer(entered.push(nodeId)) }),
  }
  return { nodes: new AgentNodes(spaces as unknown as OpenSpaces), resolved, entered }
}

describe('AgentNodes', () => {
  it('remember the agents and entrances of late, and ask again for others', async () => {
    const { nodes, resolved, entered } = counting()
    for (let index = 0; index <= remembered; index++) await nodes.enter(`agent-${index}`, 'space')
    await nodes.enter(`agent-${remembered}`, 'space')
    expect([resolved.length, entered.length]).toEqual([remembered + 1, remembered + 1])
    await nodes.enter('agent-0', 'space')
    expect([resolved.at(-1), entered.at(-1)]).toEqual(['agent-0', 'agent-0'])
  })

  it('ask again to be let in where an agent was refused, and not where it was let in', async () => {
    const { nodes, entered } = counting((entrances) => ({ ok: entrances === 2 }))
    for (let index = 0; index < 4; index++) await nodes.enter('agent', 'space')
    expect(entered).toEqual(['agent', 'agent'])
  })

  it('give a Principal one agent id, however many it asks for at once (0139)', async () => {
    const fixture = await startAuthority()
    const nodes = new AgentNodes(fixture.service.openSpaces)
    const [ada, ben] = await Promise.all(['Ada', 'Ben'].map(async (name) => (await fixture.agent(name)).actor.id))
    const asked = ['one', 'two', 'three', 'one'].map((agentId) => nodes.bind(agentId, ada!))
    expect(await Promise.all([...asked, nodes.bind('ben', ben!)])).toEqual([true, false, false, true, true])
    expect((await fixture.service.openSpaces.nodes.ofPrincipal(ada!))?.identities).toEqual([{ namespace: 'iap', subject: 'one' }])
    expect(await nodes.bind('one', ben!)).toBe(false)
  })

  it('make one Node of the router, however many come first at once', async () => {
    const fixture = await startAuthority()
    const nodes = new AgentNodes(fixture.service.openSpaces)
    const agents = await Promise.all(['Ada', 'Ben', 'Cleo'].map(async (name) => (await fixture.agent(name)).actor.id))
    expect(await Promise.all(agents.map((id) => nodes.ownerOf('agent', id)))).toEqual(agents.map(() => ({ agentOwner: undefined, boundAgentId: undefined })))
    expect((await fixture.service.openSpaces.nodes.resolve('iap', 'router')).ok).toBe(true)
  })
})
