'use client'

import { useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import { DecisionDialog } from '../mission/decision-dialog.tsx'
import { useMission } from '../mission/mission-context.tsx'
import { PrincipalChoice } from '../mission/principal-choice.tsx'
import { useTRPC, type BoardItem, type OfferView } from '../trpc.tsx'
import { serverNow } from '../ui/clock.ts'
import { Field, Select } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { absoluteTime } from '../ui/relative-time.tsx'
import { StateTag } from '../ui/state-tag.tsx'
import { visibleText } from '../ui/visible-text.ts'
import { offerDraft } from './offer-draft.ts'

const DURATIONS = [
  [600, '10 minutes'],
  [3600, '1 hour'],
  [24 * 3600, '1 day'],
] as const

/** The owner offers work in the Coordinator's stead, an audited emergency. */
export function OfferDialog({ item, onClose }: { readonly item: BoardItem; readonly onClose: () => void }) {
  const trpc = useTRPC()
  const { missionId, people } = useMission()
  const { data: offer, error } = useQuery(trpc.missions.offer.queryOptions({ missionId, workItemId: item.workItemId }, { staleTime: 0, refetchOnMount: 'always' }))
  const [candidateIds, setCandidates] = useState<readonly string[]>([])
  const [seconds, setSeconds] = useState<number>(DURATIONS[1][0])
  return (
    <DecisionDialog
      title="Step in: offer this work"
      description="You offer it in the coordinator’s stead, and the log says so with your reason. The first of those you choose who accepts owns the work; earlier offers of it are void."
      keep="Leave it to the coordinator"
      reasonHint="Why it cannot wait for the coordinator. Signed with the offer; everybody in the mission reads it."
      draft={(reason) => (offer && offer.obstacle === undefined ? offerDraft(offer, { candidateIds, seconds }, reason, serverNow()) : undefined)}
      names={{ [item.workItemId]: item.goal, ...Object.fromEntries(people.map(({ id, name }) => [id, name])) }}
      onClose={onClose}
    >
      <p className="font-medium"><bdi>{visibleText(item.goal)}</bdi></p>
      {offer?.obstacle !== undefined && <Notice tone="wait" title="It cannot be offered now"><bdi>{visibleText(offer.obstacle)}</bdi>{offer.until !== undefined && ` Until ${absoluteTime(offer.until)}, unless it gives the work back before.`}</Notice>}
      {error && <Notice tone="fail" title="Who can do it could not be loaded">Close this and try again.</Notice>}
      {!offer && !error && <p role="status" className="text-13 text-muted">Loading who can do it</p>}
      {offer && <Candidates offer={offer} chosen={candidateIds} onChange={setCandidates} />}
      <Field label="The offer stands for" hint="Whoever accepts later is refused.">
        {(control) => (
          <Select {...control} value={seconds} onChange={(event) => setSeconds(Number(event.target.value))}>
            {DURATIONS.map(([value, words]) => <option key={value} value={value}>{words}</option>)}
          </Select>
        )}
      </Field>
    </DecisionDialog>
  )
}

function Candidates({ offer, chosen, onChange }: { readonly offer: OfferView; readonly chosen: readonly string[]; readonly onChange: (ids: readonly string[]) => void }) {
  const { candidates, requiredCapabilities } = offer
  const needs = requiredCapabilities.map(({ id, version }) => `${id} ${version}`).join(', ')
  if (candidates.length === 0) return <Notice tone="wait" title="No agent works in this mission">Bring one in under People first, as a worker that reads everything.</Notice>
  return (
    <fieldset className="grid gap-2">
      <legend className="pb-1 text-13 font-medium">To whom <span className="font-normal text-muted">(needs {needs})</span></legend>
      <div className="grid max-h-60 gap-2 overflow-y-auto p-0.5">
        {candidates.map(({ who, whyNot }) => (
          <PrincipalChoice
            key={who.id}
            type="checkbox"
            name="candidate"
            who={who}
            note="agent"
            isChosen={whyNot === undefined && chosen.includes(who.id)}
            onChange={(isChosen) => onChange(isChosen ? [...chosen, who.id] : chosen.filter((id) => id !== who.id))}
            whyNot={whyNot}
            aside={who.online !== undefined && <StateTag state={who.online ? 'online' : 'offline'} />}
          />
        ))}
      </div>
    </fieldset>
  )
}
