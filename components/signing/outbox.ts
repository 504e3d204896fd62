// Signed Commands that the authority has not yet answered. The bytes are kept before they are sent: Ed25519 signatures
// may differ from one signing to the next, and only the same bytes are the same Command.

export interface OutboxEntry {
  readonly actionId: string
  readonly principalId: string
  readonly kind: string
  readonly signedAt: string
  /** The exact signed Command; canonical JSON survives the way through text unchanged. */
  readonly text: string
}

export interface Outbox {
  /** False when the browser would not keep it, in which case nothing may be sent. */
  keep(entry: OutboxEntry): boolean
  /** The authority has answered for good. */
  settle(actionId: string): void
  /** Oldest first. */
  list(principalId: string): readonly OutboxEntry[]
}

const PREFIX = 'countersign.outbox.'

export type OutboxStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>

/** One storage entry per Command, so that two tabs never overwrite each other. */
export function createOutbox(storage: OutboxStorage): Outbox {
  return {
    keep: (entry) => {
      try {
        storage.setItem(PREFIX + entry.actionId, JSON.stringify(entry))
        return true
      } catch {
        return false
      }
    },
    settle: (actionId) => storage.removeItem(PREFIX + actionId),
    list: (principalId) =>
      Array.from({ length: storage.length }, (_, at) => storage.key(at))
        .filter((key) => key !== null && key.startsWith(PREFIX))
        .map((key) => readEntry(storage.getItem(key!)))
        .filter((entry) => entry?.principalId === principalId)
        .map((entry) => entry!)
        .sort((a, b) => a.signedAt.localeCompare(b.signedAt)),
  }
}

function readEntry(text: string | null): OutboxEntry | undefined {
  try {
    const entry: unknown = JSON.parse(text ?? 'null')
    return isEntry(entry) ? entry : undefined
  } catch {
    return undefined
  }
}

function isEntry(value: unknown): value is OutboxEntry {
  if (typeof value !== 'object' || value === null) return false
  const entry = value as Record<string, unknown>
  return ['actionId', 'principalId', 'kind', 'signedAt', 'text'].every((member) => typeof entry[member] === 'string')
}
