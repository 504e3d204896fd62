'use client'

import { useState } from 'react'
import { isJsonObject, type JsonValue } from '../../protocol/strict-json.ts'
import { visibleText } from '../ui/visible-text.ts'

const OPEN_TO_DEPTH = 2
const PAGE = 100

/** A JSON value as a tree that one can fold. Long containers are shown in parts, and how much is hidden is said. */
export function JsonTree({ value, depth = 0 }: { readonly value: JsonValue; readonly depth?: number }) {
  if (Array.isArray(value)) return <Container entries={value.map((item, index) => [String(index), item])} brackets="[]" depth={depth} />
  if (isJsonObject(value)) return <Container entries={Object.entries(value)} brackets="{}" depth={depth} />
  return <Scalar value={value} />
}

function Scalar({ value }: { readonly value: string | number | boolean | null }) {
  if (typeof value !== 'string') return <span className="font-mono text-12 text-action">{String(value)}</span>
  return <bdi className="peer-text font-mono text-12">“{visibleText(value)}”</bdi>
}

type Entry = readonly [name: string, value: JsonValue]

function Container({ entries, brackets, depth }: { readonly entries: readonly Entry[]; readonly brackets: '[]' | '{}'; readonly depth: number }) {
  const [shown, setShown] = useState(PAGE)
  if (entries.length === 0) return <span className="font-mono text-12 text-muted">{brackets}</span>
  const rest = entries.length - shown
  return (
    <details open={depth < OPEN_TO_DEPTH} className="min-w-0">
      <summary className="font-mono text-12 text-muted">
        {brackets[0]} {entries.length} {brackets[1]}
      </summary>
      <ul className="ml-2 border-l pl-3">
        {entries.slice(0, shown).map(([name, item]) => (
          <li key={name} className="flex min-w-0 items-baseline gap-2 py-0.5">
            <bdi className="shrink-0 font-mono text-12 text-muted">{visibleText(name)}</bdi>
            <div className="min-w-0"><JsonTree value={item} depth={depth + 1} /></div>
          </li>
        ))}
      </ul>
      {rest > 0 && (
        <button type="button" onClick={() => setShown(shown + PAGE * 10)} className="ml-5 text-12 text-action">
          Showing {shown} of {entries.length}. Show more
        </button>
      )}
    </details>
  )
}
