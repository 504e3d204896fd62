import type { ReactNode } from 'react'
import { CircleX, Hourglass, Info } from 'lucide-react'
import { classNames } from './class-names.ts'

export type NoticeTone = 'plain' | 'wait' | 'fail'

const LOOK = {
  plain: { Icon: Info, box: 'border-line bg-raised', mark: 'text-muted' },
  wait: { Icon: Hourglass, box: 'border-wait/40 bg-wait-wash', mark: 'text-wait' },
  fail: { Icon: CircleX, box: 'border-fail/40 bg-fail-wash', mark: 'text-fail' },
} as const

export interface NoticeProps {
  readonly tone?: NoticeTone
  /** What happened. */
  readonly title: ReactNode
  /** What to do. */
  readonly children?: ReactNode
  /** Protocol code, small behind the sentence. */
  readonly code?: string
  readonly action?: ReactNode
}

/** What happened, then what to do. */
export function Notice({ tone = 'plain', title, children, code, action }: NoticeProps) {
  const { Icon, box, mark } = LOOK[tone]
  return (
    <div role={tone === 'fail' ? 'alert' : 'status'} className={classNames('flex flex-wrap gap-3 rounded-md border px-4 py-3 sm:flex-nowrap', box)}>
      <Icon aria-hidden className={classNames('mt-0.5 size-4 shrink-0', mark)} />
      <div className="min-w-0 flex-1 basis-4/5 sm:basis-0">
        <p className="font-medium">
          {title}
          {code !== undefined && <span className="ml-2 font-mono text-12 font-normal text-muted">{code}</span>}
        </p>
        {children !== undefined && <div className="mt-1 text-13 text-muted">{children}</div>}
      </div>
      {action !== undefined && <div className="ml-7 shrink-0 self-center sm:ml-0">{action}</div>}
    </div>
  )
}
