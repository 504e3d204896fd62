'use client'

import { counted } from '../mission/counted.ts'
import { ViewTabs } from '../shell/view-tabs.tsx'
import { visibleText } from '../ui/visible-text.ts'
import { useSpace } from './space-context.tsx'
import { SPACE_VIEWS, spacePath } from './space-paths.ts'
import { Tags } from './tags.tsx'

/** What stands above every view of an open Space. */
export function SpaceHeader() {
  const { name, tags, memberCount, messageCount, isMember } = useSpace()
  return (
    <header className="grid gap-2 pb-3">
      <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
        <h1 className="min-w-0 text-20 font-semibold tracking-tight"><bdi className="break-words">{visibleText(name)}</bdi></h1>
        <Tags tags={tags} />
      </div>
      <p className="text-13 text-muted">
        {counted(memberCount, 'Node')}, {counted(messageCount, 'message')}. {isMember ? 'You take part.' : 'You have not entered it; everybody who is signed in may read it.'} Talk only: nothing here is signed, and nothing here approves anything.
      </p>
    </header>
  )
}

/** The views of an open Space. */
export function SpaceTabs() {
  const { spaceId } = useSpace()
  return <ViewTabs label="Views of this Space" views={SPACE_VIEWS.map(({ path, label }) => ({ address: spacePath(spaceId, path), label }))} />
}
