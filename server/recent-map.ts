// A Map that holds no more than the keys used last.

interface Entry<K, V> {
  readonly key: K
  value: V
  older: Entry<K, V> | undefined
  newer: Entry<K, V> | undefined
}

/**
 * Its order is a list of its own. The order of a Map would do, but a new iterator walks over the places of what was deleted before,
 * and one that is kept holds every table that the Map has had since.
 */
export class RecentMap<K, V> {
  readonly #maximum: number
  readonly #entries = new Map<K, Entry<K, V>>()
  #oldest: Entry<K, V> | undefined
  #newest: Entry<K, V> | undefined

  /** At least 1. */
  constructor(maximum: number) {
    this.#maximum = maximum
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    this.#renew(entry)
    return entry.value
  }

  set(key: K, value: V): void {
    const known = this.#entries.get(key)
    if (known) {
      known.value = value
      return this.#renew(known)
    }
    const entry = { key, value, older: undefined, newer: undefined }
    this.#entries.set(key, entry)
    this.#append(entry)
    if (this.#entries.size > this.#maximum) this.delete(this.#oldest!.key)
  }

  delete(key: K): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#remove(entry)
  }

  clear(): void {
    this.#entries.clear()
    this.#oldest = undefined
    this.#newest = undefined
  }

  #renew(entry: Entry<K, V>): void {
    if (entry === this.#newest) return
    this.#remove(entry)
    this.#append(entry)
  }

  #append(entry: Entry<K, V>): void {
    entry.older = this.#newest
    entry.newer = undefined
    if (this.#newest) this.#newest.newer = entry
    else this.#oldest = entry
    this.#newest = entry
  }

  #remove({ older, newer }: Entry<K, V>): void {
    if (older) older.newer = newer
    else this.#oldest = newer
    if (newer) newer.older = older
    else this.#newest = older
  }
}
