'use client'

import { AskCoordinator } from '../mission/ask-coordinator.tsx'
import { isOver } from '../mission/is-over.ts'
import { useMission } from '../mission/mission-context.tsx'
import { useSelection } from '../mission/use-selection.ts'
import type { ParticipantView } from '../trpc.tsx'
import { classNames } from '../ui/class-names.ts'
import { PrincipalMark } from '../ui/principal-mark.tsx'
import { StateTag } from '../ui/state-tag.tsx'
import { visibleText } from '../ui/visible-text.ts'
import { BringIn } from './bring-in.tsx'

/** Everybody in the Mission, agents and people alike; those whose Membership ended stand last. */
export function PeopleList() {
  const { people, me } = useMission()
  const current = people.filter((who) => who.membershipState !== 'ended')
  const past = people.filter((who) => who.membershipState === 'ended')
  return (
    <div className="grid gap-6 pt-4">
      <Newcomers />
      <People title="Members" people={current} myId={me.principalId} />
      {past.length > 0 && <People title="Earlier members" people={past} myId={me.principalId} />}
    </div>
  )
}

/** How somebody comes in: by the owner's signature or the Coordinator's, and nobody else's. */
function Newcomers() {
  const mission = useMission()
  const { owner, coordinator, me } = mission
  if (isOver(mission)) return null
  const isOwner = owner.id === me.principalId
  return (
    <div className="flex flex-wrap items-center gap-2">
      {isOwner && <BringIn />}
      <AskCoordinator words="Please bring this agent in and offer it work: ">Ask the coordinator for an agent</AskCoordinator>
      {!isOwner && <p className="text-13 text-muted">Only <bdi>{visibleText(owner.name)}</bdi> and <bdi>{visibleText(coordinator.name)}</bdi> bring somebody in.</p>}
    </div>
  )
}

function People({ title, people, myId }: { readonly title: string; readonly people: readonly ParticipantView[]; readonly myId: string }) {
  return (
    <section>
      <h2 className="row border-b text-13 font-semibold text-muted">{title}, {people.length}</h2>
      <ul className="divide-y">{people.map((who) => <li key={who.id}><PersonRow who={who} isMe={who.id === myId} /></li>)}</ul>
    </section>
  )
}

function PersonRow({ who, isMe }: { readonly who: ParticipantView; readonly isMe: boolean }) {
  const { selected, select } = useSelection()
  const isSelected = selected === who.id
  return (
    <button
      type="button"
      aria-pressed={isSelected}
      onClick={() => select(who.id)}
      className={classNames('flex w-full flex-wrap items-center gap-x-4 gap-y-1 px-2 py-2 text-left', isSelected ? 'bg-action-wash' : 'hover:bg-sunk')}
    >
      <span className="flex min-w-0 flex-[1_1_16rem] items-center gap-2">
        <PrincipalMark id={who.id} />
        <span className="truncate font-medium"><bdi>{visibleText(who.name)}</bdi></span>
        <span className="shrink-0 text-13 text-muted">{who.type}{isMe && ', you'}</span>
      </span>
      <span className="w-36 text-13 text-muted">{who.role?.replaceAll('_', ' ') ?? 'no role'}</span>
      <span className="w-28">{who.membershipState !== undefined && <StateTag state={who.membershipState} />}</span>
      <span className="w-28">{who.online !== undefined && <StateTag state={who.online ? 'online' : 'offline'} />}</span>
      <span className="w-64 text-13 text-muted">{who.custody}</span>
    </button>
  )
}
