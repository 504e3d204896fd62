// One I.A.P. task under test: agents, a clock, and the records and messages that the decisions lead to.
import { createHash } from 'node:crypto'
import { composeMessage } from '../../protocol/iap/compose.ts'
import type { IAPPayloads, MessageType } from '../../protocol/iap/message-type.ts'
import type { AgentId, CapabilityRecord, IAPMessage, IAPMessageOf, TaskBid, TaskProposal } from '../../protocol/iap/types.ts'
import { instantFromEpochMs } from '../../protocol/timestamp.ts'
import { nextDue } from '../authority/iap/absence.ts'
import { decideTask } from '../authority/iap/decide-task.ts'
import { evolveTask } from '../authority/iap/evolve-task.ts'
import type { RecordOf, RecordType, TaskRecord } from '../authority/iap/records.ts'
import { addRecords, NO_RECORD, reputationChange } from '../authority/iap/reputation.ts'
import { DEFAULT_RULES } from '../authority/iap/rules.ts'
import type { RouterRules, TaskEnv, TaskInput, TaskOutcome, TaskState } from '../authority/iap/types.ts'

export interface TestAgent {
  capabilityId: string
  outputSchema?: Record<string, unknown>
  isOnline: boolean
  freeSlots: number
  speaksAdditions: boolean
  hasRoom: boolean
}

export const PROPOSER = 'proposer'
const START_MS = Date.UTC(2026, 10, 30, 8)

export class IapTask {
  readonly agents = new Map<AgentId, TestAgent>()
  readonly records: TaskRecord[] = []
  readonly messages: IAPMessage[] = []
  readonly accounts = new Map<string, CapabilityRecord>()
  rules: RouterRules = DEFAULT_RULES
  nowMs = START_MS
  seed = 'seed'
  isWorkInHand = false
  state: TaskState | undefined
  #messageCount = 0

  constructor(...agentIds: readonly AgentId[]) {
    for (const agentId of [PROPOSER, ...agentIds]) this.agents.set(agentId, { capabilityId: `${agentId}.cap`, isOnline: true, freeSlots: 1, speaksAdditions: false, hasRoom: true })
  }

  agent(agentId: AgentId): TestAgent {
    return this.agents.get(agentId)!
  }

  /** Decides and keeps what came of it. */
  act(input: TaskInput): TaskOutcome {
    const outcome = decideTask(this.state, input, this.#env())
    for (const record of outcome.records) {
      const change = reputationChange(this.state, record)
      if (change) this.accounts.set(change.agentId, addRecords(this.account(change.agentId), change.added))
      this.state = evolveTask(this.state, record)
    }
    this.records.push(...outcome.records)
    this.messages.push(...outcome.messages)
    return outcome
  }

  account(agentId: AgentId): CapabilityRecord {
    return this.accounts.get(agentId) ?? NO_RECORD
  }

  message<T extends MessageType>(type: T, from: AgentId, payload: IAPPayloads[T], metadata?: Record<string, unknown>): IAPMessageOf<T> {
    return composeMessage(type, { messageId: `m${this.#messageCount++}`, from, to: 'router', timestamp: instantFromEpochMs(this.nowMs), ...(metadata && { metadata }) }, payload)
  }

  propose(changes: Partial<TaskProposal> = {}): TaskOutcome {
    const proposal = { taskId: 'task_1', proposerId: PROPOSER, description: 'Sum it', requiredCapability: 'data_analysis', input: {}, maxLatency: 8000, maxCost: 100, ...changes }
    return this.act({ type: 'proposal', message: this.message('TASK_PROPOSAL', PROPOSER, proposal) })
  }

  bid(bidderId: AgentId, changes: Partial<TaskBid> = {}): TaskOutcome {
    const bid = { taskId: 'task_1', bidderId, estimatedLatency: 4000, estimatedCost: 50, confidence: 0.5, ...changes }
    return this.act({ type: 'bid', message: this.message('TASK_BID', bidderId, bid) })
  }

  accept(agentId: AgentId, assignmentId?: string): TaskOutcome {
    return this.act({ type: 'acceptance', message: this.message('TASK_ACCEPTANCE', agentId, { taskId: 'task_1', ...(assignmentId && { assignmentId }) }) })
  }

  reject(agentId: AgentId, code?: string): TaskOutcome {
    return this.act({ type: 'rejection', message: this.message('TASK_REJECTION', agentId, { taskId: 'task_1', ...(code && { code }) }) })
  }

  complete(agentId: AgentId, changes: Partial<IAPPayloads['TASK_RESULT']> = {}, outputFault?: string): TaskOutcome {
    const message = this.message('TASK_RESULT', agentId, { taskId: 'task_1', status: 'completed', result: 42, ...changes })
    return this.act({ type: 'result', message, ...(outputFault !== undefined && { outputFault }) })
  }

  part(agentId: AgentId, index: number, part: unknown = `part ${index}`): TaskOutcome {
    return this.act({ type: 'partial-result', message: this.message('TASK_PARTIAL_RESULT', agentId, { taskId: 'task_1', index, part }) })
  }

  /** Lets time pass up to what is due next, and does it. */
  due(): TaskOutcome {
    this.nowMs = nextDue(this.state!) ?? this.nowMs
    return this.act({ type: 'due' })
  }

  /** Lets an agent take its leave, or break off. */
  leave(agentId: AgentId, type: 'departed' | 'lost'): TaskOutcome {
    this.agent(agentId).isOnline = false
    return this.act({ type, agentId })
  }

  /** The latest record of a type. */
  last<T extends RecordType>(type: T): RecordOf<T> {
    return this.records.findLast((record) => record.type === type) as RecordOf<T>
  }

  /** Messages that an agent was sent, as `TYPE`. */
  sentTo(agentId: AgentId): readonly string[] {
    return this.messages.filter(({ to }) => to === agentId).map(({ type }) => type)
  }

  get types(): readonly string[] {
    return this.records.map(({ type }) => type)
  }

  #env(): TaskEnv {
    const capable = [...this.agents].filter(([agentId, { isOnline }]) => isOnline && agentId !== PROPOSER)
    const free = capable.filter(([, { freeSlots }]) => freeSlots > 0)
    return {
      nowMs: this.nowMs,
      seed: createHash('sha256').update(`${this.seed}${this.records.length}`).digest('hex'),
      rules: this.rules,
      candidates: () => ({ eligible: free.map(([agentId, { capabilityId, outputSchema }]) => ({ agentId, capabilityId, ...(outputSchema && { outputSchema }) })), busy: capable.length - free.length }),
      standingOf: (agentId) => this.agents.get(agentId) ?? { isOnline: false, freeSlots: 0, speaksAdditions: false, hasRoom: true },
      recordOf: (agentId) => this.account(agentId),
      isWorkInHand: () => this.isWorkInHand,
    }
  }
}
