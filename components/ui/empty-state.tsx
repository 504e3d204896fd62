import type { ReactNode } from 'react'

/** Says what is not here yet and teaches the next step with a working button or a copyable snippet. */
export function EmptyState({ title, children, action }: { readonly title: string; readonly children?: ReactNode; readonly action?: ReactNode }) {
  return (
    <div className="flex flex-col items-start gap-2 rounded-md border border-dashed px-6 py-8">
      <h2 className="text-16 font-semibold">{title}</h2>
      {children !== undefined && <div className="max-w-measure text-14 text-muted">{children}</div>}
      {action !== undefined && <div className="mt-2">{action}</div>}
    </div>
  )
}
