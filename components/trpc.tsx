'use client'

import { useEffect, useState, type ReactNode } from 'react'
import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query'
import { createTRPCClient, httpBatchLink, httpSubscriptionLink, splitLink, type TRPCClientErrorLike } from '@trpc/client'
import type { inferRouterOutputs } from '@trpc/server'
import { createTRPCContext } from '@trpc/tanstack-react-query'
import type { AppRouter } from '../server/gateways/console/router.ts'
import { observeServerTime } from './ui/clock.ts'

const { TRPCProvider, useTRPC, useTRPCClient } = createTRPCContext<AppRouter>()
export { useTRPC, useTRPCClient }

type Outputs = inferRouterOutputs<AppRouter>
type ConsoleError = TRPCClientErrorLike<AppRouter>
export type Session = Outputs['session']['current']
export type SignedInPerson = NonNullable<Session['me']>
export type KeyView = SignedInPerson['keys'][number]
export type AgentView = Outputs['agents']['list']['agents'][number]
export type TokenView = Outputs['agents']['tokens'][number]
export type AccessKeyView = Outputs['accessKeys']['list'][number]
export type MissionSummary = Outputs['missions']['list'][number]
export type UnreadableMission = Outputs['missions']['unreadable'][number]
export type MissionView = Outputs['missions']['view']
export type BoardItem = MissionView['work'][number]
export type BudgetLine = MissionView['budget'][number]
export type ParticipantView = MissionSummary['owner']
export type MessageView = Outputs['missions']['conversation']['messages'][number]
export type GraphPage = Outputs['missions']['graph']
export type SpaceSummary = Outputs['spaces']['list']['spaces'][number]
export type SpaceView = Outputs['spaces']['view']
export type SpaceMessageView = Outputs['spaces']['messages']['messages'][number]
export type PolicyView = Outputs['policy']['view']
export type PolicyVersionView = Outputs['policy']['versions']['versions'][number]
export type RulingLine = Outputs['policy']['rulings']['lines'][number]
export type NodeView = SpaceMessageView['author']
/** What the live feed tells. */
export type Growth = Outputs['live'] extends AsyncIterable<{ readonly data: infer G }> ? G : never
export type LogLine = Outputs['missions']['log']['lines'][number]
export type OfferView = Outputs['missions']['offer']
export type ArtifactView = Outputs['missions']['artifacts'][number]
export type ApprovalView = Outputs['missions']['approval']

const API = '/api/trpc'
const RETRIES = 2
// The server takes twice as many in one request.
const CALLS_AT_ONCE = 10
const ANSWERED_FOR_GOOD: ReadonlySet<string> = new Set(['UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND', 'BAD_REQUEST'])

/** The tRPC code of a failed query, if the server answered at all. */
export const errorCode = (error: unknown): string | undefined => (error as ConsoleError | null)?.data?.code

// The live feed says what grew, so nothing needs to be read again on a timer.
const createQueryClient = () =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 15_000,
        retry: (failures, error) => failures < RETRIES && !ANSWERED_FOR_GOOD.has(errorCode(error) ?? ''),
      },
    },
  })

const createClient = () =>
  createTRPCClient<AppRouter>({
    links: [
      splitLink({
        condition: (operation) => operation.type === 'subscription',
        true: httpSubscriptionLink({ url: API }),
        false: httpBatchLink({ url: API, maxItems: CALLS_AT_ONCE }),
      }),
    ],
  })

/** Typed client and query cache for everything below. */
export function ConsoleApi({ children }: { readonly children: ReactNode }) {
  const [queryClient] = useState(createQueryClient)
  const [trpcClient] = useState(createClient)
  return (
    <QueryClientProvider client={queryClient}>
      <TRPCProvider trpcClient={trpcClient} queryClient={queryClient}>
        {children}
      </TRPCProvider>
    </QueryClientProvider>
  )
}

/** Who is signed in and which authority answers; also keeps the page's clock on the authority's time. */
export function useSession() {
  const trpc = useTRPC()
  const query = useQuery(trpc.session.current.queryOptions())
  const { data, dataUpdatedAt } = query
  useEffect(() => {
    if (data !== undefined) observeServerTime(data.serverTime, dataUpdatedAt)
  }, [data, dataUpdatedAt])
  return query
}
