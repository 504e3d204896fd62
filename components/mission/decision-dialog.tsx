'use client'

import { useState, type ReactNode } from 'react'
import { CommandProgress } from '../signing/command-progress.tsx'
import type { CommandDraft } from '../signing/command.ts'
import { useCommand } from '../signing/use-command.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { useMission } from './mission-context.tsx'
import { isReason, ReasonField } from './reason-field.tsx'

/** A Command of this Mission; Group and Membership Epoch are added here. */
export type DecisionDraft = Omit<CommandDraft, 'groupId' | 'membershipEpoch'>

interface DecisionDialogProps {
  readonly title: string
  /** What is signed and what happens then, in a sentence or two. */
  readonly description: string
  /** The button that leaves everything as it is. */
  readonly keep: string
  /** The button that goes on; talk is signed at once, everything else after the signing dialog. */
  readonly confirm?: string
  readonly isDangerous?: boolean
  /** What the reason is for; without it none is asked. */
  readonly reasonHint?: string
  /** The Command, made anew when it is signed; undefined while the form is not complete. `reason` is empty where none is asked. */
  readonly draft: (reason: string) => DecisionDraft | undefined
  /** Names of what the Command refers to, for the signing dialog. */
  readonly names?: Readonly<Record<string, string>>
  /** Called before the dialog closes, once the authority's answer is verified here. */
  readonly onDone?: () => void
  readonly onClose: () => void
  /** Another way out than signing or leaving things as they are. */
  readonly otherwise?: ReactNode
  /** Fields above the reason. */
  readonly children?: ReactNode
}

/** What a person decides or says in a Mission by a form: a few fields, perhaps a reason, a signature. */
export function DecisionDialog({ title, description, keep, confirm = 'Review and sign', isDangerous = false, reasonHint, draft, names, onDone, onClose, otherwise, children }: DecisionDialogProps) {
  const { missionId, groupId, title: missionTitle, me } = useMission()
  const { run, phase, isBusy } = useCommand()
  const [reason, setReason] = useState('')
  const isReasonGiven = reasonHint === undefined || isReason(reason)
  const decide = async () => {
    const command = draft(reason.trim())
    if (command === undefined) return
    const outcome = await run({ ...command, groupId, membershipEpoch: me.membershipEpoch }, { [missionId]: missionTitle, [groupId]: missionTitle, ...names })
    if (!outcome.ok) return
    onDone?.()
    onClose()
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
          {otherwise !== undefined && <div className="mr-auto">{otherwise}</div>}
          <Button onClick={onClose} disabled={isBusy}>{keep}</Button>
          <Button variant={isDangerous ? 'danger' : 'primary'} busy={isBusy} disabled={!isReasonGiven || draft(reason.trim()) === undefined} onClick={() => void decide()}>{confirm}</Button>
        </div>
      }
    >
      <div className="grid gap-4">
        {children}
        {reasonHint !== undefined && <ReasonField hint={reasonHint} value={reason} onChange={setReason} />}
        <CommandProgress phase={phase} />
      </div>
    </Dialog>
  )
}
