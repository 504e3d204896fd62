import { classNames } from './class-names.ts'

/** Placeholder; give it the size of what will stand there. */
export function Skeleton({ className }: { readonly className?: string }) {
  return <span aria-hidden className={classNames('block rounded-sm bg-sunk motion-safe:animate-breathe', className)} />
}

/** Rows of 32 px while a list loads. */
export function SkeletonRows({ rows, label = 'Loading' }: { readonly rows: number; readonly label?: string }) {
  return (
    <div role="status" aria-label={label} className="divide-y">
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className="row">
          <Skeleton className={classNames('h-4', row % 2 === 0 ? 'w-3/5' : 'w-2/5')} />
        </div>
      ))}
    </div>
  )
}
