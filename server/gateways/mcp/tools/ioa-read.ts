import { z } from 'zod'
import type { Result } from '../../../../protocol/result.ts'
import { ok } from '../../../../protocol/result.ts'
import type { OpenSpaces, SpaceMessage, SpaceQuery, SpaceRefusal, Window } from '../../../service/open-spaces/types.ts'
import { deadline } from '../deadline.ts'
import { maximumResultBytes, messagesText, newest, nodeOf } from '../space-text.ts'
import type { McpService, ToolCall } from '../tool.ts'
import { answerText, defineTool, idText, refuse } from '../tool.ts'

const defaultLimit = 100
const maximumLimit = 1_000
/** Messages that a call that listens lets pass between two looks. */
const passedAtOnce = 32
const defaultWaitSeconds = 25
const maximumWaitSeconds = 55

export const ioaRead = defineTool({
  name: 'ioa_read',
  title: 'Read Messages',
  description: `Reads Messages of an open Space, oldest first. Which: with message_id that Message with its ancestors and descendants (direction "upstream" or "downstream" for one side only); else with all every Message; else those that concern you: addressed to you or broadcast by others. Page with after = id of the last Message you have seen (yours count too): you get the next ones, and an empty list when there are none. Without after you get the newest. At most limit (default ${defaultLimit}) Messages come at once; fewer where they are long: until a page after a cursor is empty, there may be more. With listen the call waits up to wait_seconds for something new after the cursor and answers [] if nothing came; always pass after with it, so that nothing between two calls is missed.`,
  input: z.strictObject({
    space_id: idText('Id of the Space, as ioa_space gave it.'),
    message_id: idText('Read what this Message is connected to.').optional(),
    direction: z.enum(['upstream', 'downstream', 'both']).optional().describe('With message_id: ancestors only, descendants only, or both (the default).'),
    after: idText('Cursor: id of the last Message you have seen.').optional(),
    limit: z.number().int().min(1).max(maximumLimit).optional().describe(`How many Messages at most; ${defaultLimit} if you do not say.`),
    all: z.boolean().optional().describe('Every Message, not only those that concern you.'),
    listen: z.boolean().optional().describe('Wait for Messages after the cursor.'),
    wait_seconds: z.number().int().min(1).max(maximumWaitSeconds).optional().describe(`With listen: how long to wait; ${defaultWaitSeconds} if you do not say.`),
  }),
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: true },
  async run(call, args) {
    const { service, principalId } = call
    const limit = args.limit ?? defaultLimit
    const query = await queryOf(service, principalId, args)
    const waitMs = (args.wait_seconds ?? defaultWaitSeconds) * 1000
    const { space_id: spaceId, after } = args
    const read = () => (after === undefined ? newest(service.openSpaces, spaceId, query, limit) : service.openSpaces.read(spaceId, query, windowOf(after, limit)))
    const found = args.listen === true ? await listen(call, { spaceId, query, after, limit, waitMs }) : await read()
    return found.ok ? answerText(messagesText(found.value)) : refuse(found.error.reason)
  },
})

async function queryOf(service: McpService, principalId: string, { message_id, direction = 'both', all }: { message_id?: string | undefined; direction?: 'upstream' | 'downstream' | 'both' | undefined; all?: boolean | undefined }): Promise<SpaceQuery> {
  if (message_id !== undefined) return { mode: 'related', messageId: message_id, direction }
  return all === true ? { mode: 'all' } : { mode: 'caller', nodeId: (await nodeOf(service, principalId)).nodeId }
}

const windowOf = (after: string | null, limit: number): Window => ({ after, limit, maximumBytes: maximumResultBytes })

interface Listening { readonly spaceId: string; readonly query: SpaceQuery; readonly after: string | undefined; readonly limit: number; readonly waitMs: number }

/** What the query gives after the cursor as soon as it gives something; the feed begins before the first look, so that nothing falls between them. */
async function listen({ service: { openSpaces }, signal }: ToolCall, { spaceId, query, after, limit, waitMs }: Listening): Promise<Result<readonly SpaceMessage[], SpaceRefusal>> {
  const cursor = after === undefined ? await headOf(openSpaces, spaceId) : ok(after)
  if (!cursor.ok) return cursor
  const feed = await openSpaces.follow(spaceId)
  if (!feed.ok) return feed
  const wait = deadline(signal, waitMs)
  wait.signal.addEventListener('abort', () => feed.value.close(), { once: true })
  try {
    for (;;) {
      const found = await openSpaces.read(spaceId, query, windowOf(cursor.value, limit))
      if (!found.ok || found.value.length > 0 || wait.signal.aborted) return found
      if ((await feed.value.next(passedAtOnce)) === 'ended') return ok([])
    }
  } finally {
    wait.end()
    feed.value.close()
  }
}

/** The newest Message; `null` stands before the first. */
async function headOf(openSpaces: OpenSpaces, spaceId: string): Promise<Result<string | null, SpaceRefusal>> {
  const head = await openSpaces.read(spaceId, { mode: 'all' }, { limit: 1 })
  return head.ok ? ok(head.value[0]?.messageId ?? null) : head
}
