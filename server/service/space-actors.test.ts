import { beforeEach, describe, expect, it } from 'vitest'
import type { Agent, Fixture, Person } from '../testing/authority-fixture.ts'
import { newUrn, startAuthority } from '../testing/authority-fixture.ts'

let fixture: Fixture
let owner: Person
let coordinator: Agent

beforeEach(async () => {
  fixture = await startAuthority()
  owner = await fixture.person('Olga')
  coordinator = await fixture.agent('Coordinator')
})

const begin = async () => (await fixture.mission(owner, coordinator)).groupId
const look = (groupId: string) => fixture.service.reads.groupFor(owner.actor.id, groupId)

/** Spaces that are read from the log from now on. */
function watchLoads(): string[] {
  const { log } = fixture.store
  const [read, loaded] = [log.read, [] as string[]]
  log.read = (spaceId, after, limit) => {
    loaded.push(spaceId)
    return read(spaceId, after, limit)
  }
  return loaded
}

describe('the Spaces in memory', () => {
  it('stay there however many Groups that do not exist are asked for at once', async () => {
    const groupIds = [await begin(), await begin()]
    const loaded = watchLoads()
    const found = await Promise.all(Array.from({ length: 1024 }, () => look(newUrn())))
    expect([found.filter((group) => group !== undefined), loaded.length]).toEqual([[], 1024])
    for (const groupId of groupIds) expect(await look(groupId)).toBeDefined()
    expect(loaded).toHaveLength(1024)
  })

  it('leave it, those that were used longest ago first, when too many are in use', async () => {
    const groupIds: string[] = []
    for (let index = 0; index < 513; index++) groupIds.push(await begin())
    const loaded = watchLoads()
    for (const groupId of [groupIds.at(-1)!, groupIds[0]!]) expect(await look(groupId)).toBeDefined()
    expect(loaded).toEqual([groupIds[0]])
  })
})

describe('a handshake', () => {
  it('waits for what is being written when the Session Epoch rises, and not for what a busy Space goes on to write', async () => {
    const groupId = await begin()
    const { log, directory } = fixture.store
    const append = log.append
    const commits: (() => void)[] = []
    log.append = async (batch) => {
      if (batch.spaceId === groupId) await new Promise<void>((resolve) => commits.push(resolve))
      return append(batch)
    }
    const other = await fixture.agent('Other')
    const epoch = async () => (await directory.sessionEpochs()).get(other.actor.id) ?? 0
    const before = await epoch()
    const say = () => fixture.submit(owner.conversation, { kind: 'message.post', groupId, membershipEpoch: 1, payload: { messageId: newUrn(), content: [{ type: 'text', text: 'Hello' }] } })
    const first = say()
    await expect.poll(() => commits.length).toBe(1)
    const next = say()
    let isOpen = false
    const opening = fixture.handshake(other).then(() => (isOpen = true))
    await expect.poll(epoch).toBe(before + 1)
    expect(isOpen).toBe(false)
    commits[0]!()
    await first
    await opening
    await expect.poll(() => commits.length).toBe(2)
    commits[1]!()
    expect((await next).ok).toBe(true)
  })
})
