import { useQuery } from '@tanstack/react-query'
import { useTRPC, type UnreadableMission } from '../trpc.tsx'
import { Notice } from '../ui/notice.tsx'
import { visibleText } from '../ui/visible-text.ts'

/** Names my missions that a list on the same page had to leave out. */
export function UnreadableMissions() {
  const { data: missions = [] } = useQuery(useTRPC().missions.unreadable.queryOptions())
  return <LeftOut missions={missions} />
}

export function LeftOut({ missions }: { readonly missions: readonly UnreadableMission[] }) {
  if (missions.length === 0) return null
  return (
    <div className="pb-6">
      <Notice tone="fail" title={missions.length === 1 ? 'One of your missions cannot be read now' : `${missions.length} of your missions cannot be read now`}>
        {missions.map(({ missionId, title }) => (
          <bdi key={missionId} className="block truncate">
            {visibleText(title)}
          </bdi>
        ))}
        What waits on you there is not shown. Nothing of it was changed; tell whoever runs this server.
      </Notice>
    </div>
  )
}
