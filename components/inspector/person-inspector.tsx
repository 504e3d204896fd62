'use client'

import { useMission } from '../mission/mission-context.tsx'
import { MemberActions } from '../people/member-actions.tsx'
import { useSelection } from '../mission/use-selection.ts'
import type { ParticipantView } from '../trpc.tsx'
import { HashText } from '../ui/hash-text.tsx'
import { PrincipalMark } from '../ui/principal-mark.tsx'
import { StateTag, stateWord } from '../ui/state-tag.tsx'
import { visibleText } from '../ui/visible-text.ts'
import { Fact, Facts, InspectorSection } from './facts.tsx'

/** A participant: one mark for every kind; what it is and who holds its key is written out. */
export function PersonInspector({ who }: { readonly who: ParticipantView }) {
  const { work } = useMission()
  const { select } = useSelection()
  const owned = work.filter((item) => item.owner?.id === who.id)
  return (
    <>
      <div className="flex items-center gap-3">
        <PrincipalMark id={who.id} size="lg" />
        <div className="min-w-0">
          <p className="truncate text-16 font-semibold"><bdi>{visibleText(who.name)}</bdi></p>
          <p className="text-13 text-muted">{who.type}{who.role !== undefined && `, ${who.role.replaceAll('_', ' ')}`}</p>
        </div>
      </div>
      <Facts>
        <Fact name="Id"><HashText value={who.id} label="Principal id" /></Fact>
        {who.membershipState !== undefined && <Fact name="Membership"><StateTag state={who.membershipState} /></Fact>}
        {who.custody !== undefined && <Fact name="Key">{who.custody}</Fact>}
        {who.online !== undefined && <Fact name="Presence"><StateTag state={who.online ? 'online' : 'offline'} /></Fact>}
      </Facts>
      <MemberActions who={who} />
      {owned.length > 0 && (
        <InspectorSection title="Owns">
          <ul className="grid gap-1 text-13">
            {owned.map((item) => (
              <li key={item.workItemId}>
                <button type="button" onClick={() => select(item.workItemId)} className="text-left text-action"><bdi>{visibleText(item.goal)}</bdi></button> <span className="text-muted">{stateWord(item.state)}</span>
              </li>
            ))}
          </ul>
        </InspectorSection>
      )}
    </>
  )
}
