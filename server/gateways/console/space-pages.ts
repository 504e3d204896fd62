// Messages of an open Space page by page, newest first, as the console reads every log.
import type { OpenSpaces, SpaceMessage } from '../../service/open-spaces/types.ts'

export interface MessagePage {
  /** Ascending. */
  readonly messages: readonly SpaceMessage[]
  readonly hasOlder: boolean
  /** Sequence of the newest Message of the Space; 0 when there is none. */
  readonly head: number
}

/** The newest `limit` Messages below the sequence `before`; undefined for an unknown Space. Sequences of a Space have no gaps. */
export async function messagesBelow(openSpaces: OpenSpaces, spaceId: string, before: number | undefined, limit: number): Promise<MessagePage | undefined> {
  const newest = await openSpaces.read(spaceId, { mode: 'all' }, { limit: before === undefined ? limit : 1 })
  if (!newest.ok) return undefined
  const head = newest.value.at(-1)?.sequence ?? 0
  const last = Math.min(before === undefined ? head : before - 1, head)
  const first = Math.max(1, last - limit + 1)
  const messages = before === undefined ? newest.value : await stored(openSpaces, spaceId, first, last)
  return { messages, hasOlder: first > 1, head }
}

/** The Messages of these sequences, all of which exist; a feed replays them without waiting. */
async function stored(openSpaces: OpenSpaces, spaceId: string, first: number, last: number): Promise<readonly SpaceMessage[]> {
  const feed = await openSpaces.follow(spaceId, first - 1)
  if (!feed.ok) return []
  const messages: SpaceMessage[] = []
  try {
    while (first + messages.length <= last) {
      const next = await feed.value.next(last - first + 1 - messages.length)
      if (next === 'ended') break
      messages.push(...next)
    }
  } finally {
    feed.value.close()
  }
  return messages
}
