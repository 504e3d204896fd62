'use client'

import Link from 'next/link'
import { usePathname, useSearchParams } from 'next/navigation'
import { classNames } from '../ui/class-names.ts'
import { useMission } from './mission-context.tsx'
import { MISSION_TABS, missionPath } from './mission-paths.ts'

/** The six views of a Mission. The selection travels along. */
export function MissionTabs() {
  const { missionId } = useMission()
  const here = decodeURIComponent(usePathname())
  const selected = useSearchParams().get('sel')
  const query = selected === null ? '' : `?sel=${encodeURIComponent(selected)}`
  return (
    <nav aria-label="Views of this mission" className="flex gap-1 overflow-x-auto border-b">
      {MISSION_TABS.map(({ path, label }) => {
        const address = missionPath(missionId, path)
        const isHere = here === decodeURIComponent(address)
        return (
          <Link
            key={label}
            href={address + query}
            scroll={false}
            aria-current={isHere ? 'page' : undefined}
            className={classNames(
              '-mb-px flex h-10 shrink-0 items-center border-b-2 px-3 font-medium transition-colors focus-visible:-outline-offset-2',
              isHere ? 'border-action text-ink' : 'border-transparent text-muted hover:text-ink',
            )}
          >
            {label}
          </Link>
        )
      })}
    </nav>
  )
}
