// A Store whose I.A.P. part and open Spaces stop working at a chosen write, as if the process had died there.
import type { Store } from '../../service/ports.ts'

export class DyingStore {
  readonly store: Store
  /** Resolves when it has died. */
  readonly died: Promise<void>
  #writesLeft = Infinity
  #when: 'before' | 'after' = 'before'
  #isDead = false
  #onDeath: () => void = () => undefined

  constructor(store: Store) {
    this.died = new Promise((resolve) => (this.#onDeath = resolve))
    const { commit, published, delivered } = store.iap
    const { append } = store.openSpaces
    const iap = this.#mortal({ ...store.iap })
    const openSpaces = this.#mortal({ ...store.openSpaces })
    this.store = {
      ...store,
      iap: { ...iap, commit: this.#write(commit), published: this.#write(published), delivered: this.#write(delivered) },
      openSpaces: { ...openSpaces, append: this.#write(append) },
    }
  }

  /** Dies at the write of this number from now, before it has happened or just after. */
  dieAt(write: number, when: 'before' | 'after'): void {
    this.#writesLeft = write
    this.#when = when
  }

  #write<A extends unknown[], R>(act: (...args: A) => Promise<R>): (...args: A) => Promise<R> {
    return async (...args) => {
      this.#requireLife()
      const isLast = --this.#writesLeft <= 0
      if (isLast && this.#when === 'before') this.#die()
      const result = await act(...args)
      if (isLast) this.#die()
      return result
    }
  }

  #mortal<T extends object>(port: T): T {
    const members = Object.entries(port) as [string, (...args: unknown[]) => unknown][]
    return Object.fromEntries(members.map(([name, act]) => [name, async (...args: unknown[]) => (this.#requireLife(), act(...args))])) as T
  }

  #die(): never {
    this.#isDead = true
    this.#onDeath()
    throw new Error('the process died')
  }

  #requireLife(): void {
    if (this.#isDead) throw new Error('the process is dead')
  }
}
