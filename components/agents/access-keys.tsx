'use client'

import { useState } from 'react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { QueryState } from '../shell/query-state.tsx'
import { useTRPC, type AccessKeyView } from '../trpc.tsx'
import { Button } from '../ui/button.tsx'
import { Snippet } from '../ui/copy-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field, Input } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { Section } from '../ui/page-header.tsx'
import { SkeletonRows } from '../ui/skeleton.tsx'
import { visibleText } from '../ui/visible-text.ts'
import { Lifetime } from './add-agent.tsx'
import { daysOf } from './agent-draft.ts'
import { CredentialRow } from './credential-row.tsx'

/** Keys with which IOA clients enrol Nodes of their own. */
export function AccessKeys({ origin }: { readonly origin: string }) {
  const trpc = useTRPC()
  const keys = useQuery(trpc.accessKeys.list.queryOptions())
  const [isMaking, setIsMaking] = useState(false)
  return (
    <Section title="Access keys" aside={<Button variant="quiet" onClick={() => setIsMaking(true)}>New access key</Button>}>
      <p className="max-w-measure px-2 pt-3 text-13 text-muted">Whoever has one can register IOA nodes here and enter open Spaces. It opens no mission. An agent that was added for IOA has one under its own name, with which it enters Spaces.</p>
      <QueryState query={keys} skeleton={<SkeletonRows rows={1} />}>
        {(all) => (all.length === 0 ? <p className="px-2 py-3 text-13 text-muted">None has been made: nobody can register a node.</p> : <ul className="divide-y">{all.map((key) => <AccessKeyRow key={key.accessKeyId} accessKey={key} />)}</ul>)}
      </QueryState>
      {isMaking && <NewAccessKeyDialog origin={origin} onClose={() => setIsMaking(false)} />}
    </Section>
  )
}

function AccessKeyRow({ accessKey }: { readonly accessKey: AccessKeyView }) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const revoking = useMutation(trpc.accessKeys.revoke.mutationOptions({ onSettled: () => queryClient.invalidateQueries(trpc.accessKeys.pathFilter()) }))
  return (
    <CredentialRow
      what={`the access key ${visibleText(accessKey.label)}`}
      id={accessKey.accessKeyId}
      terms={accessKey}
      isBusy={revoking.isPending}
      fault={revoking.error?.message}
      consequence="Nobody can register a node or enter a Space with it any more. Nodes that it registered stay, with their tokens."
      onRevoke={() => revoking.mutate({ accessKeyId: accessKey.accessKeyId })}
    >
      <bdi className="font-medium">{visibleText(accessKey.label)}</bdi>
    </CredentialRow>
  )
}

function NewAccessKeyDialog({ origin, onClose }: { readonly origin: string; readonly onClose: () => void }) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const [label, setLabel] = useState('')
  const [days, setDays] = useState('30')
  const making = useMutation(trpc.accessKeys.create.mutationOptions({ onSuccess: () => queryClient.invalidateQueries(trpc.accessKeys.pathFilter()) }))
  const isMade = making.data !== undefined
  return (
    <Dialog
      open
      onOpenChange={onClose}
      dismissible={!making.isPending && !isMade}
      title="New access key"
      description="For IOA clients that register nodes of their own."
      footer={
        <div className="flex flex-wrap justify-end gap-2">
          {!isMade && <Button onClick={onClose} disabled={making.isPending}>Cancel</Button>}
          {isMade ? (
            <Button variant="primary" onClick={onClose}>I have copied it</Button>
          ) : (
            <Button variant="primary" busy={making.isPending} disabled={label.trim() === ''} onClick={() => making.mutate({ label: label.trim(), ...daysOf(days) })}>Make the access key</Button>
          )}
        </div>
      }
    >
      <div className="grid gap-4">
        {making.data === undefined ? (
          <>
            <Field label="Who gets it">{(control) => <Input {...control} maxLength={200} value={label} onChange={(event) => setLabel(event.target.value)} placeholder="Lab" />}</Field>
            <Lifetime label="It expires after" value={days} onChange={setDays} />
            {making.error !== null && <Notice tone="fail" title="The access key was not made">{making.error.message}</Notice>}
          </>
        ) : (
          <>
            <Notice tone="wait" title="The access key is shown this once" />
            <Snippet label="environment of an IOA client" text={`export IOA_URL=${origin.replace('://', `://${making.data.accessKey}@`)}/ioa`} />
          </>
        )}
      </div>
    </Dialog>
  )
}
