import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { PrincipalMark } from './principal-mark.tsx'
import { visibleText } from './visible-text.ts'

export interface TalkBubbleProps {
  readonly author: { readonly id: string; readonly name: string; readonly note?: string }
  /** "says", "asks", "proposes": never a verb of authority. */
  readonly verb?: string
  readonly time?: ReactNode
  readonly children: ReactNode
  /** Replies, mentions, actions under the words. */
  readonly footer?: ReactNode
  readonly selected?: boolean
  readonly className?: string
}

/** Voice of talk: the author's mark beside a soft bubble without border or number. */
export function TalkBubble({ author, verb = 'says', time, children, footer, selected = false, className }: TalkBubbleProps) {
  return (
    <article className={classNames('flex items-start gap-2', className)}>
      <PrincipalMark id={author.id} className="mt-1" />
      <div className={classNames('max-w-measure min-w-0 rounded-lg rounded-tl-sm bg-talk px-4 py-2', selected && 'outline-2 outline-action')}>
        <p className="flex flex-wrap items-baseline gap-x-2 text-12 text-muted">
          <span>
            <bdi className="font-semibold text-ink" title={author.id}>
              {visibleText(author.name)}
            </bdi>{' '}
            {author.note !== undefined && <span>({author.note}) </span>}
            {verb}
          </span>
          {time}
        </p>
        <div className="peer-text mt-0.5">{children}</div>
        {footer}
      </div>
    </article>
  )
}
