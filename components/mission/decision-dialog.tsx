'use client'

import { useState, type ReactNode } from 'react'
import type { CommandKind } from '../../protocol/kinds.ts'
import { CommandProgress } from '../signing/command-progress.tsx'
import { useCommand } from '../signing/use-command.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { useMission } from './mission-context.tsx'
import { isReason, ReasonField } from './reason-field.tsx'

interface DecisionDialogProps {
  readonly title: string
  readonly description: string
  /** The button that leaves everything as it is. */
  readonly keep: string
  readonly isDangerous?: boolean
  readonly reasonHint: string
  readonly kind: CommandKind
  /** What the Command says besides its reason; undefined while the form is not complete. */
  readonly payload: Record<string, unknown> | undefined
  /** Names of what the payload refers to, for the signing dialog. */
  readonly names?: Readonly<Record<string, string>>
  readonly onClose: () => void
  /** Fields above the reason. */
  readonly children?: ReactNode
}

/** What the MissionOwner decides about the Mission as a whole: a few fields, a reason, a signature. */
export function DecisionDialog({ title, description, keep, isDangerous = false, reasonHint, kind, payload, names, onClose, children }: DecisionDialogProps) {
  const mission = useMission()
  const { run, phase, isBusy } = useCommand()
  const [reason, setReason] = useState('')
  const decide = async () => {
    const { missionId, groupId, revision, me } = mission
    const outcome = await run(
      { kind, groupId, membershipEpoch: me.membershipEpoch, expectedRevision: revision, payload: { ...payload, reason: reason.trim() } },
      { [missionId]: mission.title, [groupId]: mission.title, ...names },
    )
    if (outcome.ok) onClose()
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      dismissible={!isBusy}
      title={title}
      description={description}
      footer={
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose} disabled={isBusy}>{keep}</Button>
          <Button variant={isDangerous ? 'danger' : 'primary'} busy={isBusy} disabled={payload === undefined || !isReason(reason)} onClick={() => void decide()}>Review and sign</Button>
        </div>
      }
    >
      <div className="grid gap-4">
        {children}
        <ReasonField hint={reasonHint} value={reason} onChange={setReason} />
        <CommandProgress phase={phase} />
      </div>
    </Dialog>
  )
}
