// The Inter-Agent Protocol router put together: who is online, what goes on, what rings when.
import type { AgentId, IAPMessage, TaskId } from '../../../protocol/iap/types.ts'
import { ROUTER } from '../../../protocol/iap/types.ts'
import type { OnlineAgent } from '../../authority/iap/roster.ts'
import { silentAgents } from '../../authority/iap/roster.ts'
import { DEFAULT_RULES } from '../../authority/iap/rules.ts'
import type { RouterRules, TaskState } from '../../authority/iap/types.ts'
import type { Log } from '../../log.ts'
import type { OpenSpaces } from '../open-spaces/types.ts'
import type { Clock } from '../ports.ts'
import { AgentNodes } from './agent-nodes.ts'
import { AgentPeer } from './agent-peer.ts'
import { CapabilitySchemas } from './capability-schemas.ts'
import { Housekeeping } from './housekeeping.ts'
import { Mailboxes } from './mailboxes.ts'
import type { RecorderNeeds } from './group-recorder.ts'
import { GroupRecorder } from './group-recorder.ts'
import type { RecordSpaces } from './space-publisher.ts'
import { SpacePublisher } from './space-publisher.ts'
import type { IapCommit, IapStore } from './store-port.ts'
import { earliestDue, TaskDesk } from './task-desk.ts'
import type { WorkBridgeNeeds } from './work-bridge.ts'
import { WorkBridge } from './work-bridge.ts'
import type { IapLimits, IapOptions, IapRouter, IapTimers, Peer, PeerLink } from './types.ts'
import { DEFAULT_IAP_LIMITS } from './types.ts'

export interface RouterNeeds {
  readonly store: IapStore
  readonly spaces: OpenSpaces & RecordSpaces
  readonly clock: Clock
  /** Results of one organization answer nobody of another. */
  readonly organizationId: string
  readonly diagnostics: Log
  readonly options?: IapOptions
  /** What work of Missions is done with. */
  readonly work: Pick<WorkBridgeNeeds, 'custody' | 'holdsOwnKey' | 'policy' | 'reads' | 'stateOf' | 'feeds' | 'artifacts' | 'origin'> & Pick<RecorderNeeds, 'router' | 'submit'>
}

/** The longest that a timer of the platform waits. */
const longestTimerMs = 2 ** 31 - 1
/** Until what failed is tried again. */
const retryMs = 5_000

export class IapRouterService implements Omit<IapRouter, 'isServing'> {
  readonly limits: IapLimits
  readonly rules: RouterRules
  readonly organizationId: string
  readonly clock: Clock
  readonly diagnostics: Log
  readonly store: IapStore
  readonly roster = new Map<AgentId, OnlineAgent>()
  readonly schemas: CapabilitySchemas
  readonly nodes: AgentNodes
  readonly desk: TaskDesk
  readonly mailboxes: Mailboxes
  readonly bridge: WorkBridge
  readonly #publisher: SpacePublisher
  readonly #housekeeping: Housekeeping
  readonly #timers: IapTimers
  readonly #peers = new Map<AgentId, AgentPeer>()
  readonly #connected = new Set<AgentPeer>()
  #due: { cancel(): void } | undefined
  #watch: { cancel(): void } | undefined
  #settle: { cancel(): void } | undefined
  #isSettled = false
  #isStopped = false

