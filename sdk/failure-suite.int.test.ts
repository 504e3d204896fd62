// The faults that a Mission must survive (A-287), injected into real agents on a real server over real sockets.
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, connect as connectSocket, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type RawData, WebSocket, WebSocketServer } from 'ws'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { CapabilityRef, EventDocument, ResourceUsageRecordedPayload, WorkContract } from '../protocol/generated/types.ts'
import { RESOURCE_USAGE_RECORDED, WORK_OFFER_DECLINED } from '../protocol/kinds.ts'
import { openArtifactFolder } from '../server/artifacts/artifact-folder.ts'
import { silentLog } from '../server/log.ts'
import { loadOrganizationKeys } from '../server/service/organization-keys.ts'
import type { RunningServer, ServerOptions } from '../server/start.ts'
import { startServer } from '../server/start.ts'
import { openStore } from '../server/store/open-store.ts'
import { selectionBasis } from '../server/testing/documents.ts'
import { createMemoryStore } from '../server/testing/memory-store.ts'
import { accepted, type AgentAccount, enrol, inHours, register, reportContract } from '../server/testing/sdk-clients.ts'
import { createTestDatabase, skipReason } from '../server/testing/test-database.ts'
import { AgentClient, type AgentStore, type Ending, GroupMirror, type HumanClient, LeaseLost, newId, openAgentStore, reconcile, runScheduler, type SchedulerOptions, type Slot } from './index.ts'
import { startChild } from './testing/child-process.ts'
import type { HeldWorkerOptions } from './testing/held-worker.ts'

const capability: CapabilityRef = { id: 'software.delivery', version: '1.0.0' }
const backoff = { firstMs: 5, maxMs: 50 }
const STAGES = ['requirements', 'implementation', 'testing', 'review', 'integration'] as const
/** Parts of a software Mission that are implemented each by itself. */
const PARTS = 15
/** Starts over which shares are measured: no Mission runs out of parts in it. */
const WINDOW = 12
const budget = { currency: 'EUR', financialLimit: 1000, toolCallLimit: 1000 }
const criteria = [{ criterionId: 'complete', description: 'Nothing is missing.', evidenceRequired: ['deterministic_test' as const] }]

let folder: string
let server: RunningServer
/** A way to the server that can be cut. */
let cable: Awaited<ReturnType<typeof startCable>>
let owner: HumanClient
/** What a test opened, closed again in the reverse order. */
const open: (() => Promise<void> | void)[] = []

type OpenStore = () => Promise<{ readonly store: ServerOptions['resources']['store']; drop?(): Promise<void> }>

async function openDatabase(): ReturnType<OpenStore> {
  const { url, drop } = await createTestDatabase()
  const store = await openStore({ url, migrationsFolder: join(import.meta.dirname, '../drizzle/migrations') })
  return { store, drop }
}

/** Runs what `body` declares on a server of its own, with this store. */
function withServer(openIt: OpenStore, body: () => void): void {
  let resources: ServerOptions['resources']
  let drop: (() => Promise<void>) | undefined
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'faults-'))
    const opened = await openIt()
    drop = opened.drop
    const organization = await loadOrganizationKeys(folder, { name: 'Test', now: opened.store.clock.now() })
    resources = { store: opened.store, organization, artifacts: await openArtifactFolder(join(folder, 'artifacts')) }
    cable = await startCable(() => server.port)
    server = await startServer({ resources, log: silentLog(), allowedOrigins: [`http://127.0.0.1:${cable.port}`] })
  })
  beforeEach(async () => {
    owner = await enrol(server, 'Ada')
  })
  afterEach(async () => {
    for (const close of open.splice(0).reverse()) await close()
  })
  afterAll(async () => {
    cable.close()
    await server.stop()
    await resources.store.close()
    await drop?.()
    await rm(folder, { recursive: true })
  })
  body()
}

const account = (name: string, maxConcurrency = 1) => register(server, name, [capability], maxConcurrency)

async function connect(of: AgentAccount, { port = server.port, store }: { port?: number; store?: AgentStore } = {}): Promise<AgentClient> {
  const options = { url: `ws://127.0.0.1:${port}/mwp`, origin: server.origin, backoff, ...of, ...(store && { cursors: store, outbox: store.outbox }) }
  const client = await AgentClient.connect(options)
  open.push(() => client.close())
  return client
}

/** A Worker process that can be stopped and started again with what it has on disk. */
interface Worker {
  readonly client: AgentClient
  readonly store: AgentStore
  readonly reports: string[]
  stop(): Promise<void>
}

