import { open, readFile, rename } from 'node:fs/promises'

/** How far an Agent has processed each Group, kept across restarts: the highest contiguous sequence. */
export interface CursorStore {
  load(groupId: string): Promise<number | undefined>
  save(groupId: string, sequence: number): Promise<void>
}

/** For Agents that rebuild their state from the beginning each time. */
export class MemoryCursorStore implements CursorStore {
  readonly #cursors = new Map<string, number>()

  async load(groupId: string): Promise<number | undefined> {
    return this.#cursors.get(groupId)
  }

  async save(groupId: string, sequence: number): Promise<void> {
    this.#cursors.set(groupId, sequence)
  }
}

/**
 * One JSON file, replaced as a whole: a crash leaves the old cursors or the new ones, never half a file. Throws when
 * the file exists and is no object of numbers.
 */
export class FileCursorStore implements CursorStore {
  readonly #path: string
  #cursors: Promise<Map<string, number>> | undefined
  #written: Promise<void> = Promise.resolve()
  #isWriteDue = false

  constructor(path: string) {
    this.#path = path
  }

  async load(groupId: string): Promise<number | undefined> {
    return (await this.#read()).get(groupId)
  }

  /** Resolves when this position, or a later one, is on disk. Saves that come while one is being written share the next. */
  async save(groupId: string, sequence: number): Promise<void> {
    const cursors = await this.#read()
    cursors.set(groupId, sequence)
    if (!this.#isWriteDue) {
      this.#isWriteDue = true
      this.#written = this.#written.catch(() => undefined).then(() => this.#write(cursors))
    }
    await this.#written
  }

  #read(): Promise<Map<string, number>> {
    this.#cursors ??= readFile(this.#path, 'utf8').then(parseCursors, (fault: NodeJS.ErrnoException) => {
      if (fault.code === 'ENOENT') return new Map()
      throw fault
    })
    return this.#cursors
  }

  async #write(cursors: ReadonlyMap<string, number>): Promise<void> {
    this.#isWriteDue = false
    const temporary = `${this.#path}.tmp`
    const file = await open(temporary, 'w', 0o600)
    try {
      await file.writeFile(JSON.stringify(Object.fromEntries(cursors)))
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, this.#path)
  }
}

function parseCursors(text: string): Map<string, number> {
  const entries = Object.entries(JSON.parse(text) as Record<string, unknown>)
  return new Map(
    entries.map(([groupId, sequence]) => {
      if (!Number.isSafeInteger(sequence)) throw new TypeError('the cursor file is damaged')
      return [groupId, sequence as number]
    }),
  )
}
