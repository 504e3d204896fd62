// Proposed work binds nobody until it is authorized.
import { reject } from '../../protocol/error-codes.ts'
import { err } from '../../protocol/result.ts'
import { budgetNotContained } from './budget.ts'
import { contractRefused } from './contract.ts'
import { noteRate, overLimits, proposalExcess } from './cooperation.ts'
import { accept } from './draft.ts'
import type { Refusal } from './fences.ts'
import { idInUse, missionNotActive, revisionConflict } from './fences.ts'
import type { Decider, Evolver } from './request.ts'
import type { GroupState } from './types.ts'
import { introduce } from './work-record.ts'

/** `work.propose`, by any member. It moves the Mission's revision, which is what `expectedRevision` tests. */
export const decidePropose: Decider<'work.propose'> = (request) => {
  const { state, command, payload, env } = request
  const { proposalId, contract, parentWorkItemId } = payload
  const { missionId, groupId, revision, budget } = state.mission
  const refusal =
    revisionConflict(command, revision) ??
    budgetNotContained(contract.budget, budget) ??
    overLimits(request, [proposalExcess(request)]) ??
    missionNotActive(request) ??
    idInUse(state, proposalId) ??
    unknownParent(state, parentWorkItemId) ??
    contractRefused(request, contract)
  if (refusal) return err(refusal)
  const parent = parentWorkItemId !== undefined && { parentWorkItemId }
  const proposal = { proposalId, missionId, groupId, proposedBy: command.actor, contract, ...parent, status: 'open', createdAt: env.now } as const
  return accept(request, { kind: 'work.proposed', aggregateRevision: revision + 1, payload: { proposal } })
}

function unknownParent({ workItems }: GroupState, parentWorkItemId: string | undefined): Refusal {
  if (parentWorkItemId === undefined || workItems.has(parentWorkItemId)) return undefined
  return reject('INVALID_COMMAND', 'the parent WorkItem does not exist')
}

export const evolveProposed: Evolver<'work.proposed'> = (state, event) => {
  const { payload, sequence } = event
  noteRate(state, 'proposal_rate', event)
  const { missionId: _missionId, groupId: _groupId, ...proposal } = payload.proposal
  state.proposals.set(proposal.proposalId, proposal)
  state.mission = { ...state.mission, revision: state.mission.revision + 1 }
  introduce(state, proposal.proposalId, sequence)
}
