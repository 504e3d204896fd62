// A WorkItem of a Mission that is done by the agent which wins the bids: offered by the Coordinator's own signature, worked off under a custodial key.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { encodeBase64url } from '../../../protocol/base64url.ts'
import { publicKeyOf } from '../../../protocol/ed25519-sign.ts'
import { artifactName } from '../../../protocol/artifact-name.ts'
import type { EventDocument, EventPayloads, IapRecord } from '../../../protocol/generated/types.ts'
import { IAP_RECORDED } from '../../../protocol/kinds.ts'
import type { ReceivedContext } from '../../../sdk/iap/index.ts'
import { IAPClient, IAPRefused, workOfferOf } from '../../../sdk/iap/index.ts'
import { AgentClient, GroupMirror, newId, reconcile } from '../../../sdk/index.ts'
import type { HumanClient } from '../../../sdk/index.ts'
import { deferred } from '../../../sdk/deferred.ts'
import { CAUSED_BY_EXTENSION } from '../../authority/draft.ts'
import type { IapStore } from '../../service/iap/store-port.ts'
import { startServer } from '../../start.ts'
import { BiddingMission, capability } from '../../testing/iap/bidding-mission.ts'
import { IapServer } from '../../testing/iap/iap-server.ts'
import { dataAnalysis } from '../../testing/iap/test-agent.ts'
import { accepted } from '../../testing/sdk-clients.ts'
import { skipReason } from '../../testing/test-database.ts'

