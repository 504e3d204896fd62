'use client'

import { memo } from 'react'
import { useStore, type Node, type NodeProps } from '@xyflow/react'
import { FileText } from 'lucide-react'
import { classNames } from '../ui/class-names.ts'
import { PrincipalMark } from '../ui/principal-mark.tsx'
import { visibleText } from '../ui/visible-text.ts'
import type { GraphNode } from './graph-store.ts'

export type EntryNode = Node<{ readonly entry: GraphNode }, 'message' | 'event' | 'artifact'>

/** Below this zoom words cannot be read, so shapes alone are drawn. */
const READABLE_ZOOM = 0.55
const isReadable = (state: { transform: [number, number, number] }): boolean => state.transform[2] >= READABLE_ZOOM

const ring = (selected: boolean | undefined) => selected === true && 'outline-2 outline-offset-2 outline-action'

/** Talk: a bubble without border, the author's mark beside the words. */
const MessageNode = memo(function MessageNode({ data: { entry }, selected }: NodeProps<EntryNode>) {
  const isShown = useStore(isReadable)
  return (
    <div className={classNames('flex h-full gap-2 overflow-hidden rounded-lg rounded-tl-sm bg-talk px-3 py-2 text-12', ring(selected))}>
      <PrincipalMark id={entry.actor.id} size="sm" />
      {isShown && (
        <div className="min-w-0 flex-1">
          <p className="flex justify-between gap-2"><bdi className="truncate font-semibold">{visibleText(entry.actor.name)}</bdi><span className="text-muted">#{entry.sequence}</span></p>
          <p className="line-clamp-2 break-words"><bdi>{visibleText(entry.excerpt ?? entry.title)}</bdi></p>
        </div>
      )}
    </div>
  )
})

/** Authority: a ledger chip with its rule and number. */
const EventNode = memo(function EventNode({ data: { entry }, selected }: NodeProps<EntryNode>) {
  const isShown = useStore(isReadable)
  return (
    <div className={classNames('flex h-full items-center gap-2 overflow-hidden border border-l-2 border-l-ink bg-raised px-2 text-12', ring(selected))}>
      {isShown && <><span className="shrink-0 text-muted">#{entry.sequence}</span><bdi className="line-clamp-2 leading-tight break-words">{visibleText(entry.title)}</bdi></>}
    </div>
  )
})

/** A sheet with a folded corner. */
const ArtifactNode = memo(function ArtifactNode({ data: { entry }, selected }: NodeProps<EntryNode>) {
  const isShown = useStore(isReadable)
  return (
    <div className={classNames('relative flex h-full items-center gap-2 overflow-hidden border border-edge bg-raised px-3 text-12', ring(selected))}>
      <svg aria-hidden viewBox="0 0 12 12" className="absolute top-0 right-0 size-3"><path d="M0 0h12v12z" className="fill-paper" /><path d="M0 0v12h12z" className="fill-edge" /></svg>
      <FileText aria-hidden className="size-4 shrink-0 text-muted" />
      {isShown && <><bdi className="line-clamp-2 min-w-0 flex-1 leading-tight break-words">{visibleText(entry.title)}</bdi><span className="mr-2 shrink-0 text-muted">#{entry.sequence}</span></>}
    </div>
  )
})

export const nodeTypes = { message: MessageNode, event: EventNode, artifact: ArtifactNode }