type Work = Pick<SchedulerOptions, 'execute'> & Partial<SchedulerOptions> & { readonly port?: number }

async function startWorker(of: AgentAccount, work: Work, path = join(folder, `${of.keyId.slice(-12)}.sqlite`)): Promise<Worker> {
  const { port, ...options } = work
  const store = await openAgentStore(path)
  const client = await connect(of, { store, ...(port !== undefined && { port }) })
  const reports: string[] = []
  const running = runScheduler(client, { store, slots: 1, accepts: () => true, report: (line) => reports.push(line), ...options })
  let stopped: Promise<void> | undefined
  const stop = () =>
    (stopped ??= (async () => {
      await client.close()
      await running
      store.close()
    })())
  open.push(stop)
  return { client, store, reports, stop }
}

const contract = (goal: string, changes: Partial<WorkContract> = {}) =>
  reportContract(capability, { goal, retryPolicy: { maxAttempts: 5, backoff: 'none', maxDelay: 'PT0S', retryableFailures: [] }, budget: { currency: 'EUR', financialLimit: 10, toolCallLimit: 10 }, ...changes })

/** A Mission with its Coordinator, and the Coordinator's mirror kept up to date. */
class Desk {
  readonly mirror = new GroupMirror()
  readonly events: EventDocument[] = []

  private constructor(
    readonly client: AgentClient,
    readonly groupId: string,
    readonly missionId: string,
  ) {
    void this.#read()
  }

  async #read(): Promise<void> {
    for await (const event of this.client.subscribe(this.groupId, { after: 0 })) {
      this.mirror.apply(event)
      this.events.push(event)
    }
  }

  static async at(client: AgentClient, { groupId, missionId }: { groupId: string; missionId: string }): Promise<Desk> {
    const desk = new Desk(client, groupId, missionId)
    await desk.until(() => desk.mirror.mission !== undefined)
    return desk
  }

  static async found(client: AgentClient, title: string): Promise<Desk> {
    const plan = { title, coordinatorAgentId: client.agentId, objective: 'Deliver the software.', definitionOfDone: criteria, budget, deadline: inHours(48) }
    const { missionId, groupId, receipt } = await owner.createMission(plan)
    accepted(receipt)
    return Desk.at(client, { groupId, missionId })
  }

  until(isReached: () => boolean, timeout = 15_000): Promise<void> {
    return expect.poll(isReached, { timeout, interval: 10 }).toBe(true)
  }

  /** Again for as long as the Workers are faster. */
  async takeStock(): Promise<void> {
    for (;;) {
      const { sequence } = this.mirror
      const receipt = await reconcile(this.client, this.mirror)
      if (receipt.ok || receipt.error.code !== 'REVISION_CONFLICT') return void accepted(receipt)
      await this.until(() => this.mirror.sequence > sequence)
    }
  }

  async invite(agentId: string): Promise<void> {
    const payload = { member: { type: 'agent' as const, id: agentId }, role: 'worker' as const, visibilityStartSequence: 0 }
    accepted(await this.client.submit('membership.change', payload, { groupId: this.groupId }))
  }

  async offer(goal: string, agentId: string, changes: Partial<WorkContract> = {}): Promise<string> {
    const { groupId } = this
    const workItemId = newId()
    accepted(await this.client.submit('work.authorize', { workItemId, contract: contract(goal, changes) }, { groupId, workItemId }))
    await this.offerAgain(workItemId, agentId)
    return workItemId
  }

  async offerAgain(workItemId: string, agentId: string): Promise<void> {
    accepted(await this.client.submit('work.offer', { workItemId, candidateAgentIds: [agentId], selectionBasis: selectionBasis(capability) }, { groupId: this.groupId, workItemId }))
  }

  stateOf(workItemId: string) {
    return this.mirror.workItems.get(workItemId)?.state
  }

  async verify(workItemId: string): Promise<void> {
    await this.until(() => this.stateOf(workItemId) === 'submitted')
    const evidence = [await this.client.signEvidence({ missionId: this.missionId, groupId: this.groupId, ...passed(workItemId) })]
    accepted(await this.client.submit('work.accept_result', { workItemId, evidence }, { groupId: this.groupId, workItemId }))
    await this.until(() => this.stateOf(workItemId) === 'verified')
  }

  /** The whole chain of stages, each for this Agent and each after the one before. */
  async plan(agentId: string, stages: readonly string[] = STAGES): Promise<string[]> {
    const ids: string[] = []
    for (const stage of stages) ids.push(await this.offer(stage, agentId, { dependencyWorkItemIds: ids.slice(-1) }))
    return ids
  }

  /** The same stages, with an implementation in parts that could all be worked on at once. `rest`: all but the requirements, in order. */
  async planSoftware(agentId: string, parts: number): Promise<{ requirements: string; rest: string[] }> {
    const after = (stage: string, dependencyWorkItemIds: string[]) => this.offer(stage, agentId, { dependencyWorkItemIds })
    const requirements = await after('requirements', [])
    const implementation = await Promise.all(Array.from({ length: parts }, () => after('implementation', [requirements])))
    const testing = await after('testing', implementation)
    const review = await after('review', [testing])
    return { requirements, rest: [...implementation, testing, review, await after('integration', [review])] }
  }

  async submit(): Promise<void> {
    const payload = { artifactHashes: [...this.mirror.artifacts.keys()], summary: 'Done.', openRisks: [], dropped: [] }
    accepted(await this.client.submit('mission.submit_for_approval', payload, { groupId: this.groupId }))
  }

  kinds(): string[] {
    return this.events.map(({ kind }) => kind)
  }

  count(kind: string): number {
    return this.kinds().filter((known) => known === kind).length
  }
}

