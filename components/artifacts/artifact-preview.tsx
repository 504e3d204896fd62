'use client'

import { useMemo, useState } from 'react'
import type { JsonValue } from '../../protocol/strict-json.ts'
import { JsonTree } from './json-tree.tsx'
import { MarkdownView } from './markdown-view.tsx'
import type { Preview } from './preview-kind.ts'
import { DelimitedView, TextView } from './text-view.tsx'

/** Content as its kind deserves, or as the source that was signed; the reader chooses. */
export function ArtifactPreview({ preview }: { readonly preview: Preview }) {
  const [isSource, setSource] = useState(false)
  if (preview.kind === 'none') return <p className="text-13 text-muted">No preview: {preview.reason}. Download it to look at it.</p>
  if (preview.kind === 'text') return <TextView text={preview.text} />
  return (
    <div className="grid gap-2">
      <button type="button" aria-pressed={isSource} onClick={() => setSource(!isSource)} className="justify-self-start text-13 text-action underline-offset-2 hover:underline">
        {isSource ? 'Show it formatted' : 'Show the source'}
      </button>
      {isSource ? <TextView text={preview.text} /> : <Formatted kind={preview.kind} text={preview.text} />}
    </div>
  )
}

function Formatted({ kind, text }: { readonly kind: 'json' | 'csv' | 'tsv' | 'markdown'; readonly text: string }) {
  const value = useMemo(() => (kind === 'json' ? (JSON.parse(text) as JsonValue) : undefined), [kind, text])
  if (value !== undefined) return <div className="overflow-x-auto rounded-md border p-3"><JsonTree value={value} /></div>
  if (kind === 'markdown') return <div className="rounded-md border p-4"><MarkdownView text={text} /></div>
  return <DelimitedView text={text} separator={kind === 'tsv' ? '\t' : ','} />
}
