'use client'

import { useState } from 'react'
import { AskCoordinator } from '../mission/ask-coordinator.tsx'
import { isOver } from '../mission/is-over.ts'
import { useMission } from '../mission/mission-context.tsx'
import type { BoardItem } from '../trpc.tsx'
import { Button } from '../ui/button.tsx'
import { ApproveStart } from './approve-start.tsx'
import { CancelWorkDialog } from './cancel-work.tsx'
import { OfferDialog } from './step-in.tsx'

const OFFERED_FROM: ReadonlySet<string> = new Set(['open', 'offered', 'queued', 'active', 'blocked', 'failed'])
const UNFINISHED: ReadonlySet<string> = new Set(['open', 'offered', 'queued', 'active', 'blocked', 'submitted'])

/** What a person may do about one WorkItem: approve its start, step in for the Coordinator, end it, or ask. */
export function WorkActions({ item }: { readonly item: BoardItem }) {
  const mission = useMission()
  const { owner, me } = mission
  const [isOpen, setOpen] = useState<'start' | 'offer' | 'cancel'>()
  if (isOver(mission)) return null
  const isOwner = owner.id === me.principalId
  const canCancel = isOwner && UNFINISHED.has(item.state)
  const canOffer = isOwner && mission.state === 'active' && item.child?.state !== 'running' && OFFERED_FROM.has(item.state)
  const close = () => setOpen(undefined)
  return (
    <div className="flex flex-wrap gap-2">
      {item.startGate?.personId === me.principalId && <Button variant="primary" onClick={() => setOpen('start')}>Decide on the start</Button>}
      {canOffer && <Button onClick={() => setOpen('offer')}>Offer it yourself</Button>}
      {canCancel && <Button variant="danger" onClick={() => setOpen('cancel')}>Cancel this work</Button>}
      {!isOwner && UNFINISHED.has(item.state) && <AskCoordinator words={`About “${item.goal}”: `}>Ask the coordinator about it</AskCoordinator>}
      {isOpen === 'start' && <ApproveStart item={item} onRefuse={canCancel ? () => setOpen('cancel') : undefined} onClose={close} />}
      {isOpen === 'offer' && <OfferDialog item={item} onClose={close} />}
      {isOpen === 'cancel' && <CancelWorkDialog item={item} onClose={close} />}
    </div>
  )
}
