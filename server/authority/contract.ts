// What a Work Contract must satisfy beyond its shape before work is proposed, authorized or offered.
import type { Policy, WorkContract } from '../../protocol/generated/types.ts'
import { reject } from '../../protocol/error-codes.ts'
import { beyondCeilings, beyondResources } from './ceilings.ts'
import type { Refusal } from './fences.ts'
import { isAfter } from './instants.ts'
import type { MemberRequest } from './request.ts'
import type { GroupState } from './types.ts'

/** Refuses a contract that contradicts itself, the Mission or its policy. `workItemId` is the item it is for, if there is one. */
export function contractRefused({ state, env }: MemberRequest, contract: WorkContract, workItemId?: string): Refusal {
  return (
    repeatedNames(contract) ??
    beyondCeilings(contract, state) ??
    wrongDeadline(contract, state.mission.deadline, env.now) ??
    ungatedRisk(contract, state) ??
    ungatedByPolicy(contract, env.policy) ??
    wrongDependency(contract, state, workItemId)
  )
}

function repeatedNames(contract: WorkContract): Refusal {
  const lists = {
    'acceptance criterion': contract.acceptanceCriteria.map(({ criterionId }) => criterionId),
    deliverable: contract.requiredDeliverables.map(({ deliverableId }) => deliverableId),
    'required capability': contract.requiredCapabilities.map(({ id }) => id),
  }
  const repeated = Object.entries(lists).find(([, names]) => new Set(names).size < names.length)
  return repeated && reject('INVALID_COMMAND', `the contract names one ${repeated[0]} twice`)
}

function wrongDeadline({ deadline }: WorkContract, missionDeadline: string, now: string): Refusal {
  if (!isAfter(deadline, now)) return reject('INVALID_COMMAND', 'the deadline of the work has passed')
  return isAfter(deadline, missionDeadline) ? reject('INVALID_COMMAND', 'the work would end after the Mission') : undefined
}

/** where the Mission's policy asks for it, dangerous work has to wait for a person. */
function ungatedRisk({ sideEffectRisk, executionApproval }: WorkContract, { mission }: GroupState): Refusal {
  const isDangerous = sideEffectRisk === 'high_risk' || sideEffectRisk === 'destructive'
  if (!isDangerous || !mission.approvalPolicy.highRiskExecutionApproval || executionApproval === 'human_required') return undefined
  return reject('INVALID_COMMAND', `work with ${sideEffectRisk} effects needs executionApproval human_required`)
}

/** work of a risk class or with an operation that the Organization's policy gates may not go without a gate. */
function ungatedByPolicy({ sideEffectRisk, executionApproval, allowedResources }: WorkContract, { version, risk, executionGates }: Policy): Refusal {
  if (executionApproval !== 'not_required') return undefined
  const gated = new Set(Object.values(executionGates).flat())
  const operation = allowedResources.flatMap(({ operations }) => operations).find((name) => gated.has(name))
  const cause = risk[sideEffectRisk].executionApproval ? `${sideEffectRisk} effects` : operation && `the operation ${operation}`
  return cause === undefined ? undefined : reject('INVALID_COMMAND', `policy gates work with ${cause}; it needs an execution Approval`, { details: { policyVersion: version } })
}

/** dependencies are other WorkItems of the Mission, and following them leads nowhere back. */
export function wrongDependency({ dependencyWorkItemIds }: Pick<WorkContract, 'dependencyWorkItemIds'>, state: GroupState, workItemId: string | undefined): Refusal {
  if (dependencyWorkItemIds.some((id) => id !== workItemId && !state.workItems.has(id))) {
    return reject('INVALID_COMMAND', 'a dependency is not a WorkItem of this Mission')
  }
  if (workItemId !== undefined && isReachable(state, dependencyWorkItemIds, workItemId)) {
    return reject('INVALID_COMMAND', 'the dependencies would form a cycle')
  }
  return undefined
}

/** Whether following dependencies from `start` leads to `target`. */
function isReachable(state: GroupState, start: readonly string[], target: string): boolean {
  const open = [...start]
  const seen = new Set<string>()
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (id === target) return true
    if (seen.has(id)) continue
    seen.add(id)
    open.push(...(state.workItems.get(id)?.item.contract.dependencyWorkItemIds ?? []))
  }
  return false
}

/** work below other work gets no resource or operation that the work above it lacks. */
export function widerResources(inner: WorkContract, outer: WorkContract): Refusal {
  return beyondResources(inner.allowedResources, outer.allowedResources, 'the parent work')
}
