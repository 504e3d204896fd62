// The part of Markdown that reports are written in, as a tree of plain values. There is no node for raw HTML: what
// looks like a tag stays text, and so does a link with a scheme that is not on the list.
import type { Inline } from './markdown-inline.ts'
import { parseInline } from './markdown-inline.ts'

export type Block =
  | { readonly type: 'heading'; readonly level: number; readonly children: readonly Inline[] }
  | { readonly type: 'paragraph'; readonly children: readonly Inline[] }
  | { readonly type: 'code'; readonly language: string; readonly text: string }
  | { readonly type: 'quote'; readonly children: readonly Block[] }
  | { readonly type: 'list'; readonly isOrdered: boolean; readonly start: number; readonly items: readonly (readonly Block[])[] }
  | { readonly type: 'table'; readonly header: readonly (readonly Inline[])[]; readonly rows: readonly (readonly (readonly Inline[])[])[] }
  | { readonly type: 'rule' }

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([^`]*)$/
const HEADING = /^ {0,3}(#{1,6})\s(.*)$/
const RULE = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/
const QUOTE = /^ {0,3}>\s?/
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])\s+(.*)$/
const TABLE_RULE = /^[\s|:-]+$/
const MAX_NESTING = 8

/** Blocks of a Markdown text. Never throws; what it does not know is a paragraph. */
export function parseMarkdown(text: string): readonly Block[] {
  return parseBlocks(text.replaceAll('\r\n', '\n').split('\n'), 0)
}

function parseBlocks(lines: readonly string[], nesting: number): Block[] {
  const blocks: Block[] = []
  let at = 0
  while (at < lines.length) {
    if (lines[at]!.trim() === '') {
      at++
      continue
    }
    const taken = takeBlock(lines, at, nesting)
    blocks.push(taken.block)
    at = taken.next
  }
  return blocks
}

type Taken = { readonly block: Block; readonly next: number }

function takeBlock(lines: readonly string[], at: number, nesting: number): Taken {
  const line = lines[at]!
  const fence = FENCE.exec(line)
  if (fence) return takeFence(lines, at, fence)
  const heading = HEADING.exec(line)
  if (heading) return { block: { type: 'heading', level: heading[1]!.length, children: parseInline(withoutClosingMarks(heading[2]!)) }, next: at + 1 }
  if (RULE.test(line)) return { block: { type: 'rule' }, next: at + 1 }
  if (nesting < MAX_NESTING && QUOTE.test(line)) {
    const end = runEnd(lines, at, (next) => QUOTE.test(next))
    const inner = lines.slice(at, end).map((quoted) => quoted.replace(QUOTE, ''))
    return { block: { type: 'quote', children: parseBlocks(inner, nesting + 1) }, next: end }
  }
  if (nesting < MAX_NESTING && ITEM.test(line)) return takeList(lines, at, nesting)
  if (line.includes('|') && isTableRule(lines[at + 1] ?? '')) return takeTable(lines, at)
  const end = Math.max(at + 1, runEnd(lines, at, (next, index) => next.trim() !== '' && (index === at || !startsBlock(next))))
  return { block: { type: 'paragraph', children: parseInline(lines.slice(at, end).map((next) => next.trim()).join('\n')) }, next: end }
}

function takeFence(lines: readonly string[], at: number, fence: RegExpExecArray): Taken {
  const mark = fence[1]!
  const closing = new RegExp(`^ {0,3}${mark[0]}{${mark.length},}\\s*$`)
  const end = runEnd(lines, at + 1, (line) => !closing.test(line))
  return { block: { type: 'code', language: fence[2]!.trim(), text: lines.slice(at + 1, end).join('\n') }, next: end + 1 }
}

function takeList(lines: readonly string[], at: number, nesting: number): Taken {
  const marker = ITEM.exec(lines[at]!)![2]!
  const isOrdered = /\d/.test(marker)
  const items: Block[][] = []
  let next = at
  while (next < lines.length) {
    const item = ITEM.exec(lines[next]!)
    if (!item || /\d/.test(item[2]!) !== isOrdered) break
    const indent = item[0].length - item[3]!.length
    const end = runEnd(lines, next + 1, (line, index) => line.trim() === '' ? indentOf(lines[index + 1] ?? '') >= indent : indentOf(line) >= indent)
    const inner = [item[3]!, ...lines.slice(next + 1, end).map((line) => line.slice(Math.min(indent, indentOf(line))))]
    items.push(parseBlocks(inner, nesting + 1))
    next = end
  }
  return { block: { type: 'list', isOrdered, start: isOrdered ? Number.parseInt(marker, 10) : 1, items }, next }
}

function takeTable(lines: readonly string[], at: number): Taken {
  const cells = (line: string) => line.trim().replace(/^\||\|$/g, '').split(/(?<!\\)\|/).map((cell) => parseInline(cell.trim().replaceAll('\\|', '|')))
  const end = runEnd(lines, at + 2, (line) => line.includes('|') && line.trim() !== '')
  return { block: { type: 'table', header: cells(lines[at]!), rows: lines.slice(at + 2, end).map(cells) }, next: end }
}

/** `## Title ##` closes with marks that are not part of the title. */
function withoutClosingMarks(title: string): string {
  const trimmed = title.trim()
  let end = trimmed.length
  while (trimmed[end - 1] === '#') end--
  return end === 0 || trimmed[end - 1] === ' ' ? trimmed.slice(0, end).trim() : trimmed
}

const isTableRule = (line: string): boolean => TABLE_RULE.test(line) && line.includes('-') && line.includes('|')

const startsBlock = (line: string): boolean => [FENCE, HEADING, RULE, QUOTE, ITEM].some((pattern) => pattern.test(line))

const indentOf = (line: string): number => line.length - line.trimStart().length

function runEnd(lines: readonly string[], from: number, continues: (line: string, index: number) => boolean): number {
  let end = from
  while (end < lines.length && continues(lines[end]!, end)) end++
  return end
}
