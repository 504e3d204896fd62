'use client'

import { useState } from 'react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTRPC, useTRPCClient } from '../trpc.tsx'
import { Button } from '../ui/button.tsx'
import { Snippet } from '../ui/copy-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field, Input, Select } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { capabilitiesOf, daysOf, draftFaults, EMPTY_DRAFT, LIFETIMES, type AgentDraft, type DraftFaults } from './agent-draft.ts'
import { DoorChoice } from './door-choice.tsx'
import { Handover } from './handover.tsx'
import { MAKE_KEY, type Credentials } from './snippets.ts'

/** Adds an Agent for one door and hands over what it connects with, once. */
export function AddAgentDialog({ origin, onClose }: { readonly origin: string; readonly onClose: () => void }) {
  const [draft, setDraft] = useState(EMPTY_DRAFT)
  const [isTried, setIsTried] = useState(false)
  const adding = useAddAgent()
  const faults = draftFaults(draft)
  const add = () => {
    setIsTried(true)
    if (Object.keys(faults).length === 0) adding.mutate(draft)
  }
  if (adding.data !== undefined) return <Handover name={draft.name.trim()} capabilities={capabilitiesOf(draft)} doors={[draft.door]} origin={origin} credentials={adding.data} onClose={onClose} />
  return (
    <Dialog
      open
      onOpenChange={onClose}
      dismissible={!adding.isPending}
      title="Add an agent"
      description="It takes no signature of yours, because it gives the agent no say: it belongs to no mission until its owner or coordinator brings it in, and can never approve anything."
      footer={
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose} disabled={adding.isPending}>Cancel</Button>
          <Button variant="primary" busy={adding.isPending} onClick={add}>Add the agent</Button>
        </div>
      }
    >
      <div className="grid gap-4">
        <AgentFields draft={draft} faults={isTried ? faults : {}} onChange={setDraft} />
        {adding.error !== null && <Notice tone="fail" title="The agent was not added">{adding.error.message}</Notice>}
      </div>
    </Dialog>
  )
}

function useAddAgent() {
  const api = useTRPCClient()
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (draft: AgentDraft): Promise<Credentials> => {
      const agent = { name: draft.name.trim(), capabilities: capabilitiesOf(draft) }
      if (draft.door === 'mwp') return api.agents.addKeyHolder.mutate({ ...agent, publicKey: draft.publicKey.trim() })
      return api.agents.addTokenHolder.mutate({ ...agent, door: draft.door, ...daysOf(draft.days) })
    },
    onSuccess: () => Promise.all([trpc.agents.pathFilter(), trpc.accessKeys.pathFilter()].map((filter) => queryClient.invalidateQueries(filter))),
  })
}

function AgentFields({ draft, faults, onChange }: { readonly draft: AgentDraft; readonly faults: DraftFaults; readonly onChange: (draft: AgentDraft) => void }) {
  const set = (member: keyof AgentDraft) => (event: { target: { value: string } }) => onChange({ ...draft, [member]: event.target.value })
  return (
    <>
      <DoorChoice value={draft.door} onChange={(door) => onChange({ ...draft, door })} />
      <Field label="Name" error={faults.name}>
        {(control) => <Input {...control} maxLength={200} value={draft.name} onChange={set('name')} placeholder="Link checker" />}
      </Field>
      <Field label="What it can do" hint="Work is offered to agents by these. One or several, as id@version." error={faults.capabilities}>
        {(control) => <Input {...control} className="font-mono text-13" value={draft.capabilities} onChange={set('capabilities')} placeholder="release.link-check@1.0.0" />}
      </Field>
      {draft.door === 'mwp' ? (
        <>
          <Field label="Public key" hint="The agent makes a key pair and keeps the other half." error={faults.publicKey}>
            {(control) => <Input {...control} className="font-mono text-13" value={draft.publicKey} onChange={set('publicKey')} />}
          </Field>
          <div className="grid gap-1">
            <p className="text-12 text-muted">Where the agent runs, this prints a pair:</p>
            <Snippet label="command that makes a key pair" text={MAKE_KEY} />
          </div>
        </>
      ) : (
        <Lifetime value={draft.days} onChange={(days) => onChange({ ...draft, days })} hint={`The server makes the agent’s key, signs for it and marks that in the log. A token lets the agent in${draft.door === 'ioa' ? '; an access key of its own, which lasts as long, lets it enter Spaces' : ''}.`} />
      )}
    </>
  )
}

/** How long a token or a key is good for. */
export function Lifetime({ label = 'Its token expires after', value, onChange, hint }: { readonly label?: string; readonly value: string; readonly onChange: (days: string) => void; readonly hint?: string }) {
  return (
    <Field label={label} {...(hint !== undefined && { hint })}>
      {(control) => (
        <Select {...control} className="sm:max-w-48" value={value} onChange={(event) => onChange(event.target.value)}>
          {LIFETIMES.map(({ days, label }) => (
            <option key={days} value={days}>
              {label}
            </option>
          ))}
        </Select>
      )}
    </Field>
  )
}
