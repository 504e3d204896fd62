// Line differences by Myers' greedy algorithm. Always a true account of both texts; when they differ too much to look
// for the shortest one, the differing middle is shown as removed and added whole.

export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added'
  readonly text: string
  /** Line numbers from 1; absent on the side where the line does not exist. */
  readonly before?: number
  readonly after?: number
}

export type DiffPart = { readonly type: 'lines'; readonly lines: readonly DiffLine[] } | { readonly type: 'skipped'; readonly lines: number }

/** Edits up to which the shortest account is looked for; time and memory grow with its square. */
const MAX_EDITS = 800

const LONE_LINE_FEED = /(?<!\r)\n/

/** All lines of both texts in order, each marked as kept, removed or added. Where every line of both ends in CR LF, that is no part of the lines. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const lineEnd = [before, after].some((text) => LONE_LINE_FEED.test(text)) ? '\n' : '\r\n'
  const [a, b] = [before.split(lineEnd), after.split(lineEnd)]
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let tail = 0
  while (tail < a.length - start && tail < b.length - start && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++
  const middle = editScript(a.slice(start, a.length - tail), b.slice(start, b.length - tail))
  return numbered([
    ...a.slice(0, start).map((text) => ({ kind: 'same', text }) as const),
    ...middle,
    ...a.slice(a.length - tail).map((text) => ({ kind: 'same', text }) as const),
  ])
}

/** The changed lines with some context; what is left out is counted. */
export function diffParts(lines: readonly DiffLine[], context = 3): readonly DiffPart[] {
  const isNear = new Uint8Array(lines.length)
  lines.forEach((line, index) => {
    if (line.kind !== 'same') isNear.fill(1, Math.max(0, index - context), index + context + 1)
  })
  const parts: DiffPart[] = []
  let from = 0
  while (from < lines.length) {
    let to = from + 1
    while (to < lines.length && isNear[to] === isNear[from]) to++
    parts.push(isNear[from] === 1 ? { type: 'lines', lines: lines.slice(from, to) } : { type: 'skipped', lines: to - from })
    from = to
  }
  return parts
}

type Edit = Pick<DiffLine, 'kind' | 'text'>

function editScript(a: readonly string[], b: readonly string[]): Edit[] {
  const removed = a.map((text) => ({ kind: 'removed', text }) as const)
  const added = b.map((text) => ({ kind: 'added', text }) as const)
  if (a.length === 0 || b.length === 0) return [...removed, ...added]
  const trace = shortestEdits(a, b)
  return trace ? backtrack(a, b, trace) : [...removed, ...added]
}

/** Furthest points per diagonal before each round of edits, or undefined when MAX_EDITS do not suffice. */
function shortestEdits(a: readonly string[], b: readonly string[]): Int32Array[] | undefined {
  const limit = Math.min(a.length + b.length, MAX_EDITS)
  const offset = limit + 1
  const furthest = new Int32Array(2 * limit + 3)
  const trace: Int32Array[] = []
  for (let edits = 0; edits <= limit; edits++) {
    // Round d only reads diagonals -d … d, so no more than those are kept.
    trace.push(furthest.slice(offset - edits - 1, offset + edits + 2))
    for (let k = -edits; k <= edits; k += 2) {
      const isDown = k === -edits || (k !== edits && furthest[offset + k - 1]! < furthest[offset + k + 1]!)
      let x = isDown ? furthest[offset + k + 1]! : furthest[offset + k - 1]! + 1
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++
      furthest[offset + k] = x
      if (x >= a.length && x - k >= b.length) return trace
    }
  }
  return undefined
}

function backtrack(a: readonly string[], b: readonly string[], trace: readonly Int32Array[]): Edit[] {
  const script: Edit[] = []
  let [x, y] = [a.length, b.length]
  for (let edits = trace.length - 1; edits >= 0; edits--) {
    const at = (k: number) => trace[edits]![k + edits + 1]!
    const k = x - y
    const isDown = k === -edits || (k !== edits && at(k - 1) < at(k + 1))
    const fromX = edits === 0 ? 0 : at(isDown ? k + 1 : k - 1)
    const fromY = edits === 0 ? 0 : fromX - (isDown ? k + 1 : k - 1)
    while (x > fromX && y > fromY) {
      script.push({ kind: 'same', text: a[x - 1]! })
      x--
      y--
    }
    if (edits === 0) break
    if (isDown) script.push({ kind: 'added', text: b[--y]! })
    else script.push({ kind: 'removed', text: a[--x]! })
  }
  return script.reverse()
}

function numbered(edits: readonly Edit[]): DiffLine[] {
  let [before, after] = [0, 0]
  return edits.map((edit) => ({
    ...edit,
    ...(edit.kind === 'added' ? {} : { before: ++before }),
    ...(edit.kind === 'removed' ? {} : { after: ++after }),
  }))
}
