// Numbers of which the largest comes first, each once.
export class MaxHeap {
  readonly #items: number[] = []
  readonly #held = new Set<number>()

  get size(): number {
    return this.#items.length
  }

  get largest(): number | undefined {
    return this.#items[0]
  }

  /** The largest, and others that are likely to follow soon. */
  first(count: number): readonly number[] {
    return this.#items.slice(0, count)
  }

  push(item: number): void {
    if (this.#held.has(item)) return
    this.#held.add(item)
    const items = this.#items
    let at = items.push(item) - 1
    for (let above = (at - 1) >> 1; at > 0 && items[above]! < item; above = (at - 1) >> 1) {
      items[at] = items[above]!
      at = above
    }
    items[at] = item
  }

  pop(): number | undefined {
    const items = this.#items
    const top = items[0]
    const last = items.pop()
    if (top === undefined || last === undefined) return undefined
    this.#held.delete(top)
    if (items.length > 0) this.#sink(last)
    return top
  }

  #sink(item: number): void {
    const items = this.#items
    let at = 0
    for (;;) {
      let below = 2 * at + 1
      if (below + 1 < items.length && items[below + 1]! > items[below]!) below++
      if (below >= items.length || items[below]! <= item) break
      items[at] = items[below]!
      at = below
    }
    items[at] = item
  }
}
