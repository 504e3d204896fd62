'use client'

import { useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field, Input } from '../ui/field.tsx'
import { visibleText } from '../ui/visible-text.ts'

const SHORTEST = 12

const REASONS = {
  browser:
    'This browser cannot keep a key that nobody can copy out. Your keys will be encrypted under this passphrase instead, which is weaker: whoever copies the data of this browser can try to guess it.',
  file: 'The key file is encrypted under this passphrase. Whoever has both the file and the passphrase can sign as you; without the passphrase the file is lost.',
} as const

export interface NewPassphraseDialogProps {
  readonly reason: keyof typeof REASONS
  readonly onChosen: (passphrase: string) => void
  readonly onCancel: () => void
}

/** Asks for the passphrase that will wrap new keys. */
export function NewPassphraseDialog({ reason, onChosen, onCancel }: NewPassphraseDialogProps) {
  const [first, setFirst] = useState('')
  const [second, setSecond] = useState('')
  const isLongEnough = first.length >= SHORTEST
  return (
    <Dialog
      open
      onOpenChange={onCancel}
      title={reason === 'file' ? 'Choose a passphrase for the key file' : 'Choose a passphrase for your keys'}
      description={REASONS[reason]}
      footer={
        <div className="flex justify-end gap-2">
          <Button onClick={onCancel}>Cancel</Button>
          <Button variant="primary" disabled={!isLongEnough || first !== second} onClick={() => onChosen(first)}>
            Use this passphrase
          </Button>
        </div>
      }
    >
      <div className="grid gap-4">
        <Field label="Passphrase" hint={`At least ${SHORTEST} characters; four or more unrelated words are good. Nobody can reset it.`}>
          {(control) => <Input {...control} type="password" autoComplete="new-password" value={first} onChange={(event) => setFirst(event.target.value)} />}
        </Field>
        <Field label="The same again" error={second !== '' && first !== second ? 'The two differ.' : undefined}>
          {(control) => <Input {...control} type="password" autoComplete="new-password" value={second} onChange={(event) => setSecond(event.target.value)} />}
        </Field>
      </div>
    </Dialog>
  )
}

/** Opens a wrapped conversation key for as long as this page lives. */
export function UnlockDialog({ label, onUnlock, onCancel }: { readonly label: string; readonly onUnlock: (passphrase: string) => Promise<boolean>; readonly onCancel: () => void }) {
  const [passphrase, setPassphrase] = useState('')
  const [state, setState] = useState<'asking' | 'trying' | 'wrong'>('asking')
  const unlock = async () => {
    setState('trying')
    if (!(await onUnlock(passphrase))) setState('wrong')
  }
  return (
    <Dialog
      open
      onOpenChange={onCancel}
      title="Unlock your conversation key"
      description="It signs what you say and propose, never a decision. It stays unlocked until this page is closed or reloaded."
      footer={
        <div className="flex justify-end gap-2">
          <Button onClick={onCancel}>Cancel</Button>
          <Button variant="primary" busy={state === 'trying'} disabled={passphrase === ''} onClick={() => void unlock()}>
            Unlock
          </Button>
        </div>
      }
    >
      <Field label={`Passphrase of ${visibleText(label)}`} error={state === 'wrong' ? 'This passphrase does not open the key. Try again.' : undefined}>
        {(control) => <Input {...control} type="password" autoComplete="current-password" value={passphrase} onChange={(event) => setPassphrase(event.target.value)} />}
      </Field>
    </Dialog>
  )
}
