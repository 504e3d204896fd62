'use client'

import type { ReactNode } from 'react'
import { Tabs as Primitive } from 'radix-ui'

export interface TabsProps<T extends string> {
  readonly label: string
  readonly value: T
  readonly onChange: (value: T) => void
  readonly tabs: readonly { readonly value: T; readonly label: ReactNode; readonly count?: number }[]
  /** Content of the chosen tab only. */
  readonly children: ReactNode
  readonly className?: string
}

/** A row of tabs over one panel. The caller owns the choice, usually in the URL. */
export function Tabs<T extends string>({ label, value, onChange, tabs, children, className }: TabsProps<T>) {
  return (
    <Primitive.Root value={value} onValueChange={(next) => onChange(next as T)} className={className}>
      <Primitive.List aria-label={label} className="flex gap-1 overflow-x-auto border-b [scrollbar-width:none]">
        {tabs.map((tab) => (
          <Primitive.Trigger
            key={tab.value}
            value={tab.value}
            className="flex h-10 shrink-0 items-center gap-2 border-b-2 border-transparent px-3 text-14 font-medium text-muted transition-colors hover:text-ink focus-visible:-outline-offset-2 data-[state=active]:border-action data-[state=active]:text-ink"
          >
            {tab.label}
            {tab.count !== undefined && <span className="text-12 font-normal text-past">{tab.count}</span>}
          </Primitive.Trigger>
        ))}
      </Primitive.List>
      <Primitive.Content value={value} className="min-w-0 outline-none">
        {children}
      </Primitive.Content>
    </Primitive.Root>
  )
}