const passed = (workItemId: string) => ({
  workItemId,
  type: 'deterministic_test' as const,
  subject: { type: 'work_item' as const, id: workItemId },
  criterionIds: ['complete'],
  method: 'Counted.',
  result: 'passed' as const,
  artifactHashes: [],
})

/** Publishes one artifact and hands it in. */
async function deliver(slot: Slot): Promise<Ending> {
  const { artifact, receipt } = await slot.publish(new TextEncoder().encode(`# ${slot.contract.goal} ${slot.lease.workItemId}`), {
    mediaType: 'text/markdown',
    schemaUri: 'urn:test:report',
    agentCardVersion: slot.owner.agentCardVersion,
    capabilities: [capability],
  })
  accepted(receipt)
  const { workItemId: _item, ...statement } = passed(slot.lease.workItemId)
  return { ends: 'submit', artifactHashes: [artifact.contentHash], evidence: [await slot.signEvidence(statement)] }
}

const progressAt = (phase: string) => ({ currentPhase: phase, completedMilestones: [], nextCheckpoint: 'the end', blockers: [], updatedCompletionEstimate: inHours(1), evidenceIds: [] })

/** Works in small steps until `steps` are done, the slot is wanted, or the lease is lost. */
async function inSteps(slot: Slot, steps: number, onStep: (step: number) => void = () => undefined): Promise<Ending> {
  let step = (slot.resumeFrom?.state as { step: number } | undefined)?.step ?? 0
  for (; step < steps; step++) {
    if (slot.lost.aborted) throw new LeaseLost('lost')
    if (slot.pause.aborted) return { ends: 'pause', progress: progressAt(`step ${step}`), state: { step } }
    onStep(step)
    await sleep(10)
  }
  return deliver(slot)
}

async function approveAll(desk: Desk, ids: readonly string[]): Promise<void> {
  for (const id of ids) await desk.verify(id)
  await desk.submit()
  accepted(await owner.approve(desk.missionId, 'Well done.'))
  await desk.until(() => desk.mirror.mission?.state === 'approved')
}

