'use client'

import { useEffect, useState, type ReactNode } from 'react'
import { ListTree, Workflow } from 'lucide-react'
import type { LogRun } from '../mission/use-log-run.ts'
import { useSelection } from '../mission/use-selection.ts'
import { Button } from '../ui/button.tsx'
import { Kbd } from '../ui/kbd.tsx'
import { Notice } from '../ui/notice.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { GraphCanvas } from './graph-canvas.tsx'
import { GraphLegend } from './graph-legend.tsx'
import type { LoadedGraph } from './graph-store.ts'
import { GraphTree } from './graph-tree.tsx'
import type { Size } from './graph-view-state.ts'
import { PROVENANCES, type EdgeProvenance } from './provenance.ts'
import { useGraph } from './use-graph.ts'

/** The graph of the Mission of this page. */
export function MissionGraph() {
  return <Graph run={useGraph()} of="mission" whenLost="Board, conversations and log do not need it." whenEmpty="Nothing has happened here yet. Every signed entry appears as it is accepted." />
}

export interface GraphProps {
  readonly run: LogRun<LoadedGraph>
  /** What it is the graph of, in a word. */
  readonly of: string
  /** What the reader can rely on when it cannot be loaded. */
  readonly whenLost: string
  readonly whenEmpty: string
  readonly provenances?: readonly EdgeProvenance[]
}

/** A Space's graph, as lanes or as a tree-grid of the same content; `g` changes between them. */
export function Graph({ run, of, whenLost, whenEmpty, provenances = PROVENANCES }: GraphProps) {
  const graph = run.held
  const [isTree, setTree] = useState(false)
  const toggle = () => setTree((shown) => !shown)
  useToggleKey(toggle)
  return (
    <div className="grid gap-2 pt-3">
      {run.error && <Notice tone="fail" title="The graph could not be loaded further" action={<Button onClick={run.retry}>Try again</Button>}>{whenLost}</Notice>}
      <div className="flex flex-wrap items-center gap-2">
        <Button onClick={toggle} icon={isTree ? <Workflow aria-hidden className="size-4" /> : <ListTree aria-hidden className="size-4" />}>
          {isTree ? 'Show as graph' : 'Show as table'} <span className="max-sm:hidden"><Kbd>g</Kbd></span>
        </Button>
        <p className="text-13 text-muted">{run.isLoading ? 'Loading' : shownWords(graph)}</p>
        {graph.hasOlder && <Button busy={run.isLoadingOlder} onClick={() => void run.loadOlder()}>Load older</Button>}
        <div className="ml-auto"><GraphLegend provenances={provenances} /></div>
      </div>
      <Frame>
        {(size) => {
          if (run.isLoading) return <Skeleton className="absolute inset-0" />
          return <View isTree={isTree} run={run} size={size} of={of} whenEmpty={whenEmpty} />
        }}
      </Frame>
    </div>
  )
}

const shownWords = ({ nodes, total, hasOlder }: LoadedGraph): string => (hasOlder ? `Showing ${nodes.length} of ${total} entries` : `${nodes.length} entries, all there are`)

interface ViewProps extends Pick<GraphProps, 'run' | 'of' | 'whenEmpty'> {
  readonly isTree: boolean
  readonly size: Size
}

function View({ isTree, run, size, of, whenEmpty }: ViewProps) {
  const { held: graph, isLoadingOlder, loadOlder } = run
  const { selection, select } = useSelection()
  const selected = selection?.type === 'entry' ? selection.sequence : undefined
  if (graph.nodes.length === 0) return <p className="p-6 text-muted">{whenEmpty}</p>
  if (isTree) return <GraphTree graph={graph} of={of} selected={selected} onSelect={select} />
  if (size.width === 0) return null
  return <GraphCanvas graph={graph} of={of} size={size} selected={selected} onSelect={select} isLoadingOlder={isLoadingOlder} onLoadOlder={() => void loadOlder()} />
}

/** A box of the height that the window leaves, and its size once known. */
function Frame({ children }: { readonly children: (size: Size) => ReactNode }) {
  const [element, setElement] = useState<HTMLDivElement | null>(null)
  const [size, setSize] = useState<Size>({ width: 0, height: 0 })
  useEffect(() => {
    if (!element) return
    const observer = new ResizeObserver(() => setSize({ width: element.clientWidth, height: element.clientHeight }))
    observer.observe(element)
    return () => observer.disconnect()
  }, [element])
  return <div ref={setElement} className="relative h-[60dvh] min-h-80 sm:h-[calc(100dvh-24rem)] sm:min-h-96 overflow-hidden rounded-md border">{children(size)}</div>
}

function useToggleKey(toggle: () => void): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof HTMLElement && event.target.closest('input, textarea, select, [role="dialog"]') !== null
      if (event.key === 'g' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) toggle()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  })
}
