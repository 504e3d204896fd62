'use client'

import Link from 'next/link'
import { usePathname } from 'next/navigation'
import { useQuery } from '@tanstack/react-query'
import { Bot, House, KeyRound, MessagesSquare, PenLine, Scale, Target } from 'lucide-react'
import { useTRPC } from '../trpc.tsx'
import { signaturesAsked } from '../missions/health.ts'
import { classNames } from '../ui/class-names.ts'

const PLACES = [
  { href: '/', label: 'Home', Icon: House },
  { href: '/missions', label: 'Missions', Icon: Target },
  { href: '/spaces', label: 'Spaces', Icon: MessagesSquare },
  { href: '/approvals', label: 'Approvals', Icon: PenLine },
  { href: '/agents', label: 'Agents', Icon: Bot },
  { href: '/policy', label: 'Policy', Icon: Scale },
  { href: '/keys', label: 'Keys', Icon: KeyRound },
] as const

/** A phone has room for six; the seventh stands in one's own menu. */
const IN_MENU_ON_PHONE = '/policy'

/** The places: a rail at the left, a bar at the bottom on a phone. */
export function Navigation({ form }: { readonly form: 'rail' | 'bar' }) {
  const path = usePathname()
  const trpc = useTRPC()
  const waiting = signaturesAsked(useQuery(trpc.approvals.list.queryOptions()).data ?? [])
  return (
    <nav aria-label="Main">
      <ul className={form === 'rail' ? 'grid gap-1 p-2' : 'grid grid-cols-6'}>
        {PLACES.filter(({ href }) => form === 'rail' || href !== IN_MENU_ON_PHONE).map(({ href, label, Icon }) => {
          const isHere = href === '/' ? path === '/' : path === href || path.startsWith(`${href}/`)
          const count = href === '/approvals' && waiting > 0 ? waiting : undefined
          return (
            <li key={href}>
              <Link
                href={href}
                aria-current={isHere ? 'page' : undefined}
                className={classNames(
                  form === 'rail' ? 'row gap-3 rounded-md px-3' : 'relative flex h-14 flex-col items-center justify-center gap-1 text-12 -outline-offset-2',
                  isHere ? 'font-medium text-ink' : 'text-muted hover:text-ink',
                  isHere && form === 'rail' && 'bg-sunk',
                )}
              >
                <Icon aria-hidden className={classNames('size-4', isHere && 'text-action')} />
                <span className={form === 'rail' ? 'flex-1' : undefined}>{label}</span>
                {count !== undefined && (
                  <span className={classNames('rounded-full bg-wait-wash px-1.5 text-12 font-medium text-wait', form === 'bar' && 'absolute top-1 left-1/2 ml-2')}>
                    {count}
                    <span className="sr-only"> waiting for you</span>
                  </span>
                )}
              </Link>
            </li>
          )
        })}
      </ul>
    </nav>
  )
}
