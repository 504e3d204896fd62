// A WorkItem of a Mission that is done by the agent which wins the bids: offered by the Coordinator's own signature, worked off under a custodial key.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { encodeBase64url } from '../../../protocol/base64url.ts'
import { publicKeyOf } from '../../../protocol/ed25519-sign.ts'
import { artifactName } from '../../../protocol/artifact-name.ts'
import type { EventDocument } from '../../../protocol/generated/types.ts'
import type { ReceivedContext } from '../../../sdk/iap/index.ts'
import { IAPClient, IAPRefused, workOfferOf } from '../../../sdk/iap/index.ts'
import { AgentClient, HumanClient, newId } from '../../../sdk/index.ts'
import type { Receipt } from '../../../sdk/index.ts'
import { deferred } from '../../../sdk/deferred.ts'
import type { IapStore } from '../../service/iap/store-port.ts'
import { startServer } from '../../start.ts'
import { workContract } from '../../testing/documents.ts'
import { IapServer } from '../../testing/iap/iap-server.ts'
import { dataAnalysis } from '../../testing/iap/test-agent.ts'
import { skipReason } from '../../testing/test-database.ts'

const capability = { id: 'data.analysis', version: '1.0.0' }
const soon = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
const criteria = [{ criterionId: 'complete', description: 'Nothing is missing.', evidenceRequired: ['artifact_integrity' as const, 'deterministic_test' as const] }]
const contract = () =>
  workContract({
    goal: 'Write the report',
    requiredDeliverables: [{ deliverableId: 'report', description: 'The report.', mediaType: 'text/markdown', schema: 'urn:test:report' }],
    acceptanceCriteria: criteria,
    allowedResources: [],
    requiredCapabilities: [capability],
    deadline: soon(24),
    retryPolicy: { maxAttempts: 3, backoff: 'none', maxDelay: 'PT0S', retryableFailures: [] },
    budget: { currency: 'EUR', financialLimit: 10 },
  })

function accepted(receipt: Receipt): EventDocument {
  if (!receipt.ok) throw new Error(`${receipt.error.code}: ${receipt.error.message}`)
  return receipt.value
}

