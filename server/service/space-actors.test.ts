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
