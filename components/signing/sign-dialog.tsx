'use client'

import { useEffect, useState } from 'react'
import { KeyRound } from 'lucide-react'
import { Button } from '../ui/button.tsx'
import { useServerNow } from '../ui/clock.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Field, Input, Select } from '../ui/field.tsx'
import { HashText } from '../ui/hash-text.tsx'
import { Notice } from '../ui/notice.tsx'
import { visibleText } from '../ui/visible-text.ts'
import { fingerprintOf } from './fingerprint.ts'
import type { StoredKey } from './key-store.ts'
import type { ConfirmRequest } from './local-signer.ts'
import { CUSTODY_WORDS } from './signer.ts'
import { StatementView } from './statement-view.tsx'
import { describePlan } from './statement.ts'

export interface SignDialogProps extends Omit<ConfirmRequest, 'attempt'> {
  /** False when the passphrase does not open the key. */
  readonly onSign: (key: StoredKey, passphrase: string | undefined) => Promise<boolean>
  readonly onCancel: () => void
  readonly onStale: () => void
}

/** A second press of whatever opened the dialog must not sign. */
const ARMED_AFTER_MS = 600

/**
 * Shows what the given bytes say and signs them on one deliberate press: nothing has focus that Enter could trigger,
 * nothing is remembered, and closing signs nothing.
 */
export function SignDialog({ plan, keys, names, staleAtMs, onSign, onCancel, onStale }: SignDialogProps) {
  const [publicKey, setPublicKey] = useState(keys[0]!.publicKey)
  const [passphrase, setPassphrase] = useState('')
  const [progress, setProgress] = useState<'reading' | 'signing' | 'wrong-passphrase'>('reading')
  const isArmed = useArmed()
  const isStale = useServerNow(1000) > (staleAtMs ?? Infinity)
  const key = keys.find((candidate) => candidate.publicKey === publicKey) ?? keys[0]!
  const needsPassphrase = key.custody !== 'not-extractable'

  const sign = async () => {
    setProgress('signing')
    if (!(await onSign(key, needsPassphrase ? passphrase : undefined))) setProgress('wrong-passphrase')
  }

  return (
    <Dialog
      open
      onOpenChange={onCancel}
      dismissible={progress !== 'signing'}
      width="wide"
      initialFocus="frame"
      title="Sign this?"
      description="Read from the exact bytes that your key will sign. Your signature cannot be taken back, only answered by a new one."
      footer={
        <div className="grid gap-4">
          {needsPassphrase && <PassphraseField value={passphrase} onChange={setPassphrase} isWrong={progress === 'wrong-passphrase'} />}
          <div className="flex flex-wrap items-center justify-end gap-2">
            <span className="mr-auto text-12 text-muted">Closing signs nothing.</span>
            <Button size="lg" onClick={onCancel} disabled={progress === 'signing'}>
              Do not sign
            </Button>
            {isStale ? (
              <Button size="lg" variant="primary" onClick={onStale}>
                Prepare again
              </Button>
            ) : (
              <Button
                size="lg"
                variant="primary"
                icon={<KeyRound aria-hidden className="size-4" />}
                busy={progress === 'signing'}
                disabled={!isArmed || (needsPassphrase && passphrase === '')}
                onClick={(event) => event.nativeEvent.isTrusted && void sign()}
              >
                Sign
              </Button>
            )}
          </div>
        </div>
      }
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
        {isStale && (
          <Notice tone="wait" title="This was prepared too long ago">
            The authority takes a command for five minutes. Prepare it again: the same content with a fresh time.
          </Notice>
        )}
        <StatementView plan={plan} statement={describePlan(plan)} names={names} />
        <KeyChoice keys={keys} value={key} onChange={setPublicKey} />
      </div>
    </Dialog>
  )
}

// In the footer, so that it and its error stay in view under a long statement.
function PassphraseField({ value, onChange, isWrong }: { readonly value: string; readonly onChange: (value: string) => void; readonly isWrong: boolean }) {
  return (
    <Field label="Passphrase of this key" error={isWrong ? 'This passphrase does not open the key. Try again.' : undefined}>
      {(control) => <Input {...control} type="password" autoComplete="current-password" value={value} onChange={(event) => onChange(event.target.value)} />}
    </Field>
  )
}

function useArmed(): boolean {
  const [isArmed, setIsArmed] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsArmed(true), ARMED_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  return isArmed
}

function KeyChoice({ keys, value, onChange }: { readonly keys: readonly StoredKey[]; readonly value: StoredKey; readonly onChange: (publicKey: string) => void }) {
  return (
    <section aria-label="Signing key" className="grid grid-cols-[minmax(0,1fr)] gap-2 rounded-md border px-4 py-3">
      {keys.length > 1 && (
        <Field label="Key">
          {(control) => (
            <Select {...control} value={value.publicKey} onChange={(event) => onChange(event.target.value)}>
              {keys.map((key) => (
                <option key={key.publicKey} value={key.publicKey}>
                  {visibleText(key.label)}
                </option>
              ))}
            </Select>
          )}
        </Field>
      )}
      <p className="text-13">
        Signed with <bdi className="font-medium">{visibleText(value.label)}</bdi> <span className="text-muted">({CUSTODY_WORDS[value.custody]})</span>
      </p>
      <HashText grouped value={fingerprintOf(value.publicKey)} label="Fingerprint of the signing key" />
    </section>
  )
}