describe.skipIf(skipReason)(`WorkItems by the I.A.P. door${skipReason ? ` (${skipReason})` : ''}`, () => {
  let iap: IapServer
  let owner: HumanClient
  let coordinator: AgentClient
  let proposer: IAPClient
  let groupId: string
  let workItemId: string
  const clients: IAPClient[] = []

  beforeAll(async () => {
    iap = await IapServer.start(startServer)
    const { service, origin, port } = iap.server
    const { token } = await service.identities.invite({ name: 'Ada', isAdmin: true, ttlSeconds: 60 })
    owner = await HumanClient.enrol(origin, { token, name: 'Ada' })
    const seed = randomBytes(32)
    const added = await service.identities.addAgent({ name: 'Coordinator', publicKey: encodeBase64url(publicKeyOf(seed)), capabilities: [capability] })
    if (!added.ok) throw new Error(added.error.reason)
    coordinator = await AgentClient.connect({ url: `ws://127.0.0.1:${port}/mwp`, ...added.value, seed })
    const issued = await service.doors.tokens.issue({ principalId: coordinator.agentId, doors: ['iap'], label: 'bids' })
    if (!issued.ok) throw new Error(issued.error.reason)
    proposer = new IAPClient(iap.url, { token: issued.value.token })
    await proposer.connect({ agentId: 'coordinator', name: 'Coordinator', capabilities: [] })
    clients.push(proposer)
  })
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close()))
    await coordinator.close()
    await iap.end()
  })
  beforeEach(async () => {
    const mission = await owner.createMission({ title: 'Release', coordinatorAgentId: coordinator.agentId, objective: 'Write it.', definitionOfDone: criteria, budget: { currency: 'EUR', financialLimit: 100 }, deadline: soon(48) })
    accepted(mission.receipt)
    ;({ groupId } = mission)
    for await (const { kind } of coordinator.subscribe(groupId, { after: 0 })) if (kind === 'mission.created') break
    workItemId = newId()
    accepted(await coordinator.submit('work.authorize', { workItemId, contract: contract() }, { groupId, workItemId }))
  })

  const enlist = async (name: string) => accepted(await coordinator.submit('membership.change', { member: { type: 'agent', id: await iap.principal(name) }, role: 'worker', visibilityStartSequence: 0 }, { groupId }))

  async function bidder(name: string, estimatedCost: number): Promise<IAPClient> {
    const client = new IAPClient(iap.url, { token: await iap.token(name) })
    clients.push(client)
    await client.connect({ agentId: name, name, capabilities: [dataAnalysis(`${name}.report`)], maxConcurrentTasks: 4 })
    client.on('TASK_PROPOSAL', ({ payload: { taskId } }) => client.bid({ taskId, estimatedLatency: 100, estimatedCost, confidence: 0.9 }))
    return client
  }
  const itemFor = async (name: string) => (await iap.server.service.reads.groupFor(await iap.principal(name), groupId))?.state.workItems.get(workItemId)
  const question = { description: 'Write the report', requiredCapability: 'data_analysis', input: {}, maxLatency: 600_000 }
  const offerSigned = () => new Promise<ReceivedContext>((resolve) => proposer.onContext(resolve))

  it('becomes an offer to the winner with the bids as its basis, and the winner accepts, starts and hands in under its custodial key', async () => {
    await Promise.all(['ben', 'cleo'].map(enlist))
    const [ben, cleo] = [await bidder('ben', 90), await bidder('cleo', 10)]
    await bidder('outsider', 1)
    cleo.on('TASK_ASSIGNMENT', ({ payload }) => cleo.accept(payload))
    const assigned = new Promise<string>((resolve) => cleo.on('TASK_ASSIGNMENT', ({ payload }) => resolve(payload.assignmentId)))
    const told = offerSigned()
    const taskId = newId()
    const result = proposer.propose({ ...question, taskId }, { work: { groupId, workItemId } })
    const basis = workOfferOf(await told)!
    expect(basis.payload).toMatchObject({ workItemId, candidateAgentIds: [await iap.principal('cleo')], selectionBasis: { expectedCost: 10, requiredCapabilities: [capability] } })
    accepted(await coordinator.submit('work.offer', basis.payload, basis.target))
    await expect.poll(async () => (await itemFor('cleo'))?.item.state).toBe('active')
    expect((await itemFor('cleo'))!.executionLease).toMatchObject({ holderAgentId: await iap.principal('cleo'), state: 'active' })

    const evidence = [{ type: 'deterministic_test', criterionIds: ['complete'], method: 'Counted the sections.', result: 'passed' }]
    cleo.sendResult({ taskId, assignmentId: await assigned, status: 'completed', result: '# Report\n', evidence } as never)
    expect(await result).toMatchObject({ status: 'completed' })
    await expect.poll(async () => (await itemFor('cleo'))?.item.state).toBe('submitted')
    const [hash] = (await itemFor('cleo'))!.item.submission!.artifactHashes
    expect(new TextDecoder().decode((await iap.server.service.artifacts.read(hash!))!)).toBe('# Report\n')
    const [published] = (await iap.server.service.reads.groupFor(owner.principalId, groupId))!.state.artifacts.get(hash!)!
    expect(artifactName(published!)).toBe('report')
    await Promise.all([ben.close(), cleo.close()])
  })

  it('is not touched by a result that is still being written, whatever happens in the Group meanwhile', async () => {
    await enlist('gil')
    const gil = await bidder('gil', 10)
    const taskId = newId()
    gil.on('TASK_ASSIGNMENT', ({ payload }) => gil.accept(payload))
    const assigned = new Promise<string>((resolve) => gil.on('TASK_ASSIGNMENT', ({ payload }) => resolve(payload.assignmentId)))
    const told = offerSigned()
    const result = proposer.propose({ ...question, taskId }, { work: { groupId, workItemId } })
    const basis = workOfferOf(await told)!
    accepted(await coordinator.submit('work.offer', basis.payload, basis.target))
    await expect.poll(async () => (await itemFor('gil'))?.item.state).toBe('active')

    const [begun, released] = [deferred<void>(), deferred<void>()]
    const store = iap.store.iap as { commit: IapStore['commit'] }
    const commit = store.commit.bind(store)
    store.commit = async (changes) => {
      begun.resolve()
      await released.promise
      return commit(changes)
    }
    gil.sendResult({ taskId, assignmentId: await assigned, status: 'completed', result: '# Report\n', evidence: [{ type: 'deterministic_test', criterionIds: ['complete'], method: 'Counted.', result: 'passed' }] } as never)
    await begun.promise
    for (const text of ['one', 'two', 'three']) accepted(await coordinator.submit('message.post', { messageId: newId(), content: [{ type: 'text', text }] }, { groupId }))
    expect((await itemFor('gil'))!.item.state).toBe('active')
    store.commit = commit
    released.resolve()
    expect(await result).toMatchObject({ status: 'completed' })
    await expect.poll(async () => (await itemFor('gil'))?.item.state).toBe('submitted')
    await gil.close()
  })

  it('is left alone by a result whose offer nobody signed; the result is in the Space', async () => {
    await enlist('dan')
    const dan = await bidder('dan', 10)
    const taskId = newId()
    dan.on('TASK_ASSIGNMENT', ({ payload }) => {
      dan.accept(payload)
      dan.sendResult({ taskId, assignmentId: payload.assignmentId, status: 'completed', result: 'unasked' })
    })
    await proposer.propose({ ...question, taskId }, { work: { groupId, workItemId } })
    expect((await itemFor('dan'))!.item.state).toBe('open')
    expect((await iap.records(taskId)).at(-1)!.type).toBe('iap/task_result')
    await dan.close()
  })

  it('is not touched by a result that comes after the Coordinator took the work away', async () => {
    await enlist('flo')
    const flo = await bidder('flo', 10)
    const taskId = newId()
    flo.on('TASK_ASSIGNMENT', ({ payload }) => flo.accept(payload))
    const assigned = new Promise<string>((resolve) => flo.on('TASK_ASSIGNMENT', ({ payload }) => resolve(payload.assignmentId)))
    const told = offerSigned()
    const result = proposer.propose({ ...question, taskId }, { work: { groupId, workItemId } })
    const basis = workOfferOf(await told)!
    accepted(await coordinator.submit('work.offer', basis.payload, basis.target))
    await expect.poll(async () => (await itemFor('flo'))?.item.state).toBe('active')
    accepted(await coordinator.submit('work.cancel', { workItemId, reason: 'It is not needed any more.' }, { groupId, workItemId }))
    flo.sendResult({ taskId, assignmentId: await assigned, status: 'completed', result: 'too late' })
    expect(await result).toMatchObject({ status: 'completed' })
    await expect.poll(() => iap.store.iap.tasksAtWork().then((rows) => rows.filter((row) => row.taskId === taskId))).toEqual([])
    expect((await itemFor('flo'))!.item).not.toHaveProperty('submission')
    expect((await itemFor('flo'))!.item.state).toBe('cancelled')
    await flo.close()
  })

  it('goes to the next bid under a new offer when the winner leaves: what it had fails in its name', async () => {
    await Promise.all(['gus', 'hal'].map(enlist))
    const [gus, hal] = [await bidder('gus', 1), await bidder('hal', 90)]
    for (const client of [gus, hal]) client.on('TASK_ASSIGNMENT', ({ payload }) => client.accept(payload))
    const assigned = new Promise<string>((resolve) => hal.on('TASK_ASSIGNMENT', ({ payload }) => resolve(payload.assignmentId)))
    const offers: ReceivedContext[] = []
    const stop = proposer.onContext((context) => offers.push(context))
    const taskId = newId()
    const result = proposer.propose({ ...question, taskId }, { work: { groupId, workItemId } })
    const signNext = async (index: number) => {
      await expect.poll(() => offers.length).toBeGreaterThan(index)
      const { payload, target } = workOfferOf(offers[index]!)!
      accepted(await coordinator.submit('work.offer', payload, target))
    }
    await signNext(0)
    await expect.poll(async () => (await itemFor('gus'))?.item.state).toBe('active')
    await gus.close()
    await expect.poll(async () => (await itemFor('hal'))?.item.state).toBe('failed')
    await signNext(1)
    await expect.poll(async () => (await itemFor('hal'))?.executionLease?.holderAgentId).toBe(await iap.principal('hal'))
    hal.sendResult({ taskId, assignmentId: await assigned, status: 'failed', error: { message: 'no data' } })
    expect(await result).toMatchObject({ status: 'failed' })
    await expect.poll(async () => (await itemFor('hal'))?.item.state).toBe('failed')
    stop()
    await hal.close()
  })

  it('is proposed by the Coordinator in office alone', async () => {
    await enlist('eve')
    const eve = await bidder('eve', 1)
    const refused = await eve.propose(question, { work: { groupId, workItemId } }).catch((fault: unknown) => fault)
    expect(refused).toBeInstanceOf(IAPRefused)
    expect((refused as IAPRefused).payload.details).toMatchObject({ reason: 'work_item' })
    await eve.close()
  })
})
