'use client'

import { useState } from 'react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTRPC, type AgentView } from '../trpc.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Checkbox, Field, Input } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { visibleText } from '../ui/visible-text.ts'
import { Lifetime } from './add-agent.tsx'
import { daysOf } from './agent-draft.ts'
import { DOORS, type TokenDoor } from './doors.ts'
import { Handover } from './handover.tsx'

/** Another token for an Agent, for the same place or another. */
export function NewTokenDialog({ agent, origin, onClose }: { readonly agent: AgentView; readonly origin: string; readonly onClose: () => void }) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const [doors, setDoors] = useState<readonly TokenDoor[]>(['mcp'])
  const [label, setLabel] = useState('')
  const [days, setDays] = useState('30')
  const issuing = useMutation(trpc.agents.issueToken.mutationOptions({ onSuccess: () => queryClient.invalidateQueries(trpc.agents.pathFilter()) }))
  const toggle = (door: TokenDoor) => setDoors(doors.includes(door) ? doors.filter((other) => other !== door) : [...doors, door])
  if (issuing.data !== undefined) return <Handover name={agent.name} capabilities={agent.capabilities} doors={doors} origin={origin} credentials={issuing.data} onClose={onClose} />
  return (
    <Dialog
      open
      onOpenChange={onClose}
      dismissible={!issuing.isPending}
      title={<>New token for <bdi>{visibleText(agent.name)}</bdi></>}
      description={agent.isCustodial ? 'Tokens that it has already stay good.' : 'By these doors it negotiates and talks in open Spaces; in missions it goes on signing with its own key.'}
      footer={
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose} disabled={issuing.isPending}>Cancel</Button>
          <Button variant="primary" busy={issuing.isPending} disabled={doors.length === 0 || label.trim() === ''} onClick={() => issuing.mutate({ agentId: agent.agentId, doors: [...doors], label: label.trim(), ...daysOf(days) })}>
            Make the token
          </Button>
        </div>
      }
    >
      <div className="grid gap-4">
        <Field label="What it is for" hint="So that you know later which one to revoke.">
          {(control) => <Input {...control} maxLength={200} value={label} onChange={(event) => setLabel(event.target.value)} placeholder="Second laptop" />}
        </Field>
        <fieldset className="grid gap-2">
          <legend className="pb-1 text-13 font-medium">Doors that it opens</legend>
          {DOORS.flatMap(({ door, name }) => (door === 'mwp' ? [] : [<Checkbox key={door} checked={doors.includes(door)} onChange={() => toggle(door)}>{name}</Checkbox>]))}
        </fieldset>
        <Lifetime value={days} onChange={setDays} />
        {issuing.error !== null && <Notice tone="fail" title="The token was not made">{issuing.error.message}</Notice>}
      </div>
    </Dialog>
  )
}
