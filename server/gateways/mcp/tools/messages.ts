// Talk in a Mission: a Message, and the one that asks for help.
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'
import type { Rejection } from '../../../../protocol/error-codes.ts'
import type { Actor } from '../../../../protocol/generated/types.ts'
import type { Result } from '../../../../protocol/result.ts'
import { ok } from '../../../../protocol/result.ts'
import type { OpenMission } from '../mission.ts'
import { citation, executeWork, openMission, standing, submit } from '../mission.ts'
import { newUrn } from '../new-urn.ts'
import type { ToolCall } from '../tool.ts'
import { answer, defineTool, idText, refuse, refuseCommand, textOf } from '../tool.ts'
import { changes, groupId } from './work-name.ts'

export const messagePost = defineTool({
  name: 'message_post',
  title: 'Post a Message in a Mission',
  description:
    'Posts a Message in a Mission, in your name: in the Conversation about one WorkItem if you name it, else in the Mission’s own. A Message authorizes nothing and is no result: hand work in with work_submit. Answers with its id.',
  input: z.strictObject({
    group_id: groupId,
    text: z.string().min(1).max(20_000).describe('What you say, as plain text or Markdown.'),
    work_item_id: idText('The work that it is about.').optional(),
    conversation_id: idText('Another Conversation, as mission_read gives it.').optional(),
    reply_to: z.array(z.string().max(512)).max(50).optional().describe('Ids of Messages or Events that it replies to.'),
    mentions: z.array(z.string().max(512)).max(50).optional().describe('Ids of members whose attention it asks for.'),
  }),
  output: z.object({ group_id: z.string(), message_id: z.string() }),
  annotations: changes,
  async run(call, { group_id, text, work_item_id, conversation_id, reply_to, mentions = [] }) {
    const mission = await openMission(call, group_id)
    if (!mission.ok) return mission.error
    const members = mentions.map((id) => mission.value.state.memberships.get(id)?.member)
    const stranger = members.findIndex((member) => member === undefined)
    if (stranger >= 0) return refuse(`${mentions[stranger]} is no member of this Mission`)
    const target = { groupId: group_id, ...(work_item_id !== undefined && { workItemId: work_item_id }), ...(conversation_id !== undefined && { conversationId: conversation_id }) }
    const posted = await say(call, target, { text, mentions: members as Actor[], ...(reply_to && { references: reply_to }) })
    return posted.ok ? answer({ group_id, message_id: posted.value }) : refuseCommand(posted.error)
  },
})

export const askForHelp = defineTool({
  name: 'ask_for_help',
  title: 'Ask for help',
  description:
    'Asks the Coordinator of a Mission, by a Message that mentions it, in the Conversation about the work if you name it. With block your work is paused at once until the Coordinator lets it go on: use that only if you cannot do anything useful until then. Read the answer with mission_read.',
  input: z.strictObject({
    group_id: groupId,
    question: z.string().min(1).max(4_000).describe('What you need to know or to have, and what you have tried.'),
    work_item_id: idText('The work that it is about.').optional(),
    ask_owner: z.boolean().optional().describe('Also mention the person who owns the Mission.'),
    block: z.strictObject({ unblock_condition: z.string().min(1).max(4_000).describe('What has to happen before you can go on.') }).optional().describe('Pause the work until then; needs work_item_id, and that you are executing it.'),
  }),
  output: z.looseObject({ group_id: z.string(), message_id: z.string() }),
  annotations: changes,
  async run(call, { group_id, question, work_item_id, ask_owner = false, block }) {
    if (block && work_item_id === undefined) return refuse('block needs the work_item_id of the work to pause.')
    const mission = await openMission(call, group_id)
    if (!mission.ok) return mission.error
    const target = { groupId: group_id, ...(work_item_id !== undefined && { workItemId: work_item_id }) }
    const posted = await say(call, target, { text: question, mentions: helpers(mission.value, ask_owner) })
    if (!posted.ok) return refuseCommand(posted.error)
    const asked = { group_id, message_id: posted.value }
    if (work_item_id === undefined) return answer(asked)
    const name = { group_id, work_item_id }
    const blocked = block && (await blockWork(call, name, { reason: question, unblockCondition: block.unblock_condition }))
    if (blocked) return refuse(`Your question was posted as ${posted.value}, but the work was not paused: ${textOf(blocked)}`)
    return answer(await standing(call, name, asked))
  },
})

/** The Coordinator, who answers first, and the owner if asked. */
function helpers({ state: { mission } }: OpenMission, withOwner: boolean): Actor[] {
  const coordinator: Actor = { type: 'agent', id: mission.coordinator.agentId }
  return withOwner ? [coordinator, mission.missionOwner] : [coordinator]
}

/** Undefined when the work is blocked now. */
async function blockWork(call: ToolCall, name: { group_id: string; work_item_id: string }, { reason, unblockCondition }: { reason: string; unblockCondition: string }): Promise<CallToolResult | undefined> {
  const work = await executeWork(call, name)
  if (!work.ok) return work.error
  const { record, lease } = work.value
  const { progress, contract } = record.item
  const payload = {
    ...citation(record, lease),
    progress: {
      currentPhase: progress?.currentPhase ?? 'Waiting for help',
      completedMilestones: progress?.completedMilestones ?? [],
      nextCheckpoint: 'Once it goes on',
      blockers: [reason],
      updatedCompletionEstimate: contract.deadline,
      evidenceIds: progress?.evidenceIds ?? [],
    },
    reason,
    unblockCondition,
  }
  const blocked = await submit(call, 'work.block', payload, { groupId: name.group_id, workItemId: name.work_item_id })
  return blocked.ok ? undefined : refuseCommand(blocked.error)
}

interface Words { readonly text: string; readonly mentions: readonly Actor[]; readonly references?: readonly string[] }

/** Posts one Message of text; its id. */
async function say(call: ToolCall, target: Parameters<typeof submit>[3], { text, mentions, references = [] }: Words): Promise<Result<string, Rejection>> {
  const messageId = newUrn()
  const payload = { messageId, content: [{ type: 'text' as const, text }], ...(mentions.length > 0 && { mentions: [...mentions] }), ...(references.length > 0 && { references: [...references] }) }
  const posted = await submit(call, 'message.post', payload, target)
  return posted.ok ? ok(messageId) : posted
}
