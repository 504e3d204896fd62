'use client'

import { useRef, useState, type ChangeEvent } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import { FileKey } from 'lucide-react'
import { HELD_KEYS } from '../shell/use-held-keys.ts'
import { useSigner } from '../signing/signer-provider.tsx'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { visibleText } from '../ui/visible-text.ts'

const LARGEST_FILE_BYTES = 64 * 1024

/** Takes a key file into this browser. Its passphrase is asked for when the key is used. */
export function KeyFileInput() {
  const signer = useSigner()
  const queryClient = useQueryClient()
  const input = useRef<HTMLInputElement>(null)
  const [outcome, setOutcome] = useState<{ readonly taken: string } | 'unreadable'>()

  const take = async (event: ChangeEvent<HTMLInputElement>) => {
    const file = event.target.files?.[0]
    event.target.value = ''
    if (file === undefined) return
    const taken = file.size > LARGEST_FILE_BYTES ? undefined : await signer.importKeyFile(await file.text())
    setOutcome(taken?.ok ? { taken: taken.value.label } : 'unreadable')
    await queryClient.invalidateQueries({ queryKey: HELD_KEYS })
  }
  return (
    <div className="grid justify-items-start gap-3">
      <input ref={input} type="file" accept="application/json,.json" aria-label="Key file" className="sr-only" tabIndex={-1} onChange={(event) => void take(event)} />
      <Button icon={<FileKey aria-hidden className="size-4" />} onClick={() => input.current?.click()}>
        Open a key file
      </Button>
      {outcome === 'unreadable' && (
        <Notice tone="fail" title="This is no key file">
          Choose the file that you saved under Keys; its name begins with countersign-key.
        </Notice>
      )}
      {typeof outcome === 'object' && (
        <Notice title={`The key “${visibleText(outcome.taken)}” is in this browser now`}>You will be asked for its passphrase each time it signs.</Notice>
      )}
    </div>
  )
}
