// What is offered to the caller: look, take, turn down.
import { z } from 'zod'
import { WORK_OFFER_DECLINE } from '../../../../protocol/kinds.ts'
import type { OpenMission, SeenWork } from '../mission.ts'
import { offerTo, seeWork, standing, submit } from '../mission.ts'
import { newsOf } from '../missions.ts'
import type { ToolCall } from '../tool.ts'
import { answer, defineTool, idText, refuse, refuseCommand } from '../tool.ts'
import { changes, defaultLeaseSeconds, leaseSeconds, reads, workName, workOutput } from './work-name.ts'
import { startWork } from './work-start.ts'

/** How long an owner that does not execute keeps the work. */
const ownershipSeconds = 3_600

export const workOffers = defineTool({
  name: 'work_offers',
  title: 'Work offered to you',
  description:
    'Lists the work that is offered to you and not answered yet, with its whole contract: goal, deliverables, acceptance criteria with the evidence that each asks for, inputs, deadline, budget and constraints. Decide by the contract whether you can do it, then work_accept or work_decline before expires_at. With wait_seconds the call waits for an offer if there is none.',
  input: z.strictObject({ wait_seconds: z.number().int().min(1).max(55).optional().describe('Wait so long for an offer.') }),
  output: z.object({ offers: z.array(z.looseObject({ group_id: z.string(), work_item_id: z.string(), offer_id: z.string(), expires_at: z.string(), goal: z.string() })) }),
  annotations: reads,
  async run(call, { wait_seconds }) {
    let offers: Record<string, unknown>[] = []
    for await (const missions of newsOf(call, (wait_seconds ?? 0) * 1000).looks()) {
      offers = missions.flatMap((mission) => offersIn(call, mission))
      if (offers.length > 0) break
    }
    return answer({ offers })
  },
})

function offersIn(call: ToolCall, { state, membership }: OpenMission): Record<string, unknown>[] {
  const isCandidate = membership.state === 'provisional'
  return [...state.workItems.values()].flatMap((record) => {
    const offer = offerTo(call, record)
    if (offer === undefined) return []
    const { workItemId, contract } = record.item
    return [{ group_id: state.groupId, mission: state.title, work_item_id: workItemId, offer_id: offer.offerId, expires_at: offer.expiresAt, goal: contract.goal, ...(isCandidate && { joins_mission: true }), contract }]
  })
}

export const workAccept = defineTool({
  name: 'work_accept',
  title: 'Accept offered work',
  description:
    'Takes work that is offered to you: you become its owner and answer for it, under your signature. Unless start is false it is started at once where nothing holds it back, which gives you an Execution Lease; the answer says when that ends. Then read work_context and do what the contract asks for.',
  input: z.strictObject({
    ...workName,
    offer_id: idText('The offer, as work_offers gives it; without it the offer of the moment.').optional(),
    start: z.boolean().optional().describe('Whether to start it at once; true if you do not say.'),
    lease_seconds: leaseSeconds,
  }),
  output: workOutput,
  annotations: changes,
  async run(call, { offer_id, start = true, lease_seconds = defaultLeaseSeconds, ...name }) {
    const offer = await offered(call, name, offer_id)
    if (typeof offer !== 'string') return offer
    const payload = { workItemId: name.work_item_id, offerId: offer, ownershipLeaseSeconds: ownershipSeconds }
    const accepted = await submit(call, 'work.accept_offer', payload, { groupId: name.group_id, workItemId: name.work_item_id })
    if (!accepted.ok) return refuseCommand(accepted.error)
    if (!start) return answer(await standing(call, name))
    const started = await startWork(call, name, lease_seconds)
    return answer(await standing(call, name, started.ok ? {} : { not_started: `${started.error.code}: ${started.error.message}` }))
  },
})

export const workDecline = defineTool({
  name: 'work_decline',
  title: 'Decline offered work',
  description: 'Turns down work that is offered to you, so that the Coordinator can offer it to somebody else at once. Give the reason that fits best and say in the comment what would have to change.',
  input: z.strictObject({
    ...workName,
    offer_id: idText('The offer, as work_offers gives it; without it the offer of the moment.').optional(),
    reason: z.enum(['capacity', 'deadline', 'capability', 'authorization', 'dependency', 'budget', 'other']).describe('Why you cannot take it.'),
    comment: z.string().min(1).max(4_000).optional().describe('In your own words, for the Coordinator.'),
  }),
  output: workOutput,
  annotations: changes,
  async run(call, { offer_id, reason, comment, ...name }) {
    const offer = await offered(call, name, offer_id)
    if (typeof offer !== 'string') return offer
    const payload = { workItemId: name.work_item_id, offerId: offer, reason, ...(comment !== undefined && { comment }) }
    const declined = await submit(call, WORK_OFFER_DECLINE, payload, { groupId: name.group_id, workItemId: name.work_item_id })
    return declined.ok ? answer({ group_id: name.group_id, work_item_id: name.work_item_id, declined: true }) : refuseCommand(declined.error)
  },
})

/** The id of the offer that is meant, or a refusal. One that is named goes to the authority, which says what became of it. */
async function offered(call: ToolCall, name: { group_id: string; work_item_id: string }, offerId: string | undefined) {
  if (offerId !== undefined) return offerId
  const seen = await seeWork(call, name)
  if (!seen.ok) return seen.error
  return offerIdOf(call, seen.value) ?? refuse('This work is not offered to you now. work_offers shows what is.')
}

const offerIdOf = (call: ToolCall, { record }: SeenWork): string | undefined => offerTo(call, record)?.offerId
