'use client'

import { useState } from 'react'
import { isJsonObject, type JsonObject, type JsonValue } from '../../protocol/strict-json.ts'
import { JsonTree } from '../artifacts/json-tree.tsx'
import { visibleText } from '../ui/visible-text.ts'
import { LongText } from './long-text.tsx'

const SHOWN = 12

/** Content that follows no convention: member by member, what is small and nested likewise, all else as a tree that one can unfold. */
export function Members({ content, depth = 0 }: { readonly content: JsonObject; readonly depth?: number }) {
  const [isWhole, setWhole] = useState(false)
  const members = Object.entries(content)
  if (members.length === 0) return <p className="text-muted italic">Says nothing.</p>
  return (
    <>
      <dl className="grid grid-cols-[minmax(4rem,max-content)_minmax(0,1fr)] gap-x-3 gap-y-1 text-13">
        {members.slice(0, isWhole ? undefined : SHOWN).map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="max-w-40 break-words text-muted"><bdi>{visibleText(name)}</bdi></dt>
            <dd className="min-w-0 break-words"><Value value={value} depth={depth} /></dd>
          </div>
        ))}
      </dl>
      {!isWhole && members.length > SHOWN && <button type="button" onClick={() => setWhole(true)} className="text-12 text-action">Showing {SHOWN} of {members.length}. Show all</button>}
    </>
  )
}

const MAX_DEPTH = 2

function Value({ value, depth }: { readonly value: JsonValue; readonly depth: number }) {
  if (typeof value === 'string') return <LongText text={value} form="plain" />
  if (value === null) return <span className="text-muted">none</span>
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') return String(value)
  if (Array.isArray(value) && value.length <= SHOWN && !value.some((item) => Array.isArray(item) || isJsonObject(item))) return <bdi>{value.map((item) => visibleText(String(item))).join(', ') || 'nothing'}</bdi>
  if (isJsonObject(value) && depth < MAX_DEPTH && Object.keys(value).length <= SHOWN) return <Members content={value} depth={depth + 1} />
  return <JsonTree value={value} depth={2} />
}
