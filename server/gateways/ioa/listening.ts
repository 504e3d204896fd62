// What a stream tells of the Messages that pass: all of a Space, one Message's descendants, a branch, or what concerns a Node.
import type { SpaceMessage } from '../../service/open-spaces/types.ts'
import type { Cursor } from './cursor.ts'
import type { Descendants } from './descendants.ts'
import type { Space } from './space.ts'

export interface PassingMessage { readonly position: number; readonly message: SpaceMessage }

export interface Listening {
  /** As which event to tell of the Message, if at all. Asked of every Message, in order. */
  choose(passing: PassingMessage): Promise<'message' | 'fork' | undefined>
  /** Where the stream stands after what was chosen last. */
  cursorAt(position: number): Cursor
}

/** Everything of a Space, or of what concerns a Node. */
export const toAll = (kind: 'space' | 'node', id: string): Listening => ({
  choose: async () => 'message',
  cursorAt: (position) => ({ kind, id, position }),
})

/** A Message and what descends from it. */
export const toDescendants = (spaceId: string, descendants: Descendants): Listening => ({
  choose: async ({ message }) => (descendants.include(message) ? 'message' : undefined),
  cursorAt: (position) => ({ kind: 'space', id: spaceId, position }),
})

/**
 * A branch from its head on. What references the head is told and becomes the head; what references one of so many ancestors of
 * the head, by first parents, is told as a fork; all else is not told.
 */
export class Branch implements Listening {
  readonly #space: Space
  readonly #depth: number
  readonly #toldAfter: number
  #head: string
  /** Ancestors of the head by first parents, nearest first, as far as they passed by. */
  #ancestors: readonly string[] = []

  /** Nothing up to `toldAfter` is told, though it moves the head. */
  constructor(space: Space, { head, depth, toldAfter }: { readonly head: string; readonly depth: number; readonly toldAfter: number }) {
    this.#space = space
    this.#head = head
    this.#depth = depth
    this.#toldAfter = toldAfter
  }

  async choose({ position, message }: PassingMessage): Promise<'message' | 'fork' | undefined> {
    const isTold = position > this.#toldAfter
    if (message.messages.includes(this.#head)) {
      this.#extend(message)
      return isTold ? 'message' : undefined
    }
    return isTold && (await this.#isFork(message)) ? 'fork' : undefined
  }

  cursorAt(position: number): Cursor {
    return { kind: 'branch', id: this.#space.spaceId, position, head: this.#head }
  }

  #extend(message: SpaceMessage): void {
    const [parent] = message.messages
    this.#ancestors = (parent === this.#head ? [parent, ...this.#ancestors] : [parent!]).slice(0, this.#depth)
    this.#head = message.messageId
  }

  async #isFork({ messages }: SpaceMessage): Promise<boolean> {
    const parents = new Set(messages)
    if (this.#ancestors.some((ancestor) => parents.has(ancestor))) return true
    if (this.#ancestors.length >= this.#depth) return false
    for (const parent of parents) if (await this.#space.isWithin(this.#head, parent, this.#depth)) return true
    return false
  }
}
