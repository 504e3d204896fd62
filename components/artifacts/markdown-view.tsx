import { createElement, type ReactNode } from 'react'
import { visibleText } from '../ui/visible-text.ts'
import type { Block } from './markdown.ts'
import { parseMarkdown } from './markdown.ts'
import type { Inline } from './markdown-inline.ts'

/** A Markdown text as elements of our own. Links open elsewhere, name where they lead, and pass nothing on. */
export function MarkdownView({ text }: { readonly text: string }) {
  return <div className="grid max-w-measure gap-3 break-words [unicode-bidi:isolate]">{parseMarkdown(text).map(blockElement)}</div>
}

function blockElement(block: Block, key: number): ReactNode {
  switch (block.type) {
    case 'heading':
      // The page has its own headings above; a document's begin two levels below.
      return createElement(`h${Math.min(6, block.level + 2)}`, { key, className: block.level <= 2 ? 'text-16 font-semibold' : 'font-semibold' }, inlines(block.children))
    case 'paragraph':
      return <p key={key}>{inlines(block.children)}</p>
    case 'code':
      return <pre key={key} tabIndex={0} className="overflow-x-auto rounded-md bg-sunk p-3 font-mono text-12">{visibleText(block.text)}</pre>
    case 'quote':
      return <blockquote key={key} className="grid gap-2 border-l-2 pl-3 text-muted">{block.children.map(blockElement)}</blockquote>
    case 'list':
      return createElement(
        block.isOrdered ? 'ol' : 'ul',
        { key, className: block.isOrdered ? 'grid list-decimal gap-1 pl-6' : 'grid list-disc gap-1 pl-6', ...(block.isOrdered && { start: block.start }) },
        block.items.map((item, index) => <li key={index}><div className="grid gap-1">{item.map(blockElement)}</div></li>),
      )
    case 'table':
      return <Table key={key} block={block} />
    case 'rule':
      return <hr key={key} />
  }
}

function Table({ block }: { readonly block: Extract<Block, { type: 'table' }> }) {
  return (
    <div tabIndex={0} className="overflow-x-auto">
      <table className="text-13">
        <thead><tr>{block.header.map((cell, at) => <th key={at} className="border-b px-2 py-1 text-left font-semibold">{inlines(cell)}</th>)}</tr></thead>
        <tbody>
          {block.rows.map((row, line) => <tr key={line}>{row.map((cell, at) => <td key={at} className="border-b px-2 py-1 align-top">{inlines(cell)}</td>)}</tr>)}
        </tbody>
      </table>
    </div>
  )
}

const inlines = (nodes: readonly Inline[]): ReactNode => nodes.map(inlineElement)

function inlineElement(node: Inline, key: number): ReactNode {
  switch (node.type) {
    case 'text':
      return visibleText(node.text)
    case 'code':
      return <code key={key} className="rounded-sm bg-sunk px-1 font-mono text-12">{visibleText(node.text)}</code>
    case 'strong':
      return <strong key={key}>{inlines(node.children)}</strong>
    case 'emphasis':
      return <em key={key}>{inlines(node.children)}</em>
    case 'link':
      return (
        <span key={key}>
          <a href={node.href} target="_blank" rel="noopener noreferrer nofollow" className="text-action underline underline-offset-2">{inlines(node.children)}</a>
          <span className="text-12 text-muted"> ({hostOf(node.href)})</span>
        </span>
      )
  }
}

const hostOf = (href: string): string => new URL(href).host || new URL(href).protocol
