import type { ReactNode } from 'react'
import { errorCode } from '../trpc.tsx'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'

interface QueryLike<T> {
  readonly data: T | undefined
  readonly error: unknown
  readonly isError: boolean
  readonly isFetching: boolean
  refetch(): unknown
}

interface QueryStateProps<T> {
  readonly query: QueryLike<T>
  readonly skeleton: ReactNode
  /** Where the server says that there is nothing at this address for this person. */
  readonly absent?: ReactNode
  readonly children: (data: T) => ReactNode
}

/** What a query has: its skeleton, its data, or what went wrong and what to do. Old data stays while a new read fails. */
export function QueryState<T>({ query, skeleton, absent = <NotShown />, children }: QueryStateProps<T>) {
  if (query.data !== undefined) return <>{children(query.data)}</>
  if (!query.isError) return <>{skeleton}</>
  if (errorCode(query.error) === 'NOT_FOUND') return <>{absent}</>
  return (
    <Notice tone="fail" title="This could not be read" action={<Button busy={query.isFetching} onClick={() => void query.refetch()}>Try again</Button>}>
      The server did not answer as expected. Nothing was changed.
    </Notice>
  )
}

const NotShown = () => <Notice title="This does not exist, or is not shown to you">Check the address, or ask the mission owner to add you.</Notice>
