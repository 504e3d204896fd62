// A task that was done for a WorkItem: what the Coordinator signs for the winner of the bids.
import type { CommandPayloads } from '../../protocol/generated/types.ts'
import { ROUTER } from '../../protocol/iap/types.ts'
import { validateCommandPayload } from '../../protocol/validate.ts'
import type { ReceivedContext } from './iap-client.ts'

export interface WorkOfferBasis {
  readonly payload: CommandPayloads['work.offer']
  readonly target: { readonly groupId: string; readonly workItemId: string; readonly causedByEventId?: string }
}

/**
 * The `work.offer` to which an award of the router leads, for `AgentClient.submit`; `undefined` for any other context. The
 * router cannot sign it: an offer is the Coordinator's decision.
 */
export function workOfferOf({ transfer, data }: ReceivedContext): WorkOfferBasis | undefined {
  if (transfer.fromAgent !== ROUTER || transfer.contextType !== 'mwp.work_offer') return undefined
  const { groupId, offer, causedByEventId } = data
  if (typeof groupId !== 'string' || validateCommandPayload('work.offer', offer) !== undefined) return undefined
  const payload = offer as CommandPayloads['work.offer']
  return { payload, target: { groupId, workItemId: payload.workItemId, ...(typeof causedByEventId === 'string' && { causedByEventId }) } }
}
