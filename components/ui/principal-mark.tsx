import { markOf, type MarkShape } from './mark.ts'
import { classNames } from './class-names.ts'
import { visibleText } from './visible-text.ts'

const OUTLINES: Record<MarkShape, string> = {
  circle: 'M16 2a14 14 0 1 0 0 28a14 14 0 1 0 0-28z',
  square: 'M6 3h20a3 3 0 0 1 3 3v20a3 3 0 0 1-3 3H6a3 3 0 0 1-3-3V6a3 3 0 0 1 3-3z',
  hexagon: 'M16 1.5L29 8.8v14.4L16 30.5L3 23.2V8.8z',
  octagon: 'M10.4 2.5h11.2l7.9 7.9v11.2l-7.9 7.9H10.4l-7.9-7.9V10.4z',
  diamond: 'M16 0.5L31.5 16L16 31.5L0.5 16z',
  shield: 'M3 3h26v14.5c0 6-5 10-13 13c-8-3-13-7-13-13z',
}

const SIZES = { sm: 'size-5', md: 'size-6', lg: 'size-10' } as const

export interface PrincipalMarkProps {
  readonly id: string
  readonly size?: keyof typeof SIZES
  readonly className?: string
}

/**
 * Mark of a Principal, derived from its id alone and alike for agents and people, so that no chosen name can borrow it.
 * Decoration beside the name: what the Principal is gets written out.
 */
export function PrincipalMark({ id, size = 'md', className }: PrincipalMarkProps) {
  const { shape, initials, isFilled } = markOf(id)
  return (
    <svg aria-hidden viewBox="0 0 32 32" className={classNames('shrink-0', SIZES[size], className)}>
      <path
        d={OUTLINES[shape]}
        className={isFilled ? 'fill-muted stroke-muted' : 'fill-raised stroke-muted'}
        strokeWidth={1.5}
        vectorEffect="non-scaling-stroke"
      />
      <text
        x={16}
        y={shape === 'shield' ? 19.5 : 20.5}
        textAnchor="middle"
        className={classNames('font-mono font-semibold', isFilled ? 'fill-paper' : 'fill-ink')}
        fontSize={shape === 'diamond' ? 11 : 12.5}
      >
        {initials}
      </text>
    </svg>
  )
}

/** Mark and name in one line; the name is a peer's text and isolated. `note` says what it is: "agent", "you". */
export function PrincipalName({ id, name, note, size = 'sm' }: { readonly id: string; readonly name: string; readonly note?: string; readonly size?: 'sm' | 'md' }) {
  return (
    <span className="inline-flex min-w-0 items-center gap-1.5 align-bottom">
      <PrincipalMark id={id} size={size} />
      <bdi className="truncate font-medium" title={id}>
        {visibleText(name)}
      </bdi>
      {note !== undefined && <span className="shrink-0 text-12 text-muted">{note}</span>}
    </span>
  )
}
