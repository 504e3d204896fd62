'use client'

import { FileText } from 'lucide-react'
import type { JsonValue } from '../../protocol/strict-json.ts'
import { JsonTree } from '../artifacts/json-tree.tsx'
import { useSelection } from '../mission/use-selection.ts'
import type { MessageView } from '../trpc.tsx'
import { cutInMiddle } from '../ui/hash-format.ts'
import { PeerText } from '../ui/peer-text.tsx'
import { visibleText } from '../ui/visible-text.ts'

/** Text, artifact or data of a Message. */
export function Part({ part }: { readonly part: MessageView['parts'][number] }) {
  const { select } = useSelection()
  if (part.type === 'text') return <PeerText text={part.text} className="block" />
  if (part.type === 'artifact_ref') {
    return (
      <button type="button" onClick={() => select(part.artifactHash)} className="inline-flex items-center gap-1 font-mono text-12 text-action">
        <FileText aria-hidden className="size-3.5" />
        {cutInMiddle(part.artifactHash)}
      </button>
    )
  }
  return (
    <details>
      <summary className="text-12 text-action">Data: <bdi>{visibleText(part.schema)}</bdi></summary>
      <JsonTree value={part.data as JsonValue} />
    </details>
  )
}
