'use client'

import { useEffect, useRef } from 'react'
import Link from 'next/link'
import { CirclePause, FileText, Network, RotateCcw, Timer } from 'lucide-react'
import { counted } from '../mission/counted.ts'
import { missionPath } from '../mission/mission-paths.ts'
import { LinkedSentence } from '../mission/sequence-link.tsx'
import { useSelection } from '../mission/use-selection.ts'
import type { BoardItem } from '../trpc.tsx'
import { BudgetBar, formatAmount } from '../ui/budget-bar.tsx'
import { classNames } from '../ui/class-names.ts'
import { PrincipalName } from '../ui/principal-mark.tsx'
import { Countdown } from '../ui/relative-time.tsx'
import { StateTag, stateWord } from '../ui/state-tag.tsx'
import { visibleText } from '../ui/visible-text.ts'

/** One WorkItem: who holds it until when, what it waits for, what it has used and made. */
export function WorkCard({ item, showsState = false }: { readonly item: BoardItem; readonly showsState?: boolean }) {
  const { selected, select } = useSelection()
  const isSelected = selected === item.workItemId
  const card = useRef<HTMLElement>(null)
  // The inspector takes room from the board; what it is about stays in sight.
  useEffect(() => {
    const board = card.current?.closest('[data-board]')
    if (!isSelected || !card.current || !board) return
    const [inner, outer] = [card.current.getBoundingClientRect(), board.getBoundingClientRect()]
    board.scrollLeft += Math.max(0, inner.right - outer.right) - Math.max(0, outer.left - inner.left)
  }, [isSelected])
  return (
    <article ref={card} className={classNames('grid gap-2 rounded-md border bg-raised p-3', isSelected && 'outline-2 -outline-offset-2 outline-action')}>
      <h3>
        <button type="button" aria-pressed={isSelected} onClick={() => select(item.workItemId)} className="w-full text-left font-medium hover:text-action">
          <bdi className="line-clamp-3 break-words">{visibleText(item.goal)}</bdi>
        </button>
      </h3>
      <p className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 text-13">
        {showsState && <StateTag state={item.state} />}
        {item.owner ? <PrincipalName id={item.owner.id} name={item.owner.name} {...(item.owner.online === false && { note: 'offline' })} /> : <Unowned item={item} />}
        {item.leaseExpiresAt !== undefined && (
          <span className="inline-flex items-center gap-1 text-muted">
            <Timer aria-hidden className="size-3.5" />
            lease <Countdown until={item.leaseExpiresAt} label={`Execution lease, ownership epoch ${item.ownershipEpoch ?? 0}`} />
          </span>
        )}
      </p>
      <Waits item={item} />
      {item.child && (
        <p className="flex min-w-0 items-center gap-1.5 text-13">
          <Network aria-hidden className="size-3.5 shrink-0" />
          <Link href={missionPath(item.child.missionId)} className="min-w-0 truncate text-action"><bdi>{visibleText(item.child.title)}</bdi></Link>
          <span className="shrink-0 text-muted">{stateWord(item.child.state).toLowerCase()}</span>
        </p>
      )}
      {item.progress && <p className="text-13 text-muted"><bdi className="line-clamp-2">{visibleText(item.progress.phase)}</bdi></p>}
      <Burn lines={item.budget} />
      <Figures item={item} />
    </article>
  )
}

const isOver = ({ state }: BoardItem): boolean => ['verified', 'failed', 'cancelled'].includes(state)

/** Blockers are sentences of the server; dependencies that block nothing any more are history. */
function Waits({ item }: { readonly item: BoardItem }) {
  const done = item.dependsOn.filter((dependency) => dependency.state === 'verified')
  if (item.blockers.length === 0 && done.length === 0) return null
  return (
    <ul className="grid gap-1 text-13">
      {item.blockers.map((blocker) => (
        <li key={blocker.sentence} className="flex items-start gap-1.5">
          <CirclePause aria-hidden className="mt-0.5 size-3.5 shrink-0 text-fail" />
          <span className="min-w-0 break-words"><span className="sr-only">Blocked: </span><LinkedSentence {...blocker} /></span>
        </li>
      ))}
      {done.map((dependency) => (
        <li key={dependency.workItemId} className="line-clamp-2 break-words text-past">
          After “<bdi>{visibleText(dependency.goal)}</bdi>”, {stateWord(dependency.state).toLowerCase()}
        </li>
      ))}
    </ul>
  )
}

/** What was used of each limit; limits that nobody has touched take one line together. */
function Burn({ lines }: { readonly lines: BoardItem['budget'] }) {
  const limited = lines.flatMap((line) => (line.limit === undefined ? [] : [{ ...line, limit: line.limit }]))
  if (limited.length === 0) return null
  if (limited.some((line) => line.used > 0)) return limited.map((line) => <BudgetBar key={line.dimension} {...line} />)
  return <p className="text-13 text-past">Budget untouched: {limited.map((line) => formatAmount(line.limit, line.unit)).join(', ')}</p>
}

function Figures({ item }: { readonly item: BoardItem }) {
  if (item.artifactHashes.length === 0 && item.attempts <= 1) return null
  return (
    <p className="flex flex-wrap gap-x-4 text-13 text-muted">
      {item.artifactHashes.length > 0 && (
        <span className="inline-flex items-center gap-1"><FileText aria-hidden className="size-3.5" />{counted(item.artifactHashes.length, 'artifact')}</span>
      )}
      {item.attempts > 1 && (
        <span className="inline-flex items-center gap-1"><RotateCcw aria-hidden className="size-3.5" />attempt {item.attempts}</span>
      )}
    </p>
  )
}

function Unowned({ item }: { readonly item: BoardItem }) {
  if (item.offeredTo === undefined) return <span className="text-muted">{isOver(item) ? 'No owner' : 'Nobody owns it yet'}</span>
  return (
    <>
      <span className="text-muted">Offered to</span>
      {item.offeredTo.map((candidate) => <PrincipalName key={candidate.id} id={candidate.id} name={candidate.name} {...(candidate.online === false && { note: 'offline' })} />)}
    </>
  )
}
