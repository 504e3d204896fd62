import type { ReactNode } from 'react'

/** Title of a page with one sentence and its main action. */
export function PageHeader({ title, children, action }: { readonly title: ReactNode; readonly children?: ReactNode; readonly action?: ReactNode }) {
  return (
    <header className="flex flex-wrap items-end justify-between gap-4 pb-6">
      <div className="min-w-0">
        <h1 className="text-28 font-semibold tracking-tight">{title}</h1>
        {children !== undefined && <p className="mt-1 max-w-measure text-muted">{children}</p>}
      </div>
      {action}
    </header>
  )
}

/** A titled part of a page. */
export function Section({ title, aside, children }: { readonly title: ReactNode; readonly aside?: ReactNode; readonly children: ReactNode }) {
  return (
    <section className="pb-8">
      <div className="row justify-between gap-4 border-b">
        <h2 className="text-13 font-semibold text-muted">{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  )
}
