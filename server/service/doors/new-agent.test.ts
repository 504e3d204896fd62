import { beforeEach, describe, expect, it } from 'vitest'
import type { Fixture } from '../../testing/authority-fixture.ts'
import { newKey, startAuthority } from '../../testing/authority-fixture.ts'
import { addAgentWithToken, addKeyHolder } from './new-agent.ts'

const capabilities = [{ id: 'release.report', version: '1.0.0' }]

let fixture: Fixture
/** A Node that an access key enrolled, and two tokens of it that holders of this key have got. */
let agentId: string
let shared: string[]

beforeEach(async () => {
  fixture = await startAuthority()
  const registered = await fixture.service.openSpaces.nodes.register({ name: 'Scout', accessKeyId: 'urn:x:key' })
  agentId = registered.ok ? registered.value.node.principalId : ''
  shared = [await token(), await token()]
})

async function token() {
  const issued = await fixture.service.doors.tokens.issue({ principalId: agentId, doors: ['ioa'], label: 'IOA registration' })
  return issued.ok ? issued.value.token : ''
}
const areInForce = async (tokens: readonly string[]) => (await Promise.all(tokens.map((text) => fixture.service.doors.tokens.find(text, 'ioa')))).map((record) => record !== undefined)
const custodial = () => addAgentWithToken(fixture.service, { name: 'Scout', capabilities, agentId, doors: ['ioa'] })

describe('the first key of a Node', () => {
  it('that the server holds ends every token that was shared before (0191)', async () => {
    expect(await areInForce(shared)).toEqual([true, true])
    const added = await custodial()
    expect(added).toMatchObject({ ok: true, value: { agentId } })
    expect(await areInForce([...shared, added.ok ? added.value.token : ''])).toEqual([false, false, true])
  })

  it('of its own ends them too (0191)', async () => {
    expect(await addKeyHolder(fixture.service, { name: 'Scout', capabilities, agentId, publicKey: newKey().publicKey })).toMatchObject({ ok: true, value: { agentId } })
    expect(await areInForce(shared)).toEqual([false, false])
  })

  it('is never there beside shared tokens, also where the server breaks off once it is given (0191)', async () => {
    const { identities } = fixture.service
    const broken = { ...fixture.service, identities: { ...identities, keysOf: identities.keysOf.bind(identities), addAgent: async (agent: Parameters<typeof identities.addAgent>[0]) => identities.addAgent(agent).then(() => Promise.reject(new Error('no more power'))) } as typeof identities }
    await expect(addKeyHolder(broken, { name: 'Scout', capabilities, agentId, publicKey: newKey().publicKey })).rejects.toThrow('no more power')
    expect(identities.keysOf(agentId)).toHaveLength(1)
    expect(await areInForce(shared)).toEqual([false, false])
  })

  it('is not mistaken for a further one, which ends none', async () => {
    const first = await custodial()
    await custodial()
    expect(await areInForce([first.ok ? first.value.token : ''])).toEqual([true])
  })
})
