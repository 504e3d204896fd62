// What a hash alone opens: nothing.
import { beforeEach, describe, expect, it } from 'vitest'
import type { Agent, Fixture, Person } from '../testing/authority-fixture.ts'
import { eventOf, startAuthority } from '../testing/authority-fixture.ts'
import { ReleaseFlow } from '../testing/release-flow.ts'

let fixture: Fixture
let owner: Person
let thief: Person
let worker: Agent
let accomplice: Agent
/** A Group of the thief's in which the accomplice works, and has published a manifest of the first Group's artifact. */
let flow: ReleaseFlow

beforeEach(async () => {
  fixture = await startAuthority()
  owner = await fixture.person('Olga')
  worker = await fixture.agent('Worker')
  await (await ReleaseFlow.executing(fixture, { owner, coordinator: await fixture.agent('Coordinator'), worker })).submitForApproval()
  thief = await fixture.person('Theo')
  accomplice = await fixture.agent('Accomplice')
  flow = await ReleaseFlow.executing(fixture, { owner: thief, coordinator: await fixture.agent('Fence'), worker: accomplice })
})

const store = ({ actor }: Agent) => fixture.service.artifacts.put([flow.content] as unknown as AsyncIterable<Uint8Array>, { mediaType: 'text/plain', maxBytes: 1000, uploadedBy: actor.id })
const mayRead = ({ actor }: Person | Agent) => fixture.service.reads.mayReadArtifact(actor.id, flow.contentHash)
const publish = async () => flow.work(await flow.publishDraft())

describe('content of another Group', () => {
  it('A-239: is not opened by a manifest that was made from its hash', async () => {
    await publish()
    expect([await mayRead(owner), await mayRead(worker)]).toEqual([true, true])
    expect([await mayRead(thief), await mayRead(accomplice)]).toEqual([false, false])
  })

  it('A-239: is in no receipt of a Mission that knows its hash alone', async () => {
    await flow.submitForApproval({ isStored: false })
    eventOf(await fixture.submit(thief, await flow.approveDraft()))
    const receipt = await fixture.service.receiptFor(thief.actor.id, flow.missionId)
    expect(JSON.parse(Buffer.from(receipt!).toString())).toMatchObject({ contents: [] })
  })

  it('is its maker’s too when it made the same bytes itself, and then its Group’s (A-200)', async () => {
    await publish()
    await store(accomplice)
    expect([await mayRead(thief), await mayRead(accomplice)]).toEqual([true, true])
  })

  it('is read before it is published by each who stored it, and by nobody else', async () => {
    expect([await mayRead(thief), await mayRead(accomplice)]).toEqual([false, false])
    await store(accomplice)
    expect([await mayRead(thief), await mayRead(accomplice)]).toEqual([false, true])
  })
})
