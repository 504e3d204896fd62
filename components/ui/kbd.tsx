import type { ReactNode } from 'react'

export function Kbd({ children }: { readonly children: ReactNode }) {
  return (
    <kbd className="inline-flex h-5 min-w-5 items-center justify-center rounded-sm border border-edge bg-raised px-1 font-mono text-12 text-muted">
      {children}
    </kbd>
  )
}
