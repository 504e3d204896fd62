'use client'

import { useState } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import { FileKey, KeyRound, Save } from 'lucide-react'
import { HELD_KEYS } from '../shell/use-held-keys.ts'
import type { RefusalWords } from '../signing/refusal-sentences.ts'
import { useSigner } from '../signing/signer-provider.tsx'
import type { HeldKey, KeyUse, WantedKey } from '../signing/signer.ts'
import { useTRPCClient, type SignedInPerson } from '../trpc.tsx'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { Section } from '../ui/page-header.tsx'
import { browserName } from './browser-name.ts'
import { KeyFileInput } from './key-file-input.tsx'
import { addKey } from './key-registration.ts'
import { saveKeyFile } from './save-key-file.ts'

export interface AddKeysProps {
  readonly me: SignedInPerson
  readonly held: readonly HeldKey[] | undefined
}

/** Second keys: one as a file to come back with, and those of a browser that so far has only the file. */
export function AddKeys({ me, held }: AddKeysProps) {
  const { add, isBusy, refusal } = useAddKey(me)
  const [made, setMade] = useState<HeldKey>()
  const valid = new Set(me.keys.filter((key) => key.revokedAt === undefined).map((key) => key.keyId))
  const usable = held?.filter((key) => key.binding !== undefined && valid.has(key.binding.keyId)) ?? []
  const missing = (['authority', 'conversation'] as const).filter((use) => !usable.some((key) => key.use === use && key.custody !== 'key-file'))
  const canAuthorize = usable.some((key) => key.use === 'authority')

  const makeFile = async () => setMade(await add({ use: 'authority', label: 'Key file', place: 'file' }))
  const makeForBrowser = async () => {
    for (const use of missing) if ((await add({ use, label: browserName(navigator.userAgent), place: 'browser' })) === undefined) return
  }
  if (held === undefined) return null
  return (
    <Section title="Add a key">
      <div className="grid gap-6 pt-4">
        {refusal !== undefined && <Notice tone="fail" title={refusal.happened}>{refusal.next}</Notice>}
        {made === undefined ? (
          <MakeFile isBusy={isBusy} canAuthorize={canAuthorize} onMake={() => void makeFile()} />
        ) : (
          <SaveFile made={made} personName={me.name} onSaved={() => setMade(undefined)} />
        )}
        {missing.length > 0 && <MakeForBrowser missing={missing} isBusy={isBusy} canAuthorize={canAuthorize} onMake={() => void makeForBrowser()} />}
      </div>
    </Section>
  )
}

function useAddKey(me: SignedInPerson) {
  const signer = useSigner()
  const api = useTRPCClient()
  const queryClient = useQueryClient()
  const [isBusy, setIsBusy] = useState(false)
  const [refusal, setRefusal] = useState<RefusalWords>()
  const add = async (wanted: WantedKey): Promise<HeldKey | undefined> => {
    setIsBusy(true)
    setRefusal(undefined)
    const outcome = await addKey({ signer, api }, me, wanted)
    setIsBusy(false)
    await queryClient.invalidateQueries()
    await queryClient.invalidateQueries({ queryKey: HELD_KEYS })
    if (outcome.ok) return outcome.value
    setRefusal(outcome.error)
    return undefined
  }
  return { add, isBusy, refusal }
}

function MakeFile({ isBusy, canAuthorize, onMake }: { readonly isBusy: boolean; readonly canAuthorize: boolean; readonly onMake: () => void }) {
  return (
    <div className="grid justify-items-start gap-2">
      <p className="max-w-measure text-muted">
        A key file is a second authority key, encrypted under a passphrase. Keep it away from this machine: on a stick, or with somebody you trust. With it you can sign in anywhere and go on deciding.
      </p>
      <Button variant="primary" busy={isBusy} disabled={!canAuthorize} icon={<FileKey aria-hidden className="size-4" />} onClick={onMake}>
        Make a key file
      </Button>
      {!canAuthorize && (
        <p className="text-13 text-muted">An authority key of yours has to authorize a new one, and this browser holds none. Go to the browser that does, or open your key file:</p>
      )}
      {!canAuthorize && <KeyFileInput />}
    </div>
  )
}

function SaveFile({ made, personName, onSaved }: { readonly made: HeldKey; readonly personName: string; readonly onSaved: () => void }) {
  const signer = useSigner()
  const queryClient = useQueryClient()
  const [wasOffered, setWasOffered] = useState(false)
  const finish = async () => {
    await signer.forgetKey(made.publicKey)
    await queryClient.invalidateQueries({ queryKey: HELD_KEYS })
    onSaved()
  }
  return (
    <Notice tone="wait" title="The key is registered. Save its file now.">
      Once you have the file, the key leaves this browser: it is worth having only if it is not lost together with it.
      <div className="mt-3 flex flex-wrap gap-2">
        <Button variant="primary" icon={<Save aria-hidden className="size-4" />} onClick={() => void saveKeyFile(signer, made.publicKey, personName).then(setWasOffered)}>
          Save the key file
        </Button>
        <Button disabled={!wasOffered} onClick={() => void finish()}>
          I have the file
        </Button>
      </div>
    </Notice>
  )
}

interface MakeForBrowserProps {
  readonly missing: readonly KeyUse[]
  readonly isBusy: boolean
  readonly canAuthorize: boolean
  readonly onMake: () => void
}

function MakeForBrowser({ missing, isBusy, canAuthorize, onMake }: MakeForBrowserProps) {
  return (
    <div className="grid justify-items-start gap-2">
      <p className="max-w-measure text-muted">
        This browser has no {missing.join(' and no ')} key of its own. Make {missing.length === 1 ? 'it' : 'them'} here, each authorized by the authority key that you opened, and you no longer need the file for daily work.
      </p>
      <Button busy={isBusy} disabled={!canAuthorize} icon={<KeyRound aria-hidden className="size-4" />} onClick={onMake}>
        Make {missing.length === 1 ? 'a key' : 'keys'} for this browser
      </Button>
    </div>
  )
}
