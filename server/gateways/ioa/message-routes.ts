// Messages: sending one, and reading them from a Space, an inbox or all open Spaces.
import type { Result } from '../../../protocol/result.ts'
import { err, ok } from '../../../protocol/result.ts'
import { sendBytes } from '../../http-messages.ts'
import type { MessageDraft, MessageFilter, SpaceQuery, Window } from '../../service/open-spaces/types.ts'
import type { Body } from './body.ts'
import { parseMember } from './body.ts'
import type { Exchange, IoaService, Route } from './exchange.ts'
import { authenticated, bodyOf } from './exchange.ts'
import type { Lists } from './json-list.ts'
import { messagePages } from './json-list.ts'
import type { IoaLimits } from './limits.ts'
import { directionOf, flagOf, limitOf, parameter } from './query.ts'
import type { Refusal } from './refusal.ts'
import { refusal, refusalOf } from './refusal.ts'
import type { FindSpace, Space } from './space.ts'

interface Needs { readonly service: IoaService; readonly limits: IoaLimits; readonly lists: Lists; readonly findSpace: FindSpace }

const messageFields = { content: 'object', content_type: 'string', refs: 'object', meta: 'object', content_schema: 'object' } as const
const refFields = { messages: 'strings', nodes: 'strings' } as const

export function messageRoutes({ service, limits, lists, findSpace }: Needs): readonly Route[] {
  async function send(exchange: Exchange): Promise<Refusal | void> {
    const body = await bodyOf(exchange, messageFields, limits)
    if (!body.ok) return body.error
    const draft = draftOf(body.value)
    if (!draft.ok) return draft.error
    const space = await findSpace(exchange.caller, exchange.parameters[0]!)
    const sent = await space.send(draft.value)
    if (!sent.ok) return refusalOf(sent.error)
    sendBytes(exchange.response, 201, sent.value.bytes)
  }

  async function read(exchange: Exchange): Promise<Refusal | void> {
    const { query, caller, parameters } = exchange
    const space = await findSpace(caller, parameters[0]!)
    const asked = windowOf(query, limits)
    if (!asked.ok) return (await isMissing(space)) ?? asked.error
    const mode = queryOf(query, caller.nodeId)
    if (!mode.ok) return (await misread(space, query, asked.value)) ?? mode.error
    return lists.answer(exchange, () => messagePages((window) => space.read(mode.value, window), asked.value, limits))
  }

  async function inbox(exchange: Exchange): Promise<Refusal | void> {
    const asked = windowOf(exchange.query, limits)
    if (!asked.ok) return asked.error
    return lists.answer(exchange, () => messagePages((window) => service.openSpaces.inbox(exchange.parameters[0]!, window), asked.value, limits))
  }

  async function search(exchange: Exchange): Promise<Refusal | void> {
    const asked = windowOf(exchange.query, limits)
    if (!asked.ok) return asked.error
    const filter = filterOf(exchange.query)
    return lists.answer(exchange, () => messagePages((window) => service.openSpaces.search(filter, window), asked.value, limits))
  }

  return [
    authenticated('POST /spaces/:/messages', send),
    authenticated('GET /spaces/:/messages', read),
    authenticated('GET /nodes/:/inbox', inbox),
    authenticated('GET /messages', search),
  ]
}

/** A missing `content` is passed on as null: the Space comes before it in the order of checks. */
function draftOf(body: Body<typeof messageFields>): Result<MessageDraft, Refusal> {
  const refs = parseMember(body.values.refs ?? {}, refFields)
  if (!refs.ok) return refs
  const { content_type: contentType } = body.values
  const [meta, contentSchema] = [body.textOf('meta'), body.textOf('content_schema')]
  return ok({
    content: body.textOf('content') ?? 'null',
    // An empty type is none.
    ...(contentType !== undefined && contentType !== '' && { contentType }),
    messages: refs.value.messages ?? [],
    nodes: refs.value.nodes ?? [],
    ...(meta !== undefined && { meta }),
    ...(contentSchema !== undefined && { contentSchema }),
  })
}

function windowOf(query: URLSearchParams, { maxLimit }: IoaLimits): Result<Window, Refusal> {
  const limit = limitOf(query, maxLimit)
  if (!limit.ok) return limit
  const after = parameter(query, 'after')
  return ok({ ...(after !== undefined && { after }), ...(limit.value !== undefined && { limit: limit.value }) })
}

/** The first that is given counts: `message_id`, `all`; else what concerns the caller. */
function queryOf(query: URLSearchParams, nodeId: string): Result<SpaceQuery, Refusal> {
  const all = flagOf(query, 'all')
  if (!all.ok) return all
  const messageId = parameter(query, 'message_id')
  if (messageId === undefined) return ok(all.value ? { mode: 'all' } : { mode: 'caller', nodeId })
  const direction = directionOf(query)
  return direction.ok ? ok({ mode: 'related', messageId, direction: direction.value }) : err(direction.error)
}

async function isMissing(space: Space): Promise<Refusal | undefined> {
  return (await space.info()) === undefined ? refusal(404, 'there is no such Space') : undefined
}

/** What would have been refused before an unusable direction. */
async function misread(space: Space, query: URLSearchParams, { after }: Window): Promise<Refusal | undefined> {
  const messageId = parameter(query, 'message_id')
  const probe: SpaceQuery = messageId === undefined ? { mode: 'all' } : { mode: 'related', messageId, direction: 'upstream' }
  const read = await space.read(probe, { ...(after !== undefined && { after }), limit: 1 })
  return read.ok ? undefined : refusalOf(read.error)
}

const filterNames = { spaceId: 'space_id', messageId: 'message_id', nodeId: 'node_id', senderId: 'sender', refMessage: 'ref_message', refNode: 'ref_node' } as const satisfies Record<keyof MessageFilter, string>

function filterOf(query: URLSearchParams): MessageFilter {
  const given = Object.entries(filterNames).map(([field, name]) => [field, parameter(query, name)] as const)
  return Object.fromEntries(given.filter(([, value]) => value !== undefined))
}
