/** Counts connections that have not authenticated yet, per remote address and in total. */
export class AddressQuota {
  readonly #perAddress: number
  readonly #total: number
  readonly #held = new Map<string, number>()
  #count = 0

  constructor(perAddress: number, total: number) {
    this.#perAddress = perAddress
    this.#total = total
  }

  get count(): number {
    return this.#count
  }

  /** A function that gives the place back (once, however often it is called), or undefined when there is none left. */
  take(address: string): (() => void) | undefined {
    const held = this.#held.get(address) ?? 0
    if (held >= this.#perAddress || this.#count >= this.#total) return undefined
    this.#held.set(address, held + 1)
    this.#count++
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      this.#giveBack(address)
    }
  }

  #giveBack(address: string): void {
    this.#count--
    const left = (this.#held.get(address) ?? 0) - 1
    if (left > 0) this.#held.set(address, left)
    else this.#held.delete(address)
  }
}
