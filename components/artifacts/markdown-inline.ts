// Inline Markdown in one pass. Every search either consumes what it finds or is never repeated, so that a hostile text
// costs no more than its length.

export type Inline =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'code'; readonly text: string }
  | { readonly type: 'strong' | 'emphasis'; readonly children: readonly Inline[] }
  | { readonly type: 'link'; readonly href: string; readonly children: readonly Inline[] }

type Span = { readonly node: Inline; readonly end: number }

const MAX_NESTING = 6
const ALLOWED_SCHEMES = new Set(['http:', 'https:', 'mailto:'])

/** The absolute address of a link whose scheme is http, https or mailto; anything else is no link. */
export function safeHref(target: string): string | undefined {
  if (!URL.canParse(target)) return undefined
  const url = new URL(target)
  return ALLOWED_SCHEMES.has(url.protocol) ? url.href : undefined
}

/** Code spans, links, strong and emphasis of a text. An image becomes a link to what it would have loaded. */
export function parseInline(text: string, nesting = 0): readonly Inline[] {
  const nodes: Inline[] = []
  const search = searcher(text)
  let plainFrom = 0
  let at = 0
  while (at < text.length) {
    const span = nesting < MAX_NESTING ? spanAt(text, at, search, nesting) : undefined
    if (!span) {
      at++
      continue
    }
    if (at > plainFrom) nodes.push({ type: 'text', text: text.slice(plainFrom, at) })
    nodes.push(span.node)
    at = plainFrom = span.end
  }
  if (plainFrom < text.length) nodes.push({ type: 'text', text: text.slice(plainFrom) })
  return nodes
}

function spanAt(text: string, at: number, search: Search, nesting: number): Span | undefined {
  const mark = text[at]
  if (mark === '`') return codeAt(text, at, search)
  if (mark === '[' || (mark === '!' && text[at + 1] === '[')) return linkAt(text, at, search, nesting)
  if (mark !== '*' && mark !== '_') return undefined
  if (text[at - 1] === mark) return undefined
  return emphasisAt(text, at, search, nesting)
}

function codeAt(text: string, at: number, search: Search): Span | undefined {
  if (text[at - 1] === '`') return undefined
  const fence = '`'.repeat(runLength(text, at))
  const close = search(fence, at + fence.length)
  if (close === -1 || close === at + fence.length) return undefined
  return { node: { type: 'code', text: text.slice(at + fence.length, close) }, end: close + fence.length }
}

function linkAt(text: string, at: number, search: Search, nesting: number): Span | undefined {
  const open = text[at] === '!' ? at + 1 : at
  const close = search('](', open + 1)
  if (close === -1) return undefined
  const label = text.slice(open + 1, close)
  if (label.includes('[')) return undefined
  const end = search(')', close + 2)
  if (end === -1) return undefined
  const target = text.slice(close + 2, end).trim().split(/\s/, 1)[0] ?? ''
  const href = safeHref(target)
  if (href === undefined) return { node: { type: 'text', text: text.slice(at, end + 1) }, end: end + 1 }
  return { node: { type: 'link', href, children: parseInline(label || target, nesting + 1) }, end: end + 1 }
}

function emphasisAt(text: string, at: number, search: Search, nesting: number): Span | undefined {
  const mark = text[at]!
  const length = Math.min(2, runLength(text, at))
  const from = at + length
  if (isSpace(text[from]) || (mark === '_' && isWord(text[at - 1]))) return undefined
  let close = search(mark.repeat(length), from)
  // A pair inside single marks belongs to a strong span within.
  while (length === 1 && close !== -1 && text[close + 1] === mark) close = search(mark, close + runLength(text, close))
  if (close <= from || isSpace(text[close - 1]) || (mark === '_' && isWord(text[close + length]))) return undefined
  const children = parseInline(text.slice(from, close), nesting + 1)
  return { node: { type: length === 2 ? 'strong' : 'emphasis', children }, end: close + length }
}

/** Position of a mark from a point on, or -1. Remembers its last answer per mark, so that scanning stays linear. */
type Search = (mark: string, from: number) => number

function searcher(text: string): Search {
  const answers = new Map<string, { readonly from: number; readonly found: number }>()
  return (mark, from) => {
    const known = answers.get(mark)
    if (known && known.from <= from && (known.found === -1 || known.found >= from)) return known.found
    const found = text.indexOf(mark, from)
    answers.set(mark, { from, found })
    return found
  }
}

function runLength(text: string, at: number): number {
  let end = at
  while (text[end] === text[at]) end++
  return end - at
}

const isSpace = (character: string | undefined): boolean => character === undefined || /\s/.test(character)

const isWord = (character: string | undefined): boolean => character !== undefined && /[\p{L}\p{N}]/u.test(character)