function declareFaults(): void {
  test('A-287: a Mission of five stages under a Scheduler, a human change request, and the Approval', async () => {
    const coordinator = await connect(await account('Coordinator'))
    const of = await account('Worker')
    await startWorker(of, { execute: deliver })
    const desk = await Desk.found(coordinator, 'One')
    await desk.invite(of.agentId)
    const ids = await desk.plan(of.agentId)
    for (const id of ids) await desk.verify(id)
    await desk.submit()
    accepted(await owner.requestChanges(desk.missionId, 'Please document it.'))
    await desk.until(() => desk.mirror.mission?.state === 'active')
    await approveAll(desk, [await desk.offer('documentation', of.agentId)])
    expect(desk.mirror.submissions.map(({ decision }) => decision?.decision)).toEqual(['changes_requested', 'approved'])
    const started = desk.events.filter(({ kind }) => kind === 'work.started').map(({ workItemId }) => workItemId)
    expect(started.slice(0, STAGES.length)).toEqual(ids)
  })

  describe('A-175, A-176: two Missions share a Worker with several slots', () => {
    test('A-287: two software Missions with a WorkItem for each stage: shares follow the weights, slots are isolated, people approve both', async () => {
      const [one, two] = [await connect(await account('First coordinator')), await connect(await account('Second coordinator'))]
      const of = await account('Worker', 2)
      const [first, second] = [await Desk.found(one, 'One'), await Desk.found(two, 'Two')]
      const starts: { groupId: string; stage: string }[] = []
      const seen = new Map<string, { keys: string[]; resumed: unknown }>()
      let [isOpen, atOnce, most] = [false, 0, 0]
      const execute = async (slot: Slot): Promise<Ending> => {
        const { goal: stage } = slot.contract
        starts.push({ groupId: slot.lease.groupId, stage })
        most = Math.max(most, ++atOnce)
        const keys: string[] = []
        await slot.effect('ticket', async (key) => keys.push(key))
        seen.set(slot.lease.workItemId, { keys, resumed: slot.resumeFrom })
        while (!isOpen && stage === 'implementation') await sleep(10)
        await sleep(20)
        atOnce -= 1
        return deliver(slot)
      }
      await startWorker(of, { slots: 2, execute, weightOf: (groupId) => (groupId === first.groupId ? 3 : 1) })
      const plans = await Promise.all([first, second].map(async (desk) => (await desk.invite(of.agentId), desk.planSoftware(of.agentId, PARTS))))
      const isPlanned = (desk: Desk) => [...desk.mirror.workItems.values()].length === PARTS + 4 && [...desk.mirror.workItems.values()].every(({ owner }) => owner !== undefined)
      for (const [index, desk] of [first, second].entries()) {
        await desk.verify(plans[index]!.requirements)
        await desk.until(() => isPlanned(desk))
      }
      // Both Missions have their parts waiting now, and the two slots are held by parts that were started before.
      await first.until(() => atOnce === 2)
      const before = starts.length
      isOpen = true
      await first.until(() => starts.length >= before + WINDOW)
      const window = starts.slice(before, before + WINDOW)
      const share = window.filter(({ groupId }) => groupId === first.groupId).length / window.length
      console.log(`shares of ${window.length} starts with weights 3 and 1: ${share} and ${1 - share}`)
      expect(share).toBeGreaterThanOrEqual(0.65)
      expect(share).toBeLessThanOrEqual(0.85)
      await Promise.all([first, second].map((desk, index) => approveAll(desk, plans[index]!.rest)))
      for (const desk of [first, second]) {
        const stages = starts.filter(({ groupId }) => groupId === desk.groupId).map(({ stage }) => stage)
        expect(stages).toEqual(['requirements', ...Array.from({ length: PARTS }, () => 'implementation'), 'testing', 'review', 'integration'])
        expect(desk.mirror.submissions.map(({ decision }) => decision?.decision)).toEqual(['approved'])
      }
      expect(most).toBe(2)
      expect(new Set([...seen.values()].flatMap(({ keys }) => keys)).size).toBe(2 * (PARTS + 4))
      expect([...seen.values()].every(({ resumed }) => resumed === undefined)).toBe(true)
    })

    test('A-184: urgent work of one Mission gets the slot of the other at a safe point, and the paused work goes on where it was', async () => {
      const [one, two] = [await connect(await account('First coordinator')), await connect(await account('Second coordinator'))]
      const of = await account('Worker')
      const steps: string[] = []
      const execute = (slot: Slot) => inSteps(slot, slot.contract.goal === 'long' ? 60 : 2, (step) => steps.push(`${slot.contract.goal} ${step}`))
      await startWorker(of, { execute })
      const [first, second] = [await Desk.found(one, 'One'), await Desk.found(two, 'Two')]
      for (const desk of [first, second]) await desk.invite(of.agentId)
      const long = await first.offer('long', of.agentId)
      await first.until(() => steps.length > 3)
      const urgent = await second.offer('urgent', of.agentId, { requestedUrgency: 'critical' })
      await second.verify(urgent)
      await first.verify(long)
      expect(first.kinds().filter((kind) => kind.startsWith('work.')).slice(2)).toEqual(['work.offer.accepted', 'work.started', 'work.checkpointed', 'work.started', 'work.submitted', 'work.result.accepted'])
      const pausedAt = steps.indexOf('urgent 0')
      expect(pausedAt).toBeGreaterThan(3)
      expect(pausedAt).toBeLessThan(60)
      expect(steps.filter((step) => step.startsWith('long'))).toEqual(Array.from({ length: 60 }, (_, step) => `long ${step}`))
      await first.until(() => first.events.some(({ kind, payload }) => kind === 'message.posted' && JSON.stringify(payload).includes('Paused for more urgent work')))
    })

    test('A-184: a Coordinator asks for the slot back, and the item rejoins its queue with a checkpoint', async () => {
      const coordinator = await connect(await account('Coordinator'))
      const of = await account('Worker')
      let steps = 0
      await startWorker(of, { execute: (slot) => inSteps(slot, 40, () => (steps += 1)) })
      const desk = await Desk.found(coordinator, 'One')
      await desk.invite(of.agentId)
      const workItemId = await desk.offer('long', of.agentId)
      await desk.until(() => steps > 3)
      const request = { workItemId, reason: 'The hotfix comes first.', urgency: 'high' as const }
      accepted(await coordinator.submit('ext.countersign.work.preemption_request', request, { groupId: desk.groupId, workItemId }))
      await desk.verify(workItemId)
      expect(desk.count('work.checkpointed')).toBe(1)
      expect(steps).toBe(40)
    })
  })

  test('A-186: blocked work frees its slot, and once it is unblocked goes on where it was', async () => {
    const coordinator = await connect(await account('Coordinator'))
    const of = await account('Worker')
    const resumed: unknown[] = []
    const execute = async (slot: Slot): Promise<Ending> => {
      resumed.push(slot.resumeFrom?.state)
      if (slot.contract.goal === 'other' || slot.resumeFrom !== undefined) return deliver(slot)
      return { ends: 'block', progress: progressAt('half'), state: { half: true }, reason: 'The key is missing.', unblockCondition: 'Somebody sends the key.' }
    }
    await startWorker(of, { execute })
    const desk = await Desk.found(coordinator, 'One')
    await desk.invite(of.agentId)
    const workItemId = await desk.offer('blocked', of.agentId)
    await desk.until(() => desk.stateOf(workItemId) === 'blocked')
    const other = await desk.offer('other', of.agentId)
    await desk.verify(other)
    accepted(await coordinator.submit('work.unblock', { workItemId, resolution: 'Sent.' }, { groupId: desk.groupId, workItemId }))
    await approveAll(desk, [workItemId])
    expect(resumed).toEqual([undefined, undefined, { half: true }])
  })

  test('A-169: a Worker declines at once what it does not take, with its reason, and another one is asked', async () => {
    const coordinator = await connect(await account('Coordinator'))
    const [choosy, other] = [await account('Choosy'), await account('Other')]
    await startWorker(choosy, { execute: deliver, accepts: ({ goal }) => (goal === 'dear' ? 'budget' : goal !== 'strange') })
    await startWorker(other, { execute: deliver })
    const desk = await Desk.found(coordinator, 'One')
    for (const { agentId } of [choosy, other]) await desk.invite(agentId)
    const ids = [await desk.offer('dear', choosy.agentId), await desk.offer('strange', choosy.agentId)]
    await desk.until(() => desk.count(WORK_OFFER_DECLINED) === 2)
    const answersOf = (id: string) => desk.mirror.workItems.get(id)?.offers.map(({ status, declineReason }) => [status, declineReason])
    expect(ids.map(answersOf)).toEqual([[['declined', 'budget']], [['declined', 'capability']]])
    for (const id of ids) await desk.offerAgain(id, other.agentId)
    await approveAll(desk, [...ids, await desk.offer('plain', choosy.agentId)])
    expect(desk.count(WORK_OFFER_DECLINED)).toBe(2)
    expect(ids.map((id) => desk.mirror.workItems.get(id)?.owner?.agentId)).toEqual([other.agentId, other.agentId])
  })

  test('A-198: a slot charges what its work used, and learns before the next call that nothing is left', async () => {
    const coordinator = await connect(await account('Coordinator'))
    const of = await account('Worker')
    const refusals: string[] = []
    const execute = async (slot: Slot): Promise<Ending> => {
      for (let call = 1; call <= 4; call++) {
        const charged = await slot.recordUsage({ toolCalls: 3 })
        if (!charged.ok) refusals.push(`${call} ${charged.error.code}`)
      }
      return deliver(slot)
    }
    await startWorker(of, { execute })
    const desk = await Desk.found(coordinator, 'One')
    await desk.invite(of.agentId)
    await approveAll(desk, [await desk.offer('work', of.agentId)])
    const used = desk.events.filter(({ kind }) => kind === RESOURCE_USAGE_RECORDED).map(({ payload }) => (payload as ResourceUsageRecordedPayload).cumulativeUsage.toolCalls)
    expect(used).toEqual([3, 6, 9])
    expect(refusals).toEqual(['4 BUDGET_EXCEEDED'])
  })

  describe('faults of a Worker', () => {
    test('A-183, A-173: a Worker that is stopped in its work rebuilds its queue, and what it did outside is not done twice', async () => {
      const coordinator = await connect(await account('Coordinator'))
      const of = await account('Worker')
      const calls: string[] = []
      const ticket = (slot: Slot) => slot.effect('ticket', async (key) => (calls.push(key), calls.length))
      let isHeld = false
      const first = await startWorker(of, {
        execute: async (slot) => {
          await ticket(slot)
          isHeld = true
          await new Promise<void>((resolve) => slot.lost.addEventListener('abort', () => resolve(), { once: true }))
          throw new LeaseLost('stopped')
        },
      })
      const desk = await Desk.found(coordinator, 'One')
      await desk.invite(of.agentId)
      const ids = [await desk.offer('held', of.agentId), await desk.offer('waiting', of.agentId)]
      await desk.until(() => isHeld && ids.every((id) => desk.mirror.workItems.get(id)?.owner !== undefined))
      await first.stop()

      const results: unknown[] = []
      await startWorker(of, { execute: async (slot) => (results.push(await ticket(slot)), deliver(slot)) })
      await approveAll(desk, ids)
      expect(desk.count('ext.missionweaveprotocol.core.work_execution_lease_revoked')).toBe(1)
      expect(desk.count('work.offer.accepted')).toBe(2)
      // A-236: the ticket of the first run was kept; only the item that had not begun made one of its own.
      expect(calls).toHaveLength(2)
      expect(new Set(calls).size).toBe(2)
      expect([...results].sort()).toEqual([1, 2])
    })

    test('A-173, A-236: the process of a Worker is killed in the middle of an act; another one goes on with what it kept', async () => {
      const coordinator = await connect(await account('Coordinator'))
      const of = await account('Worker')
      const path = join(folder, 'killed.sqlite')
      const options: HeldWorkerOptions = { url: `ws://127.0.0.1:${server.port}/mwp`, agentId: of.agentId, keyId: of.keyId, seed: Buffer.from(of.seed).toString('hex'), path }
      const child = await startChild('held-worker.ts', JSON.stringify(options))
      open.push(() => child.kill())
      const desk = await Desk.found(coordinator, 'One')
      await desk.invite(of.agentId)
      const ids = [await desk.offer('held', of.agentId), await desk.offer('waiting', of.agentId)]
      await desk.until(() => child.lines.length === 2 && ids.every((id) => desk.mirror.workItems.get(id)?.owner !== undefined))
      await child.kill()

      const acts: string[] = []
      const tickets: string[] = []
      const execute = async (slot: Slot): Promise<Ending> => {
        tickets.push(await slot.effect('ticket', async (key) => (acts.push(`ticket ${key}`), 'ticket of the next')))
        await slot.effect('letter', async (key) => acts.push(`letter ${key}`))
        return deliver(slot)
      }
      await startWorker(of, { execute }, path)
      await approveAll(desk, ids)
      expect([...tickets].sort()).toEqual(['ticket of the killed', 'ticket of the next'])
      // Whether the letter went out before the kill cannot be known: it is repeated, under the same key.
      expect(acts).toHaveLength(3)
      expect(acts).toContain(child.lines[1])
      expect(acts).not.toContain(child.lines[0])
      expect(desk.count('work.offer.accepted')).toBe(2)
      expect(desk.count('work.submitted')).toBe(2)
      expect(desk.count('ext.missionweaveprotocol.core.work_execution_lease_revoked')).toBe(1)
    })

    test('A-183, A-189: a connection that breaks in the middle of work ends the lease, and the work is done once', async () => {
      const coordinator = await connect(await account('Coordinator'))
      const of = await account('Worker')
      const effects: string[] = []
      let executions = 0
      const execute = async (slot: Slot): Promise<Ending> => {
        executions += 1
        if (executions === 1) {
          cable.cut()
          // Asked at once: the lease may not be known to be lost yet, and nothing may be done without one.
          await slot.effect('publish', async (key) => effects.push(key))
        }
        await slot.effect('publish', async (key) => effects.push(key))
        return deliver(slot)
      }
      await startWorker(of, { execute, port: cable.port })
      const desk = await Desk.found(coordinator, 'One')
      await desk.invite(of.agentId)
      await approveAll(desk, [await desk.offer('work', of.agentId)])
      expect(executions).toBe(2)
      expect(effects).toHaveLength(1)
      expect(desk.count('work.submitted')).toBe(1)
    })

    test('A-222: breaks between Commands and their answers lose nothing and double nothing', async () => {
      const coordinator = await connect(await account('Coordinator'))
      const of = await account('Worker')
      const worker = await startWorker(of, { execute: deliver, port: cable.port })
      const desk = await Desk.found(coordinator, 'One')
      await desk.invite(of.agentId)
      const ids: string[] = []
      for (let n = 0; n < 6; n++) {
        ids.push(await desk.offer(`piece ${n}`, of.agentId))
        cable.cut()
        await desk.until(() => desk.stateOf(ids[n]!) === 'submitted')
      }
      await approveAll(desk, ids)
      expect(desk.count('work.offer.accepted')).toBe(6)
      expect(desk.count('work.submitted')).toBe(6)
      expect((await worker.client.session()).sessionEpoch).toBeGreaterThan(3)
    })

    test('A-22, A-233: every Event is delivered twice and every Command sent twice, and each counts once', async () => {
      const coordinator = await connect(await account('Coordinator'))
      const of = await account('Worker')
      const doubling = await startDoubling(() => server.port)
      let executions = 0
      const worker = await startWorker(of, { execute: (slot) => (executions++, deliver(slot)), port: doubling.port })
      const desk = await Desk.found(coordinator, 'One')
      await desk.invite(of.agentId)
      const ids = await desk.plan(of.agentId, STAGES.slice(0, 3))
      await approveAll(desk, ids)
      expect(doubling.doubled.EVENT).toBeGreaterThan(10)
      expect(doubling.doubled.COMMAND).toBeGreaterThan(10)
      expect(executions).toBe(3)
      // A-176: while one item runs and the next waits for it, there is no slot free and nothing that could start.
      expect(doubling.presence).toContainEqual({ maxSlots: 1, activeSlots: 1, availableSlots: 0, queuedItems: 0 })
      expect((await worker.client.session()).sessionEpoch).toBe(1)
      for (const kind of ['work.offer.accepted', 'work.started', 'artifact.published', 'work.submitted']) expect([kind, desk.count(kind)]).toEqual([kind, 3])
      const sequences = desk.events.map(({ sequence }) => sequence)
      expect(sequences).toEqual(Array.from({ length: sequences.length }, (_, index) => index + 1))
    })

    test('A-188: the lease of a silent Worker expires, another Agent gets the work at a higher epoch, and the late result is refused', async () => {
      const coordinator = await connect(await account('Coordinator'))
      const [silent, other] = [await account('Silent'), await account('Other')]
      const desk = await Desk.found(coordinator, 'One')
      for (const { agentId } of [silent, other]) await desk.invite(agentId)
      const late = await connect(silent)
      const workItemId = await desk.offer('work', silent.agentId)
      const target = { groupId: desk.groupId, workItemId }
      await desk.until(() => desk.mirror.offerTo(silent.agentId, workItemId) !== undefined)
      const { offerId } = desk.mirror.offerTo(silent.agentId, workItemId)!
      accepted(await late.submit('work.accept_offer', { workItemId, offerId, ownershipLeaseSeconds: 1 }, target))
      const started = accepted(await late.submit('work.start', { workItemId, ownershipEpoch: 1, executionLeaseSeconds: 1 }, target))
      const { leaseId } = (started.payload as { executionLease: { leaseId: string } }).executionLease
      await desk.until(() => desk.stateOf(workItemId) === 'queued')
      await startWorker(other, { execute: deliver })
      await expect.poll(() => desk.offerAgain(workItemId, other.agentId).then(() => true, () => false), { timeout: 5_000 }).toBe(true)
      await desk.until(() => desk.stateOf(workItemId) === 'submitted')
      const { agentId, ownershipEpoch } = desk.mirror.workItems.get(workItemId)!.owner!
      expect(agentId).toBe(other.agentId)
      expect(ownershipEpoch).toBeGreaterThan(1)
      const evidence = [await late.signEvidence({ missionId: desk.missionId, groupId: desk.groupId, ...passed(workItemId) })]
      const artifactHashes = desk.mirror.artifactsOf(workItemId).map(({ contentHash }) => contentHash)
      const tooLate = await late.submit('work.submit', { workItemId, ownershipEpoch: 1, executionLeaseId: leaseId, artifactHashes, evidence }, target)
      expect(tooLate).toMatchObject({ ok: false, error: { code: 'WORK_STALE_OWNERSHIP' } })
      await approveAll(desk, [workItemId])
    })
  })

  test('A-130, A-169: a Worker that is no member yet takes an offer, does the work, and leaves nothing behind when it leaves', async () => {
    const coordinator = await connect(await account('Coordinator'))
    const of = await account('Newcomer')
    const worker = await startWorker(of, { execute: deliver })
    const desk = await Desk.found(coordinator, 'One')
    const { groupId, missionId } = desk
    const workItemId = newId()
    accepted(await coordinator.submit('work.authorize', { workItemId, contract: contract('work') }, { groupId, workItemId }))
    const sourceEventRange = { fromSequence: 1, toSequence: 1, eventIds: [desk.events[0]!.eventId] }
    const summary = { contextPackageId: newId(), version: 1, missionId, groupId, workItemId, sourceEventRange, artifactHashes: [], summary: 'It has to be done.', decisions: [], constraints: [], unresolvedQuestions: [], generatedBy: { type: 'agent', id: coordinator.agentId } as const, generatedAt: new Date().toISOString() }
    const contextPackage = await coordinator.identity.signDocument(summary, 'generatedAt')
    accepted(await coordinator.submit('work.offer', { workItemId, candidateAgentIds: [of.agentId], selectionBasis: selectionBasis(capability), contextPackage }, { groupId, workItemId }))
    await desk.verify(workItemId)
    await desk.until(() => desk.mirror.memberships.get(of.agentId)?.state === 'ended')
    await expect.poll(() => worker.store.received(groupId)).toBe(0)
    expect(worker.reports).toEqual([])
  })

  test('A-120, A-121: a Coordinator fails, its successor takes stock and goes on from the log, and the Worker works on', async () => {
    const [first, second] = [await connect(await account('First')), await account('Second')]
    const of = await account('Worker')
    await startWorker(of, { execute: deliver })
    const before = await Desk.found(first, 'One')
    await before.invite(of.agentId)
    const ids = await before.plan(of.agentId, STAGES.slice(0, 3))
    await before.verify(ids[0]!)
    await first.close()

    const standing = await owner.missionView(before.missionId)
    accepted(await owner.submitIn(standing, 'mission.assign_coordinator', { coordinatorAgentId: second.agentId, reason: 'The first is silent.' }))
    const desk = await Desk.at(await connect(second), before)
    await desk.until(() => desk.mirror.mission?.coordinator.coordinatorEpoch === 2 && desk.stateOf(ids[2]!) !== undefined)
    await desk.takeStock()
    await approveAll(desk, ids.slice(1))
    expect(desk.mirror.mission?.coordinator.agentId).toBe(second.agentId)
  })
}

