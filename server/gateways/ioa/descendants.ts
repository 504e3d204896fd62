// Which Messages descend from one. Shared by all streams about that Message, so that none reads the Space for every event.
import type { Result } from '../../../protocol/result.ts'
import { err, ok } from '../../../protocol/result.ts'
import type { SpaceMessage } from '../../service/open-spaces/types.ts'
import type { Refusal } from './refusal.ts'
import { refusal, refusalOf } from './refusal.ts'
import type { Space } from './space.ts'

const page = { limit: 1_000, maximumBytes: 4 * 1024 * 1024 }

export const tooManyFollowed = refusal(503, 'too many Messages are followed', { 'retry-after': 5 })

/** The ids that descend from one Message, itself included. Whether one does never changes, so listeners may be anywhere in the log. */
export class Descendants {
  readonly #ids: Set<string>
  #readUpTo: string
  #reading: Promise<Result<void, Refusal>> = Promise.resolve(ok(undefined))

  constructor(messageId: string) {
    this.#ids = new Set([messageId])
    this.#readUpTo = messageId
  }

  get size(): number {
    return this.#ids.size
  }

  /** Asked of every Message after those that were read, in the order of the log. */
  include({ messageId, messages }: SpaceMessage): boolean {
    if (this.#ids.has(messageId)) return true
    if (!messages.some((parent) => this.#ids.has(parent))) return false
    this.#ids.add(messageId)
    return true
  }

  /** Reads what is stored already; one after another, so that each begins where the last one ended. */
  catchUp(space: Space, messageId: string, hasRoom: () => boolean): Promise<Result<void, Refusal>> {
    this.#reading = this.#reading.catch(() => undefined).then(() => this.#read(space, messageId, hasRoom))
    return this.#reading
  }

  /** `hasRoom` is asked again for every page: many that are read at the same time grow together. */
  async #read(space: Space, messageId: string, hasRoom: () => boolean): Promise<Result<void, Refusal>> {
    for (;;) {
      if (!hasRoom()) return err(tooManyFollowed)
      const found = await space.read({ mode: 'related', messageId, direction: 'downstream' }, { after: this.#readUpTo, ...page })
      if (!found.ok) return err(refusalOf(found.error))
      for (const message of found.value) this.#ids.add(message.messageId)
      const last = found.value.at(-1)
      if (last === undefined) return ok(undefined)
      this.#readUpTo = last.messageId
    }
  }
}

interface Shared { readonly descendants: Descendants; listeners: number }

/** The Descendants that streams are open about. */
export class DescendantsByMessage {
  readonly #shared = new Map<string, Shared>()

  /** Ids that are remembered for all of them together. */
  get size(): number {
    let size = 0
    for (const { descendants } of this.#shared.values()) size += descendants.size
    return size
  }

  /** What was acquired is released once. */
  acquire(spaceId: string, messageId: string): { readonly descendants: Descendants; readonly release: () => void } {
    const key = JSON.stringify([spaceId, messageId])
    const shared = this.#shared.get(key) ?? { descendants: new Descendants(messageId), listeners: 0 }
    shared.listeners++
    this.#shared.set(key, shared)
    const release = () => void (--shared.listeners === 0 && this.#shared.delete(key))
    return { descendants: shared.descendants, release }
  }
}
