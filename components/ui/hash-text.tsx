import { classNames } from './class-names.ts'
import { CopyButton } from './copy-button.tsx'
import { cutInMiddle, groupByFour } from './hash-format.ts'

export interface HashTextProps {
  /** A hash, key fingerprint or id. */
  readonly value: string
  /** What it is: "Hash of the signed bytes". Spoken before the value and used by the copy button. */
  readonly label: string
  /** Whole, in groups of four, in the one order used by dialog, receipt and command line: for anything that is signed. */
  readonly grouped?: boolean
  readonly copyable?: boolean
  readonly className?: string
}

/** An id or hash: cut in the middle, copyable, whole on focus; whole at once when `grouped`. */
export function HashText({ value, label, grouped = false, copyable = true, className }: HashTextProps) {
  return (
    <span className={classNames('inline-flex max-w-full items-center gap-1 font-mono text-12', className)}>
      {grouped ? <Grouped value={value} label={label} /> : <Cut value={value} label={label} />}
      {copyable && <CopyButton value={value} label={`Copy: ${label}`} className="-my-0.5 size-6" />}
    </span>
  )
}

function Grouped({ value, label }: { readonly value: string; readonly label: string }) {
  const { scheme, groups } = groupByFour(value)
  return (
    <span role="img" aria-label={`${label}: ${value}`} className="grid grid-cols-[repeat(8,max-content)] gap-x-1.5 text-13 max-[24rem]:grid-cols-[repeat(4,max-content)] sm:gap-x-2">
      {scheme !== '' && <span className="col-span-full text-12 text-muted">{scheme}</span>}
      {groups.map((group, at) => (
        <span key={at}>{group}</span>
      ))}
    </span>
  )
}

// The whole value opens over the line, not in it, so that focus never moves the layout.
function Cut({ value, label }: { readonly value: string; readonly label: string }) {
  const short = cutInMiddle(value)
  if (short === value) return <span title={label}>{value}</span>
  return (
    <span tabIndex={0} role="img" aria-label={`${label}: ${value}`} title={value} className="group relative rounded-sm outline-none">
      <span className="rounded-sm group-focus-visible:outline-2 group-focus-visible:outline-action">{short}</span>
      <span className="pointer-events-none absolute top-full left-0 z-30 mt-1 hidden w-max max-w-[min(40rem,80vw)] rounded-md border bg-raised px-2 py-1 break-all shadow-float group-focus-visible:block">
        {value}
      </span>
    </span>
  )
}
