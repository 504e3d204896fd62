// A Map that holds no more than the keys used last.
export class RecentMap<K, V> {
  readonly #maximum: number
  readonly #entries = new Map<K, V>()
  /** Never begun anew: a Map keeps the places of what was deleted for a while, and a new iterator walks over all of them. */
  readonly #oldestFirst = this.#entries.keys()

  /** At least 1. */
  constructor(maximum: number) {
    this.#maximum = maximum
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key)
    if (value === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, value)
    return value
  }

  set(key: K, value: V): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    // Whatever the iterator has passed is gone, for good or to the end; so the next one is the oldest.
    if (this.#entries.size > this.#maximum) this.#entries.delete(this.#oldestFirst.next().value!)
  }

  delete(key: K): void {
    this.#entries.delete(key)
  }

  clear(): void {
    this.#entries.clear()
  }
}