describe('in memory', () => withServer(async () => ({ store: createMemoryStore() }), declareFaults))
describe.skipIf(skipReason)(`on PostgreSQL${skipReason ? ` (${skipReason})` : ''}`, () => withServer(openDatabase, declareFaults))

/** A port in front of another one that can be cut: every connection breaks, later ones go through. */
async function startCable(target: () => number): Promise<{ port: number; cut(): void; close(): void }> {
  const sockets = new Set<Socket>()
  const front = createServer((near) => {
    const far = connectSocket(target(), '127.0.0.1')
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => sockets.delete(socket))
    }
    near.pipe(far).pipe(near)
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
  })
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
  const cut = () => sockets.forEach((socket) => socket.destroy())
  const close = () => {
    cut()
    front.close()
  }
  return { port: (front.address() as AddressInfo).port, cut, close }
}

/** A door in front of another one that passes on every EVENT and every COMMAND twice. */
async function startDoubling(target: () => number) {
  const doubled = { EVENT: 0, COMMAND: 0 }
  const presence: unknown[] = []
  const front = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  const pass = (data: RawData, to: WebSocket, kind: keyof typeof doubled) => {
    const text = String(data)
    to.send(text)
    const frame = JSON.parse(text) as { frameType: string; presence?: { capacity: unknown } }
    if (frame.presence !== undefined) presence.push(frame.presence.capacity)
    if (frame.frameType !== kind) return
    doubled[kind] += 1
    to.send(text)
  }
  front.on('connection', (near) => {
    const far = new WebSocket(`ws://127.0.0.1:${target()}/mwp`)
    const ready = once(far, 'open')
    near.on('message', (data) => void ready.then(() => pass(data, far, 'COMMAND')))
    far.on('message', (data) => pass(data, near, 'EVENT'))
    near.on('close', () => far.close())
    far.on('close', () => near.close())
  })
  await once(front, 'listening')
  open.push(() => void front.close())
  return { port: (front.address() as AddressInfo).port, doubled, presence }
}
