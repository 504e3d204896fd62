import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { encodeCanonical } from '../protocol/canonical-json.ts'
import { sha256Hash } from '../protocol/digest.ts'
import { silentLog } from '../server/log.ts'
import type { RunningServer } from '../server/start.ts'
import { startServer } from '../server/start.ts'
import { memoryResources, newKey } from '../server/testing/authority-fixture.ts'
import { workContract } from '../server/testing/documents.ts'
import { enrol, inHours, register } from '../server/testing/sdk-clients.ts'
import { AgentClient } from './agent-client.ts'
import { MemoryCursorStore } from './cursor-store.ts'
import { GroupMirror } from './group-mirror.ts'
import { newId } from './ids.ts'
import type { RestoredGroup } from './restore-group.ts'
import { restoreGroup } from './restore-group.ts'

let server: RunningServer
let client: AgentClient
let groupId: string
let archive: { snapshotArtifactHash: string; stateHash: string; throughSequence: number }
const cursors = new MemoryCursorStore()
const workItemId = newId()
const key = () => server.service.organization.authority.publicKey

/** A Mission that was cancelled and archived, with its history offline. */
beforeEach(async () => {
  server = await startServer({ resources: memoryResources(), log: silentLog() })
  const owner = await enrol(server, 'Ada')
  const coordinator = await register(server, 'Coordinator', [{ id: 'countersign.coordination', version: '1.0.0' }])
  const created = await owner.createMission({
    title: 'Release', coordinatorAgentId: coordinator.agentId, objective: 'Release it.', budget: { toolCallLimit: 10 }, deadline: inHours(24),
    definitionOfDone: [{ criterionId: 'done', description: 'It is released.', evidenceRequired: ['human_review'] }],
  })
  groupId = created.groupId
  const contract = workContract({ budget: { toolCallLimit: 1 }, deadline: inHours(20) })
  await owner.submit('work.authorize', { workItemId, contract, overrideReason: 'Nobody else is here.' }, { groupId, membershipEpoch: 1 })
  await owner.submit('mission.cancel', { reason: 'Enough.' }, { groupId, membershipEpoch: 1 })
  const archived = await server.service.archives.archive(groupId, { isHistoryOffline: true })
  if (!archived.ok) throw new Error(archived.error.reason)
  archive = archived.value
  client = await AgentClient.connect({ url: `ws://127.0.0.1:${server.port}/mwp`, ...coordinator, cursors, authorityPublicKey: key() })
})
afterEach(async () => {
  await client.close()
  await server.stop()
})

describe('A-235: an Agent whose position has left the online log', () => {
  it('takes over the verified snapshot, goes on behind it, and keeps the position', async () => {
    const restored: RestoredGroup[] = []
    const kinds: string[] = []
    for await (const event of client.subscribe(groupId, { onSnapshot: (one) => void restored.push(one) })) {
      kinds.push(event.kind)
      if (event.kind === 'group.archived') break
    }
    expect(kinds).toEqual(['group.snapshot.created', 'group.archived'])
    expect(restored).toHaveLength(1)
    expect(restored[0]!.snapshot).toMatchObject({ groupId, throughSequence: archive.throughSequence, stateHash: archive.stateHash })
    expect(sha256Hash(restored[0]!.state)).toBe(archive.stateHash)
    expect(await cursors.load(groupId)).toBe(archive.throughSequence + 1)
  })

  it('goes on with a mirror that holds what its Events would have told it', async () => {
    const mirror = new GroupMirror()
    for await (const event of client.subscribe(groupId, { after: 0, onSnapshot: (one) => mirror.restore(one) })) {
      mirror.apply(event)
      if (event.kind === 'group.archived') break
    }
    const found = await server.service.reads.groupFor(client.agentId, groupId)
    const { mission, memberships, eventIds } = found!.state
    expect(mirror.mission).toEqual(mission)
    expect(mirror.memberships).toEqual(memberships)
    expect(mirror.workItems.get(workItemId)).toMatchObject({ state: 'cancelled', contract: { budget: { toolCallLimit: 1 } } })
    expect([mirror.first?.eventId, mirror.last?.eventId]).toEqual([eventIds[0], eventIds.at(-1)])
    expect(GroupMirror.restored(mirror.saved())).toEqual(mirror)
  })

  it('is told so where it does not take snapshots', async () => {
    await expect(client.subscribe(groupId, { after: 0 }).next()).rejects.toMatchObject({ name: 'SubscriptionRefused', refusal: { code: 'CURSOR_TOO_OLD' } })
  })
})

describe('A-235: a snapshot', () => {
  const restore = (changes: Partial<Parameters<typeof restoreGroup>[0]> = {}) =>
    restoreGroup({ groupId, snapshotArtifactHash: archive.snapshotArtifactHash, authorityPublicKey: key(), download: (hash) => client.download(hash), ...changes })

  it('is refused by an Agent that trusts another authority', async () => {
    await expect(restore({ authorityPublicKey: newKey().publicKey })).rejects.toThrow(/not by the authority/)
  })

  it('is refused for another Group', async () => {
    await expect(restore({ groupId: 'urn:test:other' })).rejects.toThrow(/no snapshot of this Group/)
  })

  it('is refused when anything in it was changed after it was signed', async () => {
    const { snapshot } = await restore()
    const forged = encodeCanonical({ ...snapshot, throughSequence: 1 })
    const snapshotArtifactHash = sha256Hash(forged)
    const download = async (hash: string) => (hash === snapshotArtifactHash ? forged : client.download(hash))
    await expect(restore({ snapshotArtifactHash, download })).rejects.toThrow(/not by the authority/)
  })

  it('is refused when it, or the state, has another hash or is not there', async () => {
    await expect(restore({ download: async () => new Uint8Array(8) })).rejects.toThrow(/is not sha256:/)
    const withoutState = async (hash: string) => (hash === archive.stateHash ? undefined : client.download(hash))
    await expect(restore({ download: withoutState })).rejects.toThrow(/is not there/)
  })
})
