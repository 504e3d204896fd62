'use client'

import { useMemo } from 'react'
import { ArrowDown } from 'lucide-react'
import { entrySource } from '../mission/log-run.ts'
import { useMission } from '../mission/mission-context.tsx'
import { useLogRun } from '../mission/use-log-run.ts'
import { useRowWindow } from '../mission/use-row-window.ts'
import { useTRPCClient, type LogLine } from '../trpc.tsx'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { SkeletonRows } from '../ui/skeleton.tsx'
import { useIsNarrow } from '../ui/use-is-narrow.ts'
import { LedgerEntry } from './ledger-entry.tsx'

const PAGE = 200
/** As LedgerEntry is high: one line, on a phone two. */
const ROW_HEIGHTS = { wide: 32, narrow: 52 } as const

/** The Space's log, oldest at the top, opened at its end. Only rows in view are rendered, fetched whole and verified. */
export function Log() {
  const run = useLog()
  const { entries, hasOlder } = run.held
  const rowHeight = ROW_HEIGHTS[useIsNarrow() ? 'narrow' : 'wide']
  const { scroller, onScroll, from, to, isAtEnd, scrollToEnd } = useRowWindow({ count: entries.length, rowHeight, origin: entries[0]?.sequence ?? 0, followsEnd: true })
  if (run.isLoading) return <div className="pt-4"><SkeletonRows rows={12} label="Loading the log" /></div>
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2 pt-4">
      {run.error && <Notice tone="fail" title="The log could not be read further" action={<Button onClick={run.retry}>Try again</Button>}>What is shown stays as it was.</Notice>}
      <div className="flex flex-wrap items-center justify-between gap-2 text-13 text-muted">
        <span>{hasOlder ? `Showing the newest ${entries.length} entries; older ones exist.` : `${entries.length} entries, all there are.`} A filled seal was verified in this page.</span>
        {hasOlder && <Button busy={run.isLoadingOlder} onClick={() => void run.loadOlder()}>Load older</Button>}
      </div>
      <div className="relative">
        <div ref={scroller} onScroll={onScroll} tabIndex={0} role="region" aria-label="Entries of the log" className="h-[calc(100dvh-23rem)] min-h-80 overflow-y-auto border-y">
          <ol style={{ height: entries.length * rowHeight, paddingTop: from * rowHeight }} className="box-border">
            {entries.slice(from, to).map((line) => (
              <li key={line.sequence} aria-setsize={entries.length} aria-posinset={line.sequence - (entries[0]?.sequence ?? 0) + 1}>
                <LedgerEntry entry={line} note={kindWords(line.kind)} />
              </li>
            ))}
          </ol>
        </div>
        {!isAtEnd && (
          <Button icon={<ArrowDown aria-hidden className="size-4" />} onClick={scrollToEnd} className="absolute right-4 bottom-4 shadow-float">
            Newest
          </Button>
        )}
      </div>
    </div>
  )
}

/** An extension's kind by its last name; the inspector shows it whole. */
const kindWords = (kind: string): string => (kind.startsWith('ext.') ? kind.split('.').slice(2).join('.') : kind)

function useLog() {
  const client = useTRPCClient()
  const { missionId } = useMission()
  const source = useMemo(() => entrySource<LogLine>(async (before) => {
    const { lines, hasOlder } = await client.missions.log.query({ missionId, limit: PAGE, ...(before !== undefined && { before }) })
    return { entries: lines, hasOlder }
  }), [client, missionId])
  return useLogRun({ missionId }, 'log', source)
}