  private constructor({ store, spaces, clock, organizationId, diagnostics, work, options = {} }: RouterNeeds) {
    this.limits = { ...DEFAULT_IAP_LIMITS, ...options.limits }
    this.rules = { ...DEFAULT_RULES, ...options.rules }
    this.organizationId = organizationId
    this.clock = clock
    this.diagnostics = diagnostics
    this.store = { ...store, commit: (commit) => this.#commit(store, commit) }
    this.#timers = options.timers ?? systemTimers
    this.schemas = new CapabilitySchemas(this.limits.schemaMs)
    this.nodes = new AgentNodes(spaces)
    this.mailboxes = new Mailboxes({ store, limits: this.limits, clock, onRoom: (agentId) => this.bridge.roomFor(agentId), diagnostics })
    this.#publisher = new SpacePublisher({
      store,
      spaces,
      groups: new GroupRecorder({ ...work, nodes: this.nodes, clock }),
      nodes: this.nodes,
      onRefused: (taskId, { code, message }) => void this.#refused(taskId, `${code}: ${message}`),
      timers: this.#timers,
      diagnostics,
    })
    this.desk = new TaskDesk({
      store: this.store,
      clock,
      rules: this.rules,
      roster: this.roster,
      schemas: this.schemas,
      mailboxes: this.mailboxes,
      onCommitted: (messages, taskIds) => {
        this.mailboxes.deliver(messages)
        for (const taskId of taskIds) this.#told(taskId)
        this.#setTimer()
      },
      onFault: () => this.#setTimer(retryMs),
      onUnreadable: (taskId, fault) => diagnostics.error({ err: fault, taskId }, 'the records of an open task cannot be read'),
    })
    this.#housekeeping = new Housekeeping({ store, desk: this.desk, mailboxes: this.mailboxes, limits: this.limits, clock, timers: this.#timers, diagnostics })
    this.bridge = new WorkBridge({ ...work, store, clock, nodes: this.nodes, tell: (message) => this.forward(message), diagnostics })
  }

  /** Work that cannot be seen in its Mission is not gone on with. */
  async #refused(taskId: TaskId, reason: string): Promise<void> {
    this.diagnostics.warn({ taskId, reason }, 'a Mission does not take the record of a negotiation')
    await this.#submit({ taskId, input: { type: 'cancel', by: ROUTER, reason: `the Mission does not take this negotiation: ${reason}` } })
  }

  async #commit(store: IapStore, commit: IapCommit): ReturnType<IapStore['commit']> {
    const committed = await store.commit(commit)
    if (committed !== 'conflict') this.#housekeeping.kept(commit)
    return committed
  }

  #told(taskId: TaskId): void {
    this.#publisher.publish(taskId)
    const row = this.desk.rowOf(taskId)
    if (row) this.bridge.advance(row)
  }

  /** Reads what goes on and takes it up again. Throws what the store throws, and nothing of the router goes on then. */
  static async start(needs: RouterNeeds): Promise<IapRouterService> {
    const router = new IapRouterService(needs)
    try {
      await router.#start()
    } catch (fault) {
      await router.stop()
      throw fault
    }
    return router
  }

  get heartbeatIntervalMs(): number {
    return this.rules.heartbeatIntervalMs
  }

  connect(principalId: string, link: PeerLink): Peer {
    const peer = new AgentPeer(this, principalId, link)
    this.#connected.add(peer)
    if (this.#isStopped) peer.stopped()
    return peer
  }

  async cancel(taskId: TaskId, by: string, reason?: string): Promise<boolean> {
    const recordCount = (await this.desk.find(taskId))?.recordCount
    if (recordCount === undefined) return false
    await this.desk.submit({ taskId, input: { type: 'cancel', by, ...(reason !== undefined && { reason }) } })
    return (await this.desk.find(taskId))!.recordCount > recordCount
  }

  published(): Promise<void> {
    return this.#publisher.settled()
  }

  /** The agent is online in this connection; another one that it had is closed. */
  joined(peer: AgentPeer, agent: OnlineAgent): void {
    const { agentId } = agent
    const present = this.#peers.get(agentId)
    const isTakeover = present !== undefined && present !== peer
    if (isTakeover) present.replaced()
    this.#peers.set(agentId, peer)
    this.roster.set(agentId, agent)
    if (present !== peer) this.#tell(agentId, (each) => ({ type: 'returned', agentId: each, isTakeover }))
  }

  /** The connection of an agent is over, by its DISCONNECT or without. */
  left(peer: AgentPeer, agentId: AgentId, how: 'departed' | 'lost'): void {
    // While the router stops nobody is taken for gone: all of them are expected back.
    if (this.#isStopped || this.#peers.get(agentId) !== peer) return
    this.#peers.delete(agentId)
    this.roster.delete(agentId)
    this.#tell(agentId, (each) => ({ type: how, agentId: each }))
  }

  /** Any sign of life. */
  heard(agentId: AgentId, currentLoad?: number): void {
    const agent = this.roster.get(agentId)
    if (agent) this.roster.set(agentId, { ...agent, lastHeardMs: this.clock.nowMs(), ...(currentLoad !== undefined && { currentLoad }) })
  }

  closed(peer: AgentPeer): void {
    this.#connected.delete(peer)
  }

  /** Passes on a message that changes nothing; false where too much waits for its receiver. */
  async forward(message: IAPMessage): Promise<boolean> {
    const { to: agentId, messageId } = message
    if (!this.mailboxes.hasRoom(agentId)) {
      this.diagnostics.warn({ agentId, messageId }, 'a message was not passed on: too much waits for its receiver')
      return false
    }
    const committed = await this.store.commit({ tasks: [], records: [], received: [], accounts: [], cache: [], outbox: [{ agentId, messageId, message: JSON.stringify(message), createdAt: this.clock.now() }] })
    if (committed !== 'conflict') this.mailboxes.deliver(committed)
    return committed !== 'conflict'
  }

  async suspend(): Promise<void> {
    this.#isStopped = true
    for (const timer of [this.#due, this.#watch, this.#settle]) timer?.cancel()
    const peers = [...this.#connected]
    for (const peer of peers) peer.stopped()
    await Promise.all(peers.map((peer) => peer.idle()))
    await this.desk.settled()
  }

  async stop(): Promise<void> {
    await this.suspend()
    await this.#housekeeping.stop()
    await this.bridge.stop()
    await this.#publisher.stop()
  }

  async #start(): Promise<void> {
    const { limits, store } = this
    await Promise.all([this.desk.load(), this.mailboxes.load()])
    for (const taskId of await store.unpublishedTasks()) this.#publisher.publish(taskId, true)
    await this.bridge.start()
    // Nobody is back yet: what was due meanwhile waits until they had a chance.
    this.#settle = this.#timers.after(this.desk.open().length === 0 ? 0 : limits.settleMs, () => this.#settled())
    this.#watchSilence()
    this.#housekeeping.start()
  }

  #settled(): void {
    this.#isSettled = true
    const absent = new Set(this.desk.open().flatMap(({ holding }) => (holding && !this.roster.has(holding.agent.agentId) ? [holding.agent.agentId] : [])))
    for (const agentId of absent) this.#tell(agentId, (each) => ({ type: 'lost', agentId: each }))
    this.#setTimer()
  }

  #watchSilence(): void {
    this.#watch = this.#timers.after(this.heartbeatIntervalMs, () => {
      for (const agentId of silentAgents(this.roster, this.clock.nowMs(), this.heartbeatIntervalMs)) this.#peers.get(agentId)?.silent()
      this.#watchSilence()
    })
  }

  #setTimer(leastDelayMs = 0): void {
    this.#due?.cancel()
    this.#due = undefined
    if (!this.#isSettled || this.#isStopped) return
    const dueMs = this.desk.unread.length > 0 ? this.clock.nowMs() : earliestDue(this.desk.open())
    if (dueMs === Infinity) return
    const delayMs = Math.min(longestTimerMs, Math.max(leastDelayMs, dueMs - this.clock.nowMs()))
    this.#due = this.#timers.after(delayMs, () => void this.#ring())
  }

  async #ring(): Promise<void> {
    this.#due = undefined
    const nowMs = this.clock.nowMs()
    const due = this.desk.open().filter((task) => earliestDue([task]) <= nowMs).map(({ taskId }) => taskId)
    const decided = await Promise.all([...due, ...this.desk.unread].map((taskId) => this.#submit({ taskId, input: { type: 'due' } })))
    // What could not be decided now is due at once for as long as the store is away.
    this.#setTimer(decided.includes(false) ? retryMs : 0)
  }

  /** Lets every task that the agent has something to do with know of it. */
  #tell(agentId: AgentId, inputFor: (agentId: AgentId) => Parameters<TaskDesk['submit']>[0]['input']): void {
    for (const task of this.desk.open().filter((each) => concerns(each, agentId))) void this.#submit({ taskId: task.taskId, input: inputFor(agentId) })
  }

  /** False where it failed. */
  async #submit(job: Parameters<TaskDesk['submit']>[0]): Promise<boolean> {
    try {
      await this.desk.submit(job)
      return true
    } catch (fault) {
      this.diagnostics.error({ err: fault, taskId: job.taskId }, 'a task could not be decided')
      return false
    }
  }
}

const concerns = ({ eligible, holding }: TaskState, agentId: AgentId): boolean => eligible.has(agentId) || holding?.agent.agentId === agentId

const systemTimers: IapTimers = {
  after(delayMs, act) {
    const timer = setTimeout(act, delayMs)
    timer.unref()
    return { cancel: () => clearTimeout(timer) }
  },
}
