'use client'

import { useId, useMemo, useState, type KeyboardEvent } from 'react'
import { ChevronRight } from 'lucide-react'
import { useRowWindow } from '../mission/use-row-window.ts'
import { classNames } from '../ui/class-names.ts'
import { PrincipalName } from '../ui/principal-mark.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { visibleText } from '../ui/visible-text.ts'
import type { LoadedGraph } from './graph-store.ts'
import { PROVENANCE } from './provenance.ts'
import { treeKey } from './tree-keys.ts'
import type { TreeRow } from './tree-rows.ts'
import { growForest, treeRows } from './tree-rows.ts'

const ROW_HEIGHT = 36
/** Deeper rows keep this indent; their level is still spoken. */
const MAX_INDENT = 10
const KIND_WORDS = { message: 'talk', event: 'event', artifact: 'artifact' } as const

export interface GraphTreeProps {
  readonly graph: LoadedGraph
  /** What it is the graph of, in a word. */
  readonly of: string
  readonly selected: number | undefined
  readonly onSelect: (sequence: number) => void
}

/** The graph's content as a tree-grid: every entry once, under the link that best explains it. */
export function GraphTree({ graph, of, selected, onSelect }: GraphTreeProps) {
  const listId = useId()
  const forest = useMemo(() => growForest(graph.nodes, graph.edges), [graph])
  const [collapsed, setCollapsed] = useState<ReadonlySet<number>>(new Set())
  const rows = useMemo(() => treeRows(forest, collapsed), [forest, collapsed])
  const [active, setActive] = useState(selected ?? graph.nodes.at(-1)?.sequence)
  const activeAt = Math.max(0, rows.findIndex((row) => row.node.sequence === active))
  const { scroller, onScroll, from, to, reveal } = useRowWindow({ count: rows.length, rowHeight: ROW_HEIGHT, origin: 0, followsEnd: false })

  const setExpanded = (sequence: number, isExpanded: boolean) => setCollapsed((known) => {
    const next = new Set(known)
    if (isExpanded) next.delete(sequence)
    else next.add(sequence)
    return next
  })
  const onKeyDown = (event: KeyboardEvent) => {
    const step = treeKey(event.key, rows, activeAt)
    if (!step) return
    event.preventDefault()
    if (step.type === 'select') onSelect(step.sequence)
    else if (step.type === 'fold') setExpanded(step.sequence, step.isExpanded)
    else {
      setActive(rows[step.row]?.node.sequence)
      reveal(step.row)
    }
  }
  return (
    <div
      ref={scroller}
      onScroll={onScroll}
      onKeyDown={onKeyDown}
      role="treegrid"
      tabIndex={0}
      aria-label={`Entries of this ${of} by what they answer`}
      aria-rowcount={rows.length}
      aria-activedescendant={rows[activeAt] && `${listId}-${rows[activeAt].node.sequence}`}
      className="group @container absolute inset-0 overflow-y-auto focus-visible:-outline-offset-2"
    >
      <div role="rowgroup" style={{ height: rows.length * ROW_HEIGHT, paddingTop: from * ROW_HEIGHT }} className="box-border">
        {rows.slice(from, to).map((row, at) => (
          <Row
            key={row.node.sequence}
            id={`${listId}-${row.node.sequence}`}
            row={row}
            index={from + at + 1}
            isActive={from + at === activeAt}
            isSelected={row.node.sequence === selected}
            onFold={() => setExpanded(row.node.sequence, !row.isExpanded)}
            onSelect={() => {
              setActive(row.node.sequence)
              onSelect(row.node.sequence)
            }}
          />
        ))}
      </div>
    </div>
  )
}

interface RowProps {
  readonly id: string
  readonly row: TreeRow
  readonly index: number
  readonly isActive: boolean
  readonly isSelected: boolean
  readonly onFold: () => void
  readonly onSelect: () => void
}

function Row({ id, row, index, isActive, isSelected, onFold, onSelect }: RowProps) {
  const { node, level, children, isExpanded, links } = row
  const linkWords = links.map((edge) => `${PROVENANCE[edge.provenance].words} #${edge.parent}`).join(', ')
  return (
    <div
      id={id}
      role="row"
      aria-rowindex={index}
      aria-level={level}
      aria-expanded={children > 0 ? isExpanded : undefined}
      aria-selected={isSelected}
      onClick={onSelect}
      style={{ height: ROW_HEIGHT }}
      className={classNames('flex cursor-pointer items-center gap-3 border-b px-2 text-13', isSelected ? 'bg-action-wash' : 'hover:bg-sunk', isActive && 'group-focus-visible:outline-2 group-focus-visible:-outline-offset-2 group-focus-visible:outline-action')}
    >
      <span role="gridcell" style={{ paddingLeft: Math.min(level - 1, MAX_INDENT) * 16 }} className="flex min-w-0 flex-1 items-center gap-2">
        <Fold childCount={children} isExpanded={isExpanded} onFold={onFold} />
        <span className="shrink-0 text-muted">#{node.sequence}</span>
        <span className={classNames('shrink-0 px-1.5 text-12', node.nodeKind === 'message' ? 'rounded-full bg-talk' : 'border-l-2 border-ink')}>{KIND_WORDS[node.nodeKind]}</span>
        <bdi className="truncate">{visibleText(node.excerpt ?? node.title)}</bdi>
      </span>
      <span role="gridcell" className="hidden w-40 min-w-0 @2xl:flex"><PrincipalName id={node.actor.id} name={node.actor.name} /></span>
      <span role="gridcell" title={linkWords} className="hidden w-48 truncate text-12 text-muted @5xl:block">{linkWords}</span>
      <span role="gridcell" className="hidden w-28 text-right text-12 text-muted @lg:block"><RelativeTime at={node.at} /></span>
    </div>
  )
}

function Fold({ childCount, isExpanded, onFold }: { readonly childCount: number; readonly isExpanded: boolean; readonly onFold: () => void }) {
  if (childCount === 0) return <span className="w-5 shrink-0" />
  return (
    <button
      type="button"
      tabIndex={-1}
      aria-label={isExpanded ? 'Fold' : `Unfold ${childCount}`}
      onClick={(event) => {
        event.stopPropagation()
        onFold()
      }}
      className="grid w-5 shrink-0 place-items-center text-muted"
    >
      <ChevronRight aria-hidden className={classNames('size-4 transition-transform', isExpanded && 'rotate-90')} />
    </button>
  )
}
