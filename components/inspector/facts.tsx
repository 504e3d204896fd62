import type { ReactNode } from 'react'

/** Facts of what is selected, name by name. */
export function Facts({ children }: { readonly children: ReactNode }) {
  return <dl className="grid grid-cols-[7rem_minmax(0,1fr)] gap-x-3 gap-y-2 text-13">{children}</dl>
}

/** One fact; an absent one is left out by its caller, not shown empty. */
export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </>
  )
}

export function InspectorSection({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="grid gap-2 border-t pt-3">
      <h3 className="text-12 font-semibold text-muted">{title}</h3>
      {children}
    </section>
  )
}
