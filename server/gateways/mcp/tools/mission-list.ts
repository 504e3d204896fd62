import { z } from 'zod'
import type { OpenMission } from '../mission.ts'
import { liveLease, offerTo } from '../mission.ts'
import { missionsOf } from '../missions.ts'
import type { ToolCall } from '../tool.ts'
import { answer, defineTool } from '../tool.ts'
import { reads } from './work-name.ts'

export const missionList = defineTool({
  name: 'mission_list',
  title: 'Your Missions',
  description: 'Lists the Missions that you belong to, with your role, who coordinates, the work that is yours and how much is offered to you. Begin here, or with work_offers.',
  input: z.strictObject({ include_finished: z.boolean().optional().describe('Also those that are approved, failed or cancelled.') }),
  output: z.object({ missions: z.array(z.looseObject({ group_id: z.string(), mission_id: z.string(), title: z.string(), state: z.string(), role: z.string() })), more: z.boolean().optional(), unreadable: z.array(z.string()).optional().describe('group_id of each Mission that cannot be read now.') }),
  annotations: reads,
  async run(call, { include_finished = false }) {
    const { missions, unreadable, isCut } = await missionsOf(call, include_finished)
    return answer({ missions: missions.map((mission) => missionView(call, mission)), ...(isCut && { more: true }), ...(unreadable.length > 0 && { unreadable }) })
  },
})

function missionView(call: ToolCall, { state, membership }: OpenMission): Record<string, unknown> {
  const { mission } = state
  const records = [...state.workItems.values()]
  const known = { group_id: state.groupId, mission_id: mission.missionId, title: state.title, state: mission.state, role: membership.role, membership: membership.state, offers: records.filter((record) => offerTo(call, record) !== undefined).length }
  if (membership.state === 'provisional') return known
  const named = (id: string) => ({ id, name: call.service.identities.principal(id)?.name ?? id })
  const mine = records.filter(({ item }) => item.owner?.agentId === call.principalId)
  return {
    ...known,
    objective: mission.objective,
    deadline: mission.deadline,
    owner: named(mission.missionOwner.id),
    coordinator: named(mission.coordinator.agentId),
    conversation_id: state.group.mainConversationId,
    head: state.sequence,
    your_work: mine.map((record) => {
      const lease = liveLease(call, record)
      return { work_item_id: record.item.workItemId, goal: record.item.contract.goal, state: record.item.state, ...(lease && { lease_ends_at: lease.expiresAt }) }
    }),
  }
}
