// Where a stream stands: the `id:` of its events, good for resuming this stream and no other.

/**
 * `space`: position is a sequence of its log. `node`: a position in the order of commit. `branch`: a sequence, with the head that
 * the branch had then.
 */
export interface Cursor {
  readonly kind: 'space' | 'node' | 'branch'
  /** The Space or the Node. */
  readonly id: string
  readonly position: number
  readonly head?: string
}

export function encodeCursor({ kind, id, position, head }: Cursor): string {
  return [kind, encodeURIComponent(id), position, ...(head === undefined ? [] : [encodeURIComponent(head)])].join('/')
}

const pattern = /^(space|node|branch)\/([^/]+)\/(\d{1,15})(?:\/([^/]+))?$/

/** Undefined for what this door never sent. */
export function parseCursor(text: string): Cursor | undefined {
  const [, kind, id, position, head] = pattern.exec(text) ?? []
  if (kind === undefined || (kind === 'branch') !== (head !== undefined)) return undefined
  try {
    return { kind: kind as Cursor['kind'], id: decodeURIComponent(id!), position: Number(position), ...(head !== undefined && { head: decodeURIComponent(head) }) }
  } catch {
    return undefined
  }
}
