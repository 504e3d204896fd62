// The arguments by which tools name work, and the lease that they may ask for.
import { z } from 'zod'
import { idText } from '../tool.ts'

export const groupId = idText('Group of the Mission, as mission_list and work_offers give it.')
export const workName = { group_id: groupId, work_item_id: idText('The WorkItem, as mission_list and work_offers give it.') }

export const defaultLeaseSeconds = 900
export const leaseSeconds = z.number().int().min(30).max(3_600).optional().describe(`How long your right to execute lasts without a call about this work; ${defaultLeaseSeconds} if you do not say.`)

/** Where work stands; further members are told as they come. */
export const workOutput = z.looseObject({
  group_id: z.string(),
  work_item_id: z.string(),
  goal: z.string().optional(),
  state: z.string().optional(),
  lease: z.object({ type: z.string(), ends_at: z.string(), seconds_left: z.number() }).optional(),
  next_step: z.string().optional(),
})

export const changes = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false } as const
export const reads = { readOnlyHint: true, openWorldHint: false } as const
