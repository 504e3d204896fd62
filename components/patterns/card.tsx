import type { ReactNode } from 'react'
import type { LucideIcon } from 'lucide-react'

export interface CardProps {
  readonly Icon: LucideIcon
  /** What convention the Message follows. */
  readonly label: string
  /** State in words, at the far end of the first line. */
  readonly state?: ReactNode
  readonly children: ReactNode
}

/** A Message that follows a convention. Still talk: no rule, no seal. */
export function Card({ Icon, label, state, children }: CardProps) {
  return (
    <div className="my-1 grid gap-2 rounded-md bg-paper p-3 whitespace-normal">
      <p className="flex flex-wrap items-center justify-between gap-2 text-12 font-semibold text-muted">
        <span className="inline-flex items-center gap-1.5"><Icon aria-hidden className="size-4" />{label}</span>
        {state}
      </p>
      {children}
    </div>
  )
}

/** Facts of a card on one line each, absent ones left out by the caller. */
export function CardFacts({ facts }: { readonly facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  if (facts.length === 0) return null
  return (
    <dl className="flex flex-wrap gap-x-6 gap-y-1 text-13">
      {facts.map(([name, value]) => <div key={name} className="min-w-0"><dt className="text-12 text-muted">{name}</dt><dd className="break-words">{value}</dd></div>)}
    </dl>
  )
}
