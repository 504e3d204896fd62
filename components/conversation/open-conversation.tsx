'use client'

import { useState } from 'react'
import { Lock, MessagesSquare, Plus } from 'lucide-react'
import { DecisionDialog } from '../mission/decision-dialog.tsx'
import { isOver } from '../mission/is-over.ts'
import { useMission } from '../mission/mission-context.tsx'
import { PrincipalChoice } from '../mission/principal-choice.tsx'
import { newUrn } from '../signing/command.ts'
import { Button } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { Field, Input, Select } from '../ui/field.tsx'
import { visibleText } from '../ui/visible-text.ts'

const TYPES = [
  { type: 'review', Icon: MessagesSquare, words: 'Review', meaning: 'Everybody in the mission reads it; those you choose post.' },
  { type: 'restricted', Icon: Lock, words: 'Restricted', meaning: 'Only those you choose, you and the coordinator read and post.' },
] as const
const MAX_TITLE = 500

/** Opens a Conversation for a review or for a few, signed by the owner. */
export function OpenConversation({ onOpened }: { readonly onOpened: (conversationId: string) => void }) {
  const mission = useMission()
  const [isOpen, setOpen] = useState(false)
  if (isOver(mission)) return null
  if (mission.owner.id !== mission.me.principalId) return <p className="px-2 text-12 text-muted">Further conversations are opened by <bdi>{visibleText(mission.owner.name)}</bdi> or <bdi>{visibleText(mission.coordinator.name)}</bdi>.</p>
  return (
    <>
      <Button variant="quiet" className="justify-self-start" icon={<Plus aria-hidden className="size-4" />} onClick={() => setOpen(true)}>Open a conversation</Button>
      {isOpen && <OpenDialog onOpened={onOpened} onClose={() => setOpen(false)} />}
    </>
  )
}

function OpenDialog({ onOpened, onClose }: { readonly onOpened: (conversationId: string) => void; readonly onClose: () => void }) {
  const { people, owner, coordinator, work } = useMission()
  const [conversationId] = useState(newUrn)
  const [type, setType] = useState<(typeof TYPES)[number]['type']>('review')
  const [title, setTitle] = useState('')
  const [chosen, setChosen] = useState<readonly string[]>([])
  const [workItemId, setWorkItem] = useState('')
  const others = people.filter(({ id, membershipState }) => membershipState === 'active' && id !== owner.id && id !== coordinator.id)
  const participants = others.filter(({ id }) => chosen.includes(id)).map((who) => ({ type: who.type, id: who.id }))
  const isTitled = title.trim() !== '' && [...title.trim()].length <= MAX_TITLE
  return (
    <DecisionDialog
      title="Open a conversation"
      description="You open it in your name, for good. That it exists, its title and who takes part are no secret in the mission. You and the coordinator always take part."
      keep="Do not open it"
      draft={() => (isTitled && participants.length > 0
        ? { kind: 'ext.countersign.conversation.open', expectedRevision: 0, payload: { conversationId, type, title: title.trim(), participants, ...(workItemId !== '' && { workItemId }) } }
        : undefined)}
      names={Object.fromEntries([...people.map(({ id, name }) => [id, name] as const), ...work.map((item) => [item.workItemId, item.goal] as const)])}
      onDone={() => onOpened(conversationId)}
      onClose={onClose}
    >
      <fieldset className="grid gap-2 sm:grid-cols-2">
        <legend className="sr-only">Who reads it</legend>
        {TYPES.map(({ type: each, Icon, words, meaning }) => (
          <label key={each} className={classNames('flex cursor-pointer items-start gap-2 rounded-md border px-3 py-2 has-focus-visible:outline-2 has-focus-visible:outline-action', each === type ? 'border-action bg-action-wash' : 'hover:bg-sunk')}>
            <input type="radio" name="conversation-type" value={each} checked={each === type} onChange={() => setType(each)} className="mt-1 shrink-0 accent-action" />
            <span className="min-w-0">
              <span className="flex items-center gap-1.5 font-medium"><Icon aria-hidden className="size-4" />{words}</span>
              <span className="block text-12 text-muted">{meaning}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <Field label="Title" error={[...title.trim()].length > MAX_TITLE ? `At most ${MAX_TITLE} characters.` : undefined}>
        {(control) => <Input {...control} value={title} onChange={(event) => setTitle(event.target.value)} />}
      </Field>
      {work.length > 0 && (
        <Field label="About">
          {(control) => (
            <Select {...control} value={workItemId} onChange={(event) => setWorkItem(event.target.value)}>
              <option value="">The mission as a whole</option>
              {work.map((item) => <option key={item.workItemId} value={item.workItemId}>{visibleText(item.goal)}</option>)}
            </Select>
          )}
        </Field>
      )}
      <fieldset className="grid gap-2">
        <legend className="pb-1 text-13 font-medium">Who takes part <span className="font-normal text-muted">besides you and the coordinator</span></legend>
        {others.length === 0 && <p className="text-13 text-muted">Nobody else is a member. Bring somebody in under People first.</p>}
        <div className="grid max-h-48 gap-2 overflow-y-auto p-0.5">
          {others.map((who) => (
            <PrincipalChoice
              key={who.id}
              type="checkbox"
              name="participant"
              who={who}
              note={who.type === 'human' ? 'person' : who.type}
              isChosen={chosen.includes(who.id)}
              onChange={(isChosen) => setChosen(isChosen ? [...chosen, who.id] : chosen.filter((id) => id !== who.id))}
            />
          ))}
        </div>
      </fieldset>
    </DecisionDialog>
  )
}
