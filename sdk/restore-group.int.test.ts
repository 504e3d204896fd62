import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { encodeBase64url } from '../protocol/base64url.ts'
import { encodeCanonical } from '../protocol/canonical-json.ts'
import { sha256Hash } from '../protocol/digest.ts'
import { publicKeyOf } from '../protocol/ed25519-sign.ts'
import { testAgent } from '../server/gateways/mwp/testing/fake-service.ts'
import { openArtifactFolder } from '../server/artifacts/artifact-folder.ts'
import { silentLog } from '../server/log.ts'
import { loadOrganizationKeys } from '../server/service/organization-keys.ts'
import type { RunningServer } from '../server/start.ts'
import { startServer } from '../server/start.ts'
import { createMemoryStore } from '../server/testing/memory-store.ts'
import { AgentClient } from './agent-client.ts'
import { MemoryCursorStore } from './cursor-store.ts'
import { HumanClient } from './human-client.ts'
import type { RestoredGroup } from './restore-group.ts'
import { restoreGroup } from './restore-group.ts'

let folder: string
let server: RunningServer
let client: AgentClient
let groupId: string
let archive: { snapshotArtifactHash: string; stateHash: string; throughSequence: number }
const cursors = new MemoryCursorStore()
const { seed } = testAgent('coordinator')
const key = () => server.service.organization.authority.publicKey

/** A Mission that was cancelled and archived, with its history offline. */
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'restore-'))
  const store = createMemoryStore()
  const organization = await loadOrganizationKeys(folder, { name: 'Test', now: store.clock.now() })
  server = await startServer({ resources: { store, organization, artifacts: await openArtifactFolder(join(folder, 'artifacts')) }, log: silentLog() })
  const { token } = await server.service.identities.invite({ name: 'Ada', isAdmin: true, ttlSeconds: 60 })
  const owner = await HumanClient.enrol(server.origin, { token, name: 'Ada' })
  const capabilities = [{ id: 'countersign.coordination', version: '1.0.0' }]
  const added = await server.service.identities.addAgent({ name: 'Coordinator', publicKey: encodeBase64url(publicKeyOf(seed)), capabilities })
  if (!added.ok) throw new Error(added.error.reason)
  const { agentId, keyId } = added.value
  const created = await owner.createMission({
    title: 'Release', coordinatorAgentId: agentId, objective: 'Release it.', budget: { toolCallLimit: 10 }, deadline: new Date(Date.now() + 86_400_000).toISOString(),
    definitionOfDone: [{ criterionId: 'done', description: 'It is released.', evidenceRequired: ['human_review'] }],
  })
  groupId = created.groupId
  await owner.submit('mission.cancel', { reason: 'Enough.' }, { groupId, membershipEpoch: 1 })
  const archived = await server.service.archives.archive(groupId, { isHistoryOffline: true })
  if (!archived.ok) throw new Error(archived.error.reason)
  archive = archived.value
  client = await AgentClient.connect({ url: `ws://127.0.0.1:${server.port}/mwp`, agentId, keyId, seed, cursors, authorityPublicKey: key() })
})
afterEach(async () => {
  await client.close()
  await server.stop()
  await rm(folder, { recursive: true })
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

  it('is told so where it does not take snapshots', async () => {
    await expect(client.subscribe(groupId, { after: 0 }).next()).rejects.toMatchObject({ name: 'SubscriptionRefused', refusal: { code: 'CURSOR_TOO_OLD' } })
  })
})

describe('A-235: a snapshot', () => {
  const restore = (changes: Partial<Parameters<typeof restoreGroup>[0]> = {}) =>
    restoreGroup({ groupId, snapshotArtifactHash: archive.snapshotArtifactHash, authorityPublicKey: key(), download: (hash) => client.download(hash), ...changes })

  it('is refused by an Agent that trusts another authority', async () => {
    await expect(restore({ authorityPublicKey: encodeBase64url(publicKeyOf(seed)) })).rejects.toThrow(/not by the authority/)
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
