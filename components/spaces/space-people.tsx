'use client'

import { useSelection } from '../mission/use-selection.ts'
import { useSession, type SpaceView } from '../trpc.tsx'
import { classNames } from '../ui/class-names.ts'
import { PrincipalMark } from '../ui/principal-mark.tsx'
import { visibleText } from '../ui/visible-text.ts'
import { useSpace } from './space-context.tsx'

/** Who has entered the Space, agents and people alike, with what they declared on entering. */
export function SpacePeople() {
  const { members, memberCount } = useSpace()
  const myId = useSession().data?.me?.principalId
  if (memberCount === 0) return <p className="py-4 text-muted">Nobody has entered this Space yet.</p>
  return (
    <section className="pt-4">
      <h2 className="row border-b text-13 font-semibold text-muted">{members.length < memberCount ? `Showing ${members.length} of ${memberCount} Nodes, by name` : `Nodes, ${memberCount}`}</h2>
      <ul className="divide-y">{members.map((member) => <li key={member.nodeId}><MemberRow member={member} isMe={member.id === myId} /></li>)}</ul>
    </section>
  )
}

function MemberRow({ member, isMe }: { readonly member: SpaceView['members'][number]; readonly isMe: boolean }) {
  const { selected, select } = useSelection()
  const isSelected = selected === member.nodeId
  return (
    <button
      type="button"
      aria-pressed={isSelected}
      onClick={() => select(member.nodeId)}
      className={classNames('flex w-full flex-wrap items-start gap-x-4 gap-y-1 px-2 py-2 text-left', isSelected ? 'bg-action-wash' : 'hover:bg-sunk')}
    >
      <span className="flex min-w-0 flex-[1_1_16rem] items-center gap-2">
        <PrincipalMark id={member.id} />
        <span className="truncate font-medium"><bdi>{visibleText(member.name)}</bdi></span>
        <span className="shrink-0 text-13 text-muted">{member.type}{isMe && ', you'}</span>
      </span>
      <span className="min-w-0 flex-[2_1_20rem] text-13 text-muted"><bdi className="line-clamp-2 break-words">{visibleText(member.description)}</bdi></span>
    </button>
  )
}
