export const MARK_SHAPES = ['circle', 'square', 'hexagon', 'octagon', 'diamond', 'shield'] as const
export type MarkShape = (typeof MARK_SHAPES)[number]

export interface Mark {
  readonly shape: MarkShape
  readonly initials: string
  readonly isFilled: boolean
}

// No I, O or Q: they are mistaken for 1 and 0 at 20 px.
const LETTERS = 'ABCDEFGHJKLMNPRSTUVWXYZ'

/** The same mark for the same id, always: shape, two letters and filling from a 32-bit FNV-1a hash of the id. */
export function markOf(id: string): Mark {
  let hash = 0x811c9dc5
  for (let at = 0; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193)
  // FNV leaves the low bits of similar ids alike, so the upper half is folded in before anything is taken from them.
  hash = (hash ^ (hash >>> 15)) >>> 0
  const take = (choices: number): number => {
    const choice = hash % choices
    hash = Math.floor(hash / choices)
    return choice
  }
  const isFilled = take(2) === 1
  const shape = MARK_SHAPES[take(MARK_SHAPES.length)]!
  return { shape, isFilled, initials: LETTERS[take(LETTERS.length)]! + LETTERS[take(LETTERS.length)]! }
}
