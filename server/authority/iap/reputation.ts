// Reputation: what the log says of an agent and one of its capabilities. Counts in a context, never one score.
import type { CapabilityRecord } from '../../../protocol/iap/types.ts'
import type { RecordOf, TaskRecord } from './records.ts'
import type { TaskState } from './types.ts'

export const NO_RECORD: CapabilityRecord = { awarded: 0, completed: 0, failed: 0, timedOut: 0, released: 0 }

/** What one record of a task adds to the account of one agent and capability. */
export interface ReputationChange {
  readonly agentId: string
  readonly capabilityId: string
  readonly added: CapabilityRecord
}

/** `before` is the task as it stood before the record. Evidence that was not applied, and answers from the cache, change nothing. */
export function reputationChange(before: TaskState | undefined, record: TaskRecord): ReputationChange | undefined {
  switch (record.type) {
    case 'task_assignment': {
      const agent = before?.eligible.get(record.content.agentId)
      return agent && { agentId: agent.agentId, capabilityId: agent.capabilityId, added: { ...NO_RECORD, awarded: 1 } }
    }
    case 'task_result':
      return record.content.refused === undefined ? holderChange(before, settledBy(before, record)) : undefined
    case 'task_failure':
      return record.content.code === 'TASK_TIMEOUT' ? holderChange(before, { ...NO_RECORD, timedOut: 1 }) : undefined
    case 'task_rejection':
    case 'task_release':
      return holderChange(before, { ...NO_RECORD, released: 1 })
    default:
      return undefined
  }
}

/** The sum of two accounts. */
export function addRecords(a: CapabilityRecord, b: CapabilityRecord): CapabilityRecord {
  const latency = addEstimates(a.latency, b.latency)
  const cost = addEstimates(a.cost, b.cost)
  return {
    awarded: a.awarded + b.awarded,
    completed: a.completed + b.completed,
    failed: a.failed + b.failed,
    timedOut: a.timedOut + b.timedOut,
    released: a.released + b.released,
    ...(latency && { latency }),
    ...(cost && { cost }),
  }
}

type Estimates = CapabilityRecord['latency']

function addEstimates(a: Estimates, b: Estimates): Estimates {
  if (a === undefined || b === undefined) return a ?? b
  return { samples: a.samples + b.samples, estimated: a.estimated + b.estimated, actual: a.actual + b.actual }
}

function holderChange(before: TaskState | undefined, added: CapabilityRecord): ReputationChange | undefined {
  const agent = before?.holding?.agent
  return agent && { agentId: agent.agentId, capabilityId: agent.capabilityId, added }
}

function settledBy(before: TaskState | undefined, { content }: RecordOf<'task_result'>): CapabilityRecord {
  if (content.result.status === 'failed') return { ...NO_RECORD, failed: 1 }
  const bid = before?.holding?.bid
  return {
    ...NO_RECORD,
    completed: 1,
    ...(bid && content.latencyMs !== undefined && { latency: { samples: 1, estimated: bid.estimatedLatency, actual: content.latencyMs } }),
    ...(bid && content.result.actualCost !== undefined && { cost: { samples: 1, estimated: bid.estimatedCost, actual: content.result.actualCost } }),
  }
}