describe.skipIf(skipReason)(`WorkItems by the I.A.P. door${skipReason ? ` (${skipReason})` : ''}`, () => {
  let iap: IapServer
  let missions: BiddingMission
  let owner: HumanClient
  let coordinator: AgentClient
  let proposer: IAPClient
  let groupId: string
  let workItemId: string
  const clients: IAPClient[] = []

  beforeAll(async () => {
    iap = await IapServer.start(startServer)
    missions = await BiddingMission.prepare(iap)
    ;({ owner, coordinator } = missions)
    proposer = new IAPClient(iap.url, { token: missions.token })
    await proposer.connect({ agentId: 'coordinator', name: 'Coordinator', capabilities: [] })
    clients.push(proposer)
  })
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close()))
    await coordinator.close()
    await iap.end()
  })
  beforeEach(async () => {
    ;({ groupId, workItemId } = await missions.found())
  })

  const enlist = (name: string) => missions.enlist(groupId, name)
  /** The negotiation as it stands in the log of the Mission. */
  const negotiated = async (): Promise<readonly (IapRecord & { readonly event: EventDocument })[]> =>
    (await missions.log(groupId)).filter(({ event }) => event.kind === IAP_RECORDED).map(({ event }) => ({ ...(event.payload as EventPayloads[typeof IAP_RECORDED]).record, event }))
  const causeOf = ({ extensions }: EventDocument) => (extensions?.[CAUSED_BY_EXTENSION]?.data as { eventId?: string } | undefined)?.eventId

  async function bidder(name: string, estimatedCost: number): Promise<IAPClient> {
    const client = new IAPClient(iap.url, { token: await iap.token(name) })
    clients.push(client)
    await client.connect({ agentId: name, name, capabilities: [dataAnalysis(`${name}.report`)], maxConcurrentTasks: 4 })
    client.on('TASK_PROPOSAL', ({ payload: { taskId } }) => client.bid({ taskId, estimatedLatency: 100, estimatedCost, confidence: 0.9 }))
    return client
  }
  /** An Agent that holds its own key, brought into the Mission and joined at the I.A.P. door. */
  async function keyHolder(name: string, { role, capabilities }: { readonly role: 'worker' | 'work_delegate'; readonly capabilities: ReturnType<typeof dataAnalysis>[] }): Promise<{ readonly agent: AgentClient; readonly client: IAPClient }> {
    const seed = randomBytes(32)
    const { service, port } = iap.server
    const added = await service.identities.addAgent({ name, publicKey: encodeBase64url(publicKeyOf(seed)), capabilities: [capability] })
    if (!added.ok) throw new Error(added.error.reason)
    const agent = await AgentClient.connect({ url: `ws://127.0.0.1:${port}/mwp`, ...added.value, seed })
    const issued = await service.doors.tokens.issue({ principalId: agent.agentId, doors: ['iap'], label: 'bids' })
    if (!issued.ok) throw new Error(issued.error.reason)
    accepted(await coordinator.submit('membership.change', { member: { type: 'agent', id: agent.agentId }, role, visibilityStartSequence: 0 }, { groupId }))
    const client = new IAPClient(iap.url, { token: issued.value.token })
    clients.push(client)
    await client.connect({ agentId: name, name, capabilities })
    return { agent, client }
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

    const records = await negotiated()
    const [benId, cleoId] = await Promise.all(['ben', 'cleo'].map((name) => iap.principal(name)))
    const spoken = records.map(({ type, speaker }) => [type, speaker?.id])
    expect(spoken.filter(([type]) => type !== 'task_bid')).toEqual([['task_proposal', coordinator.agentId], ['task_broadcast', undefined], ['task_assignment', undefined], ['task_acceptance', cleoId], ['task_result', cleoId]])
    expect(spoken.filter(([type]) => type === 'task_bid').map(([, speaker]) => speaker).sort()).toEqual([benId, cleoId].sort())
    const router = iap.organization.router.principal
    for (const { event } of records) expect(event).toMatchObject({ actor: router, workItemId, groupId })
    const idsOf = (type: string) => records.filter((record) => record.type === type).map(({ recordId }) => recordId)
    const award = records.find(({ type }) => type === 'task_assignment')!
    expect(award).toMatchObject({ concerns: { id: cleoId } })
    expect([...award.refs].sort()).toEqual(idsOf('task_bid').sort())
    const log = await missions.log(groupId)
    const eventOf = (kind: string) => log.find(({ event }) => event.kind === kind)!.event
    expect(causeOf(eventOf('work.offer.created'))).toBe(award.event.eventId)
    expect(causeOf(eventOf('work.offer.accepted'))).toBe(records.find(({ type }) => type === 'task_acceptance')!.event.eventId)
    expect(causeOf(eventOf('artifact.published'))).toBe(records.find(({ type }) => type === 'task_result')!.event.eventId)
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

  it('is left alone by a result whose offer nobody signed; the result is in the log of the Mission', async () => {
    await enlist('dan')
    const dan = await bidder('dan', 10)
    const taskId = newId()
    dan.on('TASK_ASSIGNMENT', ({ payload }) => {
      dan.accept(payload)
      dan.sendResult({ taskId, assignmentId: payload.assignmentId, status: 'completed', result: 'unasked' })
    })
    await proposer.propose({ ...question, taskId }, { work: { groupId, workItemId } })
    expect((await itemFor('dan'))!.item.state).toBe('open')
    expect((await negotiated()).at(-1)).toMatchObject({ type: 'task_result', taskId, content: { result: { result: 'unasked' } } })
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

  it('is offered by a new Coordinator, which is told of the award of its predecessor when it has taken stock (A-121)', async () => {
    await enlist('max')
    const max = await bidder('max', 1)
    max.on('TASK_ASSIGNMENT', ({ payload }) => max.accept(payload))
    const { agent: successor, client } = await keyHolder('nora', { role: 'worker', capabilities: [] })
    const told = offerSigned()
    const taskId = newId()
    void proposer.propose({ ...question, taskId }, { work: { groupId, workItemId } }).catch(() => undefined)
    const before = workOfferOf(await told)!
    const toldNext = new Promise<ReceivedContext>((resolve) => client.onContext(resolve))
    accepted(await owner.submit('mission.assign_coordinator', { coordinatorAgentId: successor.agentId, leaseSeconds: 3_600, reason: 'No answer.' }, { groupId, membershipEpoch: 1 }))
    const mirror = new GroupMirror()
    for await (const event of successor.subscribe(groupId, { after: 0 })) {
      mirror.apply(event)
      if (event.kind === 'mission.coordinator.assigned') break
    }
    accepted(await reconcile(successor, mirror))
    const basis = workOfferOf(await toldNext)!
    expect(basis).toEqual(before)
    accepted(await successor.submit('work.offer', basis.payload, basis.target))
    await expect.poll(async () => (await itemFor('max'))?.executionLease?.holderAgentId).toBe(await iap.principal('max'))
    await Promise.all([max.close(), successor.close()])
  })

  it('is proposed by the Coordinator in office alone', async () => {
    await enlist('eve')
    const eve = await bidder('eve', 1)
    const refused = await eve.propose(question, { work: { groupId, workItemId } }).catch((fault: unknown) => fault)
    expect(refused).toBeInstanceOf(IAPRefused)
    expect((refused as IAPRefused).payload.details).toMatchObject({ reason: 'work_item' })
    await eve.close()
  })

  it('is negotiated in the Space of its Mission and nowhere else', async () => {
    const refused = await proposer.propose(question, { work: { groupId, workItemId }, spaceId: newId() }).catch((fault: unknown) => fault)
    expect((refused as IAPRefused).payload.details).toMatchObject({ reason: 'work_item' })
    expect(await negotiated()).toEqual([])
  })

  it('is not negotiated by a Coordinator whose key the server holds: it is refused at once, because nobody could sign the offer', async () => {
    const custodian = await iap.principal('ida')
    accepted(await owner.submit('mission.assign_coordinator', { coordinatorAgentId: custodian, leaseSeconds: 3_600, reason: 'For a while.' }, { groupId, membershipEpoch: 1 }))
    const ida = await bidder('ida', 1)
    const refused = await ida.propose(question, { work: { groupId, workItemId } }).catch((fault: unknown) => fault)
    expect((refused as IAPRefused).payload).toMatchObject({ message: expect.stringContaining('a key of its own') as string, details: { reason: 'work_item' } })
    await ida.close()
  })

  it('is done by a winner with a key of its own, whose words are in the log like those of others; it signs the work itself', async () => {
    const { agent: kim, client } = await keyHolder('kim', { role: 'worker', capabilities: [dataAnalysis('kim.report')] })
    client.on('TASK_PROPOSAL', ({ payload: { taskId } }) => client.bid({ taskId, estimatedLatency: 100, estimatedCost: 3, confidence: 0.9 }))
    client.on('TASK_ASSIGNMENT', ({ payload }) => client.accept(payload))
    const told = offerSigned()
    const taskId = newId()
    const result = proposer.propose({ ...question, taskId }, { work: { groupId, workItemId } })
    const basis = workOfferOf(await told)!
    const offered = accepted(await coordinator.submit('work.offer', basis.payload, basis.target))
    const [offer] = (offered.payload as EventPayloads['work.offer.created']).offers
    accepted(await kim.submit('work.accept_offer', { workItemId, offerId: offer!.offerId, ownershipLeaseSeconds: 600 }, { groupId, workItemId }))
    client.sendResult({ taskId, status: 'completed', result: 'done' })
    expect(await result).toMatchObject({ status: 'completed' })
    expect((await negotiated()).filter(({ speaker }) => speaker?.id === kim.agentId).map(({ type }) => type)).toEqual(['task_bid', 'task_acceptance', 'task_result'])
    await kim.close()
  })

  it('is not gone on with when the Mission does not take its negotiation: the task is cancelled, and both sides hear of it', async () => {
    await enlist('jo')
    const jo = await bidder('jo', 1)
    const assigned = new Promise<string>((resolve) => jo.on('TASK_ASSIGNMENT', ({ payload }) => resolve(payload.assignmentId)))
    const taskId = newId()
    const result = proposer.propose({ ...question, taskId }, { work: { groupId, workItemId } }).catch((fault: unknown) => fault)
    jo.accept({ taskId, assignmentId: await assigned })
    await expect.poll(async () => (await negotiated()).at(-1)?.type).toBe('task_acceptance')
    accepted(await owner.submit('mission.cancel', { reason: 'Enough.' }, { groupId, membershipEpoch: 1 }))
    expect(await iap.server.service.archives.archive(groupId, { isHistoryOffline: false })).toMatchObject({ ok: true })
    const count = (await negotiated()).length
    const told = new Promise<string>((resolve) => jo.on('ERROR', ({ payload }) => resolve(payload.message)))
    jo.sendPart({ taskId, assignmentId: await assigned }, 0, 'a part')
    await jo.transferContext({ taskId, toAgent: 'coordinator', contextType: 'note', data: { text: 'hello' } })
    expect(await told).toContain('the Mission does not take this negotiation')
    expect(await result).toBeInstanceOf(IAPRefused)
    expect((await negotiated()).length).toBe(count)
    await expect.poll(() => iap.store.iap.tasksAtWork().then((rows) => rows.filter((row) => row.taskId === taskId))).toEqual([])
    await jo.close()
  })

  it('is proposed by a delegate whose Grant covers offering it, and offered by its own signature under this Grant', async () => {
    await enlist('lea')
    const lea = await bidder('lea', 1)
    lea.on('TASK_ASSIGNMENT', ({ payload }) => lea.accept(payload))
    const { agent: delegate, client } = await keyHolder('del', { role: 'work_delegate', capabilities: [] })
    const early = await client.propose(question, { work: { groupId, workItemId } }).catch((fault: unknown) => fault)
    expect((early as IAPRefused).payload.details).toMatchObject({ reason: 'work_item' })
    const grantId = newId()
    const nothing = { modelTokenLimit: 0, toolCallLimit: 0, computeSecondsLimit: 0, wallClockSecondsLimit: 0, externalSideEffectLimit: 0 }
    const terms = { allowedCapabilities: [capability], budget: { currency: 'EUR', financialLimit: 10, ...nothing }, maxDescendantDepth: 0, expiresAt: new Date(Date.now() + 3_600_000).toISOString() }
    accepted(await coordinator.submit('membership.grant_delegation', { grantId, granteeAgentId: delegate.agentId, targetWorkItemId: workItemId, ...terms }, { groupId }))
    const told = new Promise<ReceivedContext>((resolve) => client.onContext(resolve))
    const taskId = newId()
    void client.propose({ ...question, taskId }, { work: { groupId, workItemId } }).catch(() => undefined)
    const basis = workOfferOf(await told)!
    expect(basis.payload).toMatchObject({ delegationGrantId: grantId })
    accepted(await delegate.submit('work.offer', basis.payload, basis.target))
    await expect.poll(async () => (await itemFor('lea'))?.executionLease?.holderAgentId).toBe(await iap.principal('lea'))
    await Promise.all([lea.close(), delegate.close()])
  })
})
