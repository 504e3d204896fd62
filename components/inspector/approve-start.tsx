'use client'

import { useState } from 'react'
import { executionConditions } from '../../protocol/execution-terms.ts'
import { DecisionDialog } from '../mission/decision-dialog.tsx'
import { useMission } from '../mission/mission-context.tsx'
import { newUrn } from '../signing/command.ts'
import type { BoardItem } from '../trpc.tsx'
import { Button } from '../ui/button.tsx'
import { serverNow } from '../ui/clock.ts'
import { Field, Select } from '../ui/field.tsx'
import { visibleText } from '../ui/visible-text.ts'
import { draftStartApproval, termsFor } from './execution-approval.ts'

const DURATIONS = [
  [3600, '1 hour'],
  [8 * 3600, '8 hours'],
  [24 * 3600, '1 day'],
] as const

interface ApproveStartProps {
  readonly item: BoardItem
  /** Turns the work down instead; undefined where that is somebody else's to do. */
  readonly onRefuse: (() => void) | undefined
  readonly onClose: () => void
}

/** Lets the person in charge approve the start of work whose contract asks for it, or end it instead. */
export function ApproveStart({ item, onRefuse, onClose }: ApproveStartProps) {
  const mission = useMission()
  const [seconds, setSeconds] = useState<number>(DURATIONS[0][0])
  const [openedAt] = useState(serverNow)
  const draft = () => {
    if (!item.startGate) return undefined
    const terms = termsFor(item, serverNow(), seconds)
    return {
      kind: 'approval.grant_execution' as const,
      workItemId: item.workItemId,
      payload: ({ issuedAt, principalId }: { readonly issuedAt: string; readonly principalId: string }) => draftStartApproval(mission, item, terms, { approvalId: newUrn(), approverId: principalId, occurredAt: issuedAt }),
    }
  }
  return (
    <DecisionDialog
      title="Approve the start"
      description={`You approve what is listed here, and ${visibleText(item.owner?.name ?? 'its owner')} may start at once. A new owner or contract needs a new approval.`}
      keep="Let it wait"
      draft={draft}
      names={{ [item.workItemId]: item.goal }}
      otherwise={onRefuse && <Button variant="danger" onClick={onRefuse}>Refuse</Button>}
      onClose={onClose}
    >
      <p className="font-medium"><bdi>{visibleText(item.goal)}</bdi></p>
      <Field label="For how long" hint="Never beyond the deadline of the work.">
        {(control) => (
          <Select {...control} value={seconds} onChange={(event) => setSeconds(Number(event.target.value))}>
            {DURATIONS.map(([value, words]) => <option key={value} value={value}>{words}</option>)}
          </Select>
        )}
      </Field>
      {item.startGate && <ul className="grid list-disc gap-1 pl-5 text-13">{executionConditions(termsFor(item, openedAt, seconds)).map((line) => <li key={line}><bdi className="break-words">{visibleText(line)}</bdi></li>)}</ul>}
      <p className="text-13 text-muted">{onRefuse ? 'To refuse, cancel the work: it ends with your reason in the log.' : 'To refuse, let it wait and tell the coordinator, who can cancel the work.'}</p>
    </DecisionDialog>
  )
}
