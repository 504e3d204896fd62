'use client'

import { useState } from 'react'
import { executionConditions } from '../../protocol/execution-terms.ts'
import { useMission } from '../mission/mission-context.tsx'
import { CommandProgress } from '../signing/command-progress.tsx'
import { newUrn } from '../signing/command.ts'
import { useCommand } from '../signing/use-command.ts'
import type { BoardItem } from '../trpc.tsx'
import { Button } from '../ui/button.tsx'
import { serverNow } from '../ui/clock.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Field, Select } from '../ui/field.tsx'
import { draftStartApproval, termsFor } from './execution-approval.ts'

const DURATIONS = [
  [3600, '1 hour'],
  [8 * 3600, '8 hours'],
  [24 * 3600, '1 day'],
] as const

/** Lets the person in charge approve the start of work whose contract asks for it. */
export function ApproveStart({ item }: { readonly item: BoardItem }) {
  const { me } = useMission()
  const [isOpen, setOpen] = useState(false)
  if (item.startGate?.personId !== me.principalId) return undefined
  return (
    <>
      <Button variant="primary" className="justify-self-start" onClick={() => setOpen(true)}>Approve the start</Button>
      {isOpen && <ApproveStartDialog item={item} onClose={() => setOpen(false)} />}
    </>
  )
}

function ApproveStartDialog({ item, onClose }: { readonly item: BoardItem; readonly onClose: () => void }) {
  const mission = useMission()
  const { run, phase, isBusy } = useCommand()
  const [seconds, setSeconds] = useState<number>(DURATIONS[0][0])
  const [openedAt] = useState(serverNow)
  const approve = async () => {
    const { missionId, groupId, title, me } = mission
    const terms = termsFor(item, serverNow(), seconds)
    const outcome = await run(
      {
        kind: 'approval.grant_execution',
        groupId,
        membershipEpoch: me.membershipEpoch,
        workItemId: item.workItemId,
        payload: ({ issuedAt, principalId }) => draftStartApproval(mission, item, terms, { approvalId: newUrn(), approverId: principalId, occurredAt: issuedAt }),
      },
      { [missionId]: title, [groupId]: title, [item.workItemId]: item.goal },
    )
    if (outcome.ok) onClose()
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      dismissible={!isBusy}
      title="Approve the start"
      description={`${item.owner?.name ?? 'Its owner'} may start this work once you have signed. A new owner or contract needs a new approval.`}
      footer={
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose} disabled={isBusy}>Let it wait</Button>
          <Button variant="primary" busy={isBusy} disabled={!item.startGate} onClick={() => void approve()}>Review and sign</Button>
        </div>
      }
    >
      <div className="grid gap-4">
        <p className="font-medium"><bdi>{item.goal}</bdi></p>
        <Field label="For how long" hint="Never beyond the deadline of the work.">
          {(control) => (
            <Select {...control} value={seconds} onChange={(event) => setSeconds(Number(event.target.value))}>
              {DURATIONS.map(([value, words]) => <option key={value} value={value}>{words}</option>)}
            </Select>
          )}
        </Field>
        {item.startGate && <ul className="grid list-disc gap-1 pl-5 text-13">{executionConditions(termsFor(item, openedAt, seconds)).map((line) => <li key={line}><bdi className="break-words">{line}</bdi></li>)}</ul>}
        <CommandProgress phase={phase} />
      </div>
    </Dialog>
  )
}
