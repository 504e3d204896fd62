'use client'

import { useEffect, useRef } from 'react'
import Link from 'next/link'
import { usePathname, useSearchParams } from 'next/navigation'
import { classNames } from '../ui/class-names.ts'

export interface ViewTabsProps {
  readonly label: string
  readonly views: readonly { readonly address: string; readonly label: string }[]
}

/** Views of one thing at addresses of their own. The selection travels along; on a phone the row scrolls and the present view is kept in sight. */
export function ViewTabs({ label, views }: ViewTabsProps) {
  const here = decodeURIComponent(usePathname())
  const selected = useSearchParams().get('sel')
  const row = useRef<HTMLElement>(null)
  useEffect(() => {
    const [nav, tab] = [row.current, row.current?.querySelector<HTMLElement>('[aria-current]')]
    if (nav && tab) nav.scrollLeft = tab.offsetLeft - nav.offsetLeft - (nav.clientWidth - tab.offsetWidth) / 2
  }, [here])
  const query = selected === null ? '' : `?sel=${encodeURIComponent(selected)}`
  return (
    <nav ref={row} aria-label={label} className="flex gap-1 overflow-x-auto border-b [scrollbar-width:none]">
      {views.map(({ address, label: name }) => {
        const isHere = here === decodeURIComponent(address)
        return (
          <Link
            key={name}
            href={address + query}
            scroll={false}
            aria-current={isHere ? 'page' : undefined}
            className={classNames(
              'flex h-10 shrink-0 items-center border-b-2 px-3 max-sm:px-2.5 font-medium transition-colors focus-visible:-outline-offset-2',
              isHere ? 'border-action text-ink' : 'border-transparent text-muted hover:text-ink',
            )}
          >
            {name}
          </Link>
        )
      })}
    </nav>
  )
}
