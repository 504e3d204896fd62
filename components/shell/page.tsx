import type { ReactNode } from 'react'
import { classNames } from '../ui/class-names.ts'

/** Column of a page: `list` to scan, `form` to decide and fill in. */
export function Page({ width = 'list', children }: { readonly width?: 'list' | 'form'; readonly children: ReactNode }) {
  return <div className={classNames('mx-auto px-4 py-8 sm:px-6', width === 'list' ? 'max-w-6xl' : 'max-w-3xl')}>{children}</div>
}
