import { classNames } from '../ui/class-names.ts'
import { visibleText } from '../ui/visible-text.ts'

/** Product and organization. The mark is two strokes that close one form: a signature and its countersignature. */
export function Wordmark({ organization, isShortOnPhone = false }: { readonly organization: string | undefined; readonly isShortOnPhone?: boolean }) {
  return (
    <span className="flex min-w-0 items-center gap-2">
      <svg aria-hidden viewBox="0 0 20 20" className="size-5 shrink-0 fill-none stroke-action" strokeWidth={2} strokeLinecap="round">
        <path d="M16.5 5.2A8 8 0 1 0 16.5 14.8" />
        <path d="M6.5 10.2l2.6 2.6 8.4-8.4" />
      </svg>
      <span className={classNames('min-w-0 leading-tight', isShortOnPhone && 'hidden sm:block')}>
        <span className="block font-semibold tracking-tight">Countersign</span>
        {organization !== undefined && <bdi className="block truncate text-12 text-muted">{visibleText(organization)}</bdi>}
      </span>
    </span>
  )
}
