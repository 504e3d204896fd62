// A Space as this door reads it, whichever kind it is.
import type { MessageDraft, MessageFeed, Refusable, SpaceInfo, SpaceMessage, SpaceQuery, Window } from '../../service/open-spaces/types.ts'
import type { Caller, IoaService } from './exchange.ts'

export interface Space {
  readonly spaceId: string
  info(): Promise<SpaceInfo | undefined>
  send(draft: MessageDraft): Refusable<SpaceMessage>
  read(query: SpaceQuery, window: Window): Refusable<readonly SpaceMessage[]>
  follow(after?: number): Refusable<MessageFeed>
  sequenceOf(messageId: string): Promise<number | undefined>
  isWithin(messageId: string, ancestorId: string, depth: number): Promise<boolean>
}

/** A Space that any Node may enter, or one that does not exist. */
export class OpenSpace implements Space {
  readonly spaceId: string
  readonly #spaces: IoaService['openSpaces']
  readonly #callerId: string

  constructor(spaces: IoaService['openSpaces'], spaceId: string, callerId: string) {
    this.spaceId = spaceId
    this.#spaces = spaces
    this.#callerId = callerId
  }

  info(): Promise<SpaceInfo | undefined> {
    return this.#spaces.find(this.spaceId)
  }

  send(draft: MessageDraft): Refusable<SpaceMessage> {
    return this.#spaces.send(this.#callerId, this.spaceId, draft)
  }

  read(query: SpaceQuery, window: Window): Refusable<readonly SpaceMessage[]> {
    return this.#spaces.read(this.spaceId, query, window)
  }

  follow(after?: number): Refusable<MessageFeed> {
    return this.#spaces.follow(this.spaceId, after)
  }

  sequenceOf(messageId: string): Promise<number | undefined> {
    return this.#spaces.sequenceOf(this.spaceId, messageId)
  }

  isWithin(messageId: string, ancestorId: string, depth: number): Promise<boolean> {
    return this.#spaces.isWithin(this.spaceId, messageId, ancestorId, depth)
  }
}

/** Finds the Space that a path names, as this caller sees it; what does not exist for the caller refuses everything. */
export type FindSpace = (caller: Caller, spaceId: string) => Promise<Space>
