import type { ReactNode } from 'react'
import { errorCode } from '../trpc.tsx'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'

interface QueryLike<T> {
  readonly data: T | undefined
  readonly error: unknown
  readonly isError: boolean
  refetch(): unknown
}

/** What a query has: its skeleton, its data, or what went wrong and what to do. Old data stays while a new read fails. */
export function QueryState<T>({ query, skeleton, children }: { readonly query: QueryLike<T>; readonly skeleton: ReactNode; readonly children: (data: T) => ReactNode }) {
  if (query.data !== undefined) return <>{children(query.data)}</>
  if (!query.isError) return <>{skeleton}</>
  if (errorCode(query.error) === 'NOT_FOUND') return <Notice title="This does not exist, or is not shown to you">Check the address, or ask the mission owner to add you.</Notice>
  return (
    <Notice tone="fail" title="This could not be read" action={<Button onClick={() => void query.refetch()}>Try again</Button>}>
      The server did not answer as expected.
    </Notice>
  )
}
