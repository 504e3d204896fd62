'use client'

import { useEffect, useRef } from 'react'
import Link from 'next/link'
import { usePathname, useSearchParams } from 'next/navigation'
import { classNames } from '../ui/class-names.ts'
import { useMission } from './mission-context.tsx'
import { MISSION_TABS, missionPath } from './mission-paths.ts'

/** The six views of a Mission. The selection travels along; on a phone the row scrolls and the present view is kept in sight. */
export function MissionTabs() {
  const { missionId } = useMission()
  const here = decodeURIComponent(usePathname())
  const selected = useSearchParams().get('sel')
  const row = useRef<HTMLElement>(null)
  useEffect(() => {
    const [nav, tab] = [row.current, row.current?.querySelector<HTMLElement>('[aria-current]')]
    if (nav && tab) nav.scrollLeft = tab.offsetLeft - nav.offsetLeft - (nav.clientWidth - tab.offsetWidth) / 2
  }, [here])
  const query = selected === null ? '' : `?sel=${encodeURIComponent(selected)}`
  return (
    <nav ref={row} aria-label="Views of this mission" className="flex gap-1 overflow-x-auto border-b [scrollbar-width:none]">
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
              'flex h-10 shrink-0 items-center border-b-2 px-3 max-sm:px-2.5 font-medium transition-colors focus-visible:-outline-offset-2',
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
