'use client'

import { useMemo } from 'react'
import { useQuery } from '@tanstack/react-query'
import { sha256Hash } from '../../protocol/digest.ts'
import { decodeText } from '../artifacts/preview-kind.ts'
import { counted } from '../mission/counted.ts'
import { artifactPath } from '../mission/mission-paths.ts'
import { classNames } from '../ui/class-names.ts'
import { Skeleton } from '../ui/skeleton.tsx'
import { visibleText } from '../ui/visible-text.ts'
import type { DiffLine } from './text-diff.ts'
import { diffLines, diffParts } from './text-diff.ts'

const SIGNS: Readonly<Record<DiffLine['kind'], string>> = { same: ' ', removed: '−', added: '+' }
const SPOKEN: Readonly<Record<DiffLine['kind'], string>> = { same: '', removed: 'removed: ', added: 'added: ' }

/** What changed in a text since the version that this person decided on last; both versions were hashed here. */
export function DiffView({ previousHash, text }: { readonly previousHash: string; readonly text: string }) {
  const { data } = useQuery({ queryKey: ['verified-text', previousHash], queryFn: () => loadVerifiedText(previousHash), staleTime: Infinity })
  const parts = useMemo(() => (data?.text === undefined ? [] : diffParts(diffLines(data.text, text))), [data, text])
  if (!data) return <Skeleton className="h-24 w-full" />
  if (data.text === undefined) return <p className="text-13">No difference can be shown: {data.reason}.</p>
  return (
    <div tabIndex={0} role="region" aria-label="Changed lines" className="max-h-[32rem] overflow-auto rounded-md border font-mono text-12">
      {parts.map((part, at) => part.type === 'skipped'
        ? <p key={at} className="bg-sunk px-3 py-1 text-muted">{counted(part.lines, 'unchanged line')}</p>
        : part.lines.map((line, row) => <Line key={`${at} ${row}`} line={line} />))}
    </div>
  )
}

function Line({ line }: { readonly line: DiffLine }) {
  return (
    <div className={classNames('flex gap-2 px-3', line.kind === 'added' && 'bg-action-wash', line.kind === 'removed' && 'bg-sunk')}>
      <span aria-hidden className="w-8 shrink-0 text-right text-past select-none">{line.before}</span>
      <span aria-hidden className="w-8 shrink-0 text-right text-past select-none">{line.after}</span>
      <span aria-hidden className="shrink-0 font-semibold select-none">{SIGNS[line.kind]}</span>
      <span className="sr-only">{SPOKEN[line.kind]}</span>
      <bdi className={classNames('peer-text min-w-0', line.kind === 'removed' && 'line-through')}>{visibleText(line.text)}</bdi>
    </div>
  )
}

/** The text behind a hash, or why there is none. */
async function loadVerifiedText(contentHash: string): Promise<{ readonly text?: string; readonly reason: string }> {
  try {
    const response = await fetch(artifactPath(contentHash), { credentials: 'same-origin' })
    if (!response.ok) return { reason: 'the earlier version can no longer be read' }
    const bytes = new Uint8Array(await response.arrayBuffer())
    if (sha256Hash(bytes) !== contentHash) return { reason: 'the earlier version does not match its hash' }
    const text = decodeText(bytes)
    return text === undefined ? { reason: 'the earlier version is no text' } : { text, reason: '' }
  } catch {
    return { reason: 'the server did not answer' }
  }
}
