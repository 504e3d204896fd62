'use client'

import { useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import { UserRoundPlus } from 'lucide-react'
import { useAgents } from '../missions/coordinator-picker.tsx'
import { DecisionDialog } from '../mission/decision-dialog.tsx'
import { useMission } from '../mission/mission-context.tsx'
import { PrincipalChoice } from '../mission/principal-choice.tsx'
import { useTRPC } from '../trpc.tsx'
import { Button } from '../ui/button.tsx'
import { Field, Input, Select } from '../ui/field.tsx'
import { StateTag } from '../ui/state-tag.tsx'
import { membershipDraft, newcomers, rolesFor, type Candidate, type GivenRole, type Reads } from './membership-draft.ts'

/** Brings an Agent or a person into the Mission, signed by its owner. */
export function BringIn() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button icon={<UserRoundPlus aria-hidden className="size-4" />} onClick={() => setOpen(true)}>Bring somebody in</Button>
      {isOpen && <BringInDialog onClose={() => setOpen(false)} />}
    </>
  )
}

function BringInDialog({ onClose }: { readonly onClose: () => void }) {
  const { head } = useMission()
  const [who, setWho] = useState<Candidate>()
  const [role, setRole] = useState<GivenRole>()
  const [what, setReads] = useState<Reads>()
  const choose = (chosen: Candidate) => {
    setWho(chosen)
    setRole(rolesFor(chosen.type)[0]?.role)
  }
  return (
    <DecisionDialog
      title="Bring somebody in"
      description="You make them a member in your name, and they take part at once. That assigns no work: the coordinator offers it, or you do by stepping in."
      keep="Leave it as it is"
      draft={() => who && role && what && membershipDraft(who, role, { what, head })}
      {...(who && { names: { [who.id]: who.name } })}
      onClose={onClose}
    >
      <Who chosen={who} onChoose={choose} />
      {who && role && <RoleField type={who.type} value={role} onChange={setRole} />}
      {who && (
        <Field label="What they read" hint="To take up work that exists already, an agent has to read everything.">
          {(control) => (
            <Select {...control} value={what ?? ''} onChange={(event) => setReads(event.target.value as Reads)}>
              <option value="" disabled>Choose</option>
              <option value="everything">Everything so far, and what follows</option>
              <option value="from-now">Only what follows</option>
            </Select>
          )}
        </Field>
      )}
    </DecisionDialog>
  )
}

/** With more than this many there is a field to find somebody by. */
const MANY = 6

function Who({ chosen, onChoose }: { readonly chosen: Candidate | undefined; readonly onChoose: (who: Candidate) => void }) {
  const trpc = useTRPC()
  const { people } = useMission()
  const [sought, setSought] = useState('')
  const agents = useAgents()
  const colleagues = useQuery(trpc.missions.colleagues.queryOptions())
  if (!agents.data || !colleagues.data) return <p role="status" className="text-13 text-muted">{agents.error || colleagues.error ? 'Who there is could not be loaded. Close this and try again.' : 'Loading who there is'}</p>
  const all = newcomers(agents.data.agents, colleagues.data, people)
  if (all.length === 0) return <p className="text-13 text-muted">Everybody of the organization is a member already. An administrator adds agents and people.</p>
  const found = all.filter(({ name }) => name.toLowerCase().includes(sought.trim().toLowerCase()))
  return (
    <fieldset className="grid gap-2">
      <legend className="sr-only">Who</legend>
      {all.length > MANY && <Field label="Find by name">{(control) => <Input {...control} value={sought} onChange={(event) => setSought(event.target.value)} />}</Field>}
      <div className="grid max-h-60 gap-2 overflow-y-auto p-0.5">
        {found.map((who) => (
          <PrincipalChoice
            key={who.id}
            type="radio"
            name="newcomer"
            who={who}
            note={who.type === 'human' ? 'person' : 'agent'}
            isChosen={who.id === chosen?.id}
            onChange={() => onChoose(who)}
            aside={who.online !== undefined && <StateTag state={who.online ? 'online' : 'offline'} />}
          />
        ))}
        {found.length === 0 && <p className="text-13 text-muted">Nobody who could be brought in has such a name.</p>}
      </div>
    </fieldset>
  )
}

/** The roles that this kind of member can have. */
export function RoleField({ type, value, onChange }: { readonly type: Candidate['type']; readonly value: GivenRole; readonly onChange: (role: GivenRole) => void }) {
  return (
    <Field label="Role">
      {(control) => (
        <Select {...control} value={value} onChange={(event) => onChange(event.target.value as GivenRole)}>
          {rolesFor(type).map(({ role, words }) => <option key={role} value={role}>{words}</option>)}
        </Select>
      )}
    </Field>
  )
}
