// Event streams of a Space, of one Message and of a Node: where each begins, and what it tells.
import type { Result } from '../../../protocol/result.ts'
import { err, ok } from '../../../protocol/result.ts'
import type { MessageFeed, NodeFeed } from '../../service/open-spaces/types.ts'
import type { Cursor } from './cursor.ts'
import { parseCursor } from './cursor.ts'
import { DescendantsByMessage, tooManyFollowed } from './descendants.ts'
import type { Exchange, IoaService, Route } from './exchange.ts'
import { authenticated } from './exchange.ts'
import type { IoaLimits } from './limits.ts'
import type { Listening } from './listening.ts'
import { Branch, toAll, toDescendants } from './listening.ts'
import { forkDepthOf, parameter } from './query.ts'
import type { Refusal } from './refusal.ts'
import { refusal, refusalOf, refused } from './refusal.ts'
import type { FindSpace, Space } from './space.ts'
import type { Source, Streams } from './streams.ts'

interface Needs {
  readonly service: IoaService
  readonly limits: IoaLimits
  readonly streams: Streams
  readonly findSpace: FindSpace
}

export function streamRoutes({ service, limits, streams, findSpace }: Needs): readonly Route[] {
  const shared = new DescendantsByMessage()

  async function ofSpace(exchange: Exchange): Promise<Refusal | void> {
    const space = await findSpace(exchange.caller, exchange.parameters[0]!)
    if (parameter(exchange.query, 'head') !== undefined) return ofBranch(exchange, space)
    const start = await resumption(exchange, { kind: 'space', id: space.spaceId }, (id) => space.sequenceOf(id))
    if (!start.ok) return start.error
    return tell(exchange, await followed(space, start.value?.position), toAll('space', space.spaceId))
  }

  async function ofMessage(exchange: Exchange): Promise<Refusal | void> {
    const [spaceId = '', messageId = ''] = exchange.parameters
    const space = await findSpace(exchange.caller, spaceId)
    const own = await space.sequenceOf(messageId)
    if (own === undefined) return refusal(404, 'there is no such Message in this Space')
    if (parameter(exchange.query, 'head') !== undefined) return ofBranch(exchange, space)
    const hasRoom = () => shared.size < limits.maxRelatedIds
    if (!hasRoom()) return tooManyFollowed
    const start = await resumption(exchange, { kind: 'space', id: space.spaceId }, (id) => space.sequenceOf(id))
    if (!start.ok) return start.error
    // Before the Message itself there is nothing to tell.
    const source = await followed(space, start.value && Math.max(start.value.position, own - 1))
    const { descendants, release } = shared.acquire(space.spaceId, messageId)
    try {
      // After the feed has begun, so that nothing is between what is read and what passes.
      const caughtUp = await descendants.catchUp(space, messageId, hasRoom)
      return await tell(exchange, caughtUp.ok ? source : refusedSource(source, caughtUp.error), toDescendants(space.spaceId, descendants))
    } finally {
      // Closed already, unless a fault came in between.
      if (source.ok) source.value.close()
      release()
    }
  }

  /** Begins at the head, or where the branch was when its last event was told. */
  async function ofBranch(exchange: Exchange, space: Space): Promise<Refusal | void> {
    const head = parameter(exchange.query, 'head')!
    const headSequence = await space.sequenceOf(head)
    if (headSequence === undefined) return (await space.info()) === undefined ? refusal(404, 'there is no such Space') : refusal(422, 'the head is not a Message of this Space')
    const start = await resumption(exchange, { kind: 'branch', id: space.spaceId }, (id) => space.sequenceOf(id))
    if (!start.ok) return start.error
    const depth = forkDepthOf(exchange.query)
    const isResumed = start.value?.head !== undefined
    const source = await followed(space, isResumed ? start.value!.position : headSequence)
    return tell(exchange, source, new Branch(space, { head: start.value?.head ?? head, depth, toldAfter: start.value?.position ?? headSequence }))
  }

  async function ofNode(exchange: Exchange): Promise<Refusal | void> {
    const nodeId = exchange.parameters[0]!
    const start = await resumption(exchange, { kind: 'node', id: nodeId }, (id) => service.openSpaces.positionOf(id))
    if (!start.ok) return start.error
    const feed = await service.openSpaces.followNode(nodeId, start.value?.position)
    return tell(exchange, feed.ok ? ok(ofNodeFeed(feed.value)) : err(refusalOf(feed.error)), toAll('node', nodeId))
  }

  async function tell({ response, caller }: Exchange, source: Result<Source, Refusal>, listening: Listening): Promise<Refusal | void> {
    if (!source.ok) return source.error
    const why = streams.refusalFor(caller)
    if (why === undefined) return streams.run(response, caller, source.value, listening)
    source.value.close()
    return why
  }

  return [
    authenticated('GET /spaces/:/sse', ofSpace),
    authenticated('GET /spaces/:/messages/:/sse', ofMessage),
    authenticated('GET /nodes/:/sse', ofNode),
  ]
}

/**
 * Where the stream shall begin: after `Last-Event-ID`, which a browser sends when it reconnects, else after the Message or the
 * cursor of `after`, else undefined for now. 422 for what is neither, 409 for the cursor of another stream.
 */
async function resumption({ request, query }: Exchange, of: Pick<Cursor, 'kind' | 'id'>, positionOf: (messageId: string) => Promise<number | undefined>): Promise<Result<Pick<Cursor, 'position' | 'head'> | undefined, Refusal>> {
  const header = request.headers['last-event-id']
  const text = typeof header === 'string' && header !== '' ? header : parameter(query, 'after')
  if (text === undefined) return ok(undefined)
  const cursor = parseCursor(text)
  if (cursor !== undefined) return cursor.kind === of.kind && cursor.id === of.id ? ok(cursor) : refused(409, 'the cursor belongs to another stream; read again and follow from there')
  const position = text === header ? undefined : await positionOf(text)
  return position === undefined ? refused(422, 'the stream cannot be resumed there: unknown cursor or Message') : ok({ position })
}

async function followed(space: Space, after: number | undefined): Promise<Result<Source, Refusal>> {
  const feed = await space.follow(after)
  return feed.ok ? ok(ofMessageFeed(feed.value)) : err(refusalOf(feed.error))
}

function refusedSource(source: Result<Source, Refusal>, why: Refusal): Result<Source, Refusal> {
  if (source.ok) source.value.close()
  return err(why)
}

const ofMessageFeed = (feed: MessageFeed): Source => ({
  startsAfter: feed.startsAfter,
  async next(limit) {
    const messages = await feed.next(limit)
    return messages === 'ended' ? messages : messages.map((message) => ({ position: message.sequence, message }))
  },
  close: () => feed.close(),
})

const ofNodeFeed = (feed: NodeFeed): Source => ({ startsAfter: feed.startsAfter, next: (limit) => feed.next(limit), close: () => feed.close() })
