'use client'

import { useEffect, type ReactNode } from 'react'
import Link from 'next/link'
import { usePathname, useRouter } from 'next/navigation'
import { useSession, type Session } from '../trpc.tsx'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { ConnectionState } from './connection-state.tsx'
import { LiveProvider } from './live.tsx'
import { MeMenu } from './me-menu.tsx'
import { Navigation } from './navigation.tsx'
import { OriginNotice } from './origin-notice.tsx'
import { ThemeMenu } from './theme.tsx'
import type { Theme } from './theme-cookie.ts'
import { UnansweredCommands } from './unanswered-commands.tsx'
import { Wordmark } from './wordmark.tsx'

/** Pages for people who are not signed in. */
const OPEN_PAGES: ReadonlySet<string> = new Set(['/enrol', '/sign-in'])

/** Frame of every page. Below it a page may rely on somebody being signed in, except on the open pages. */
export function Shell({ theme, children }: { readonly theme: Theme; readonly children: ReactNode }) {
  const path = usePathname()
  return OPEN_PAGES.has(path) ? <OpenFrame theme={theme}>{children}</OpenFrame> : <SignedInFrame theme={theme}>{children}</SignedInFrame>
}

function OpenFrame({ theme, children }: { readonly theme: Theme; readonly children: ReactNode }) {
  const { data: session } = useSession()
  return (
    <div className="mx-auto flex min-h-dvh max-w-xl flex-col px-4 sm:px-6">
      <header className="flex h-16 items-center justify-between">
        <Wordmark organization={session?.organization.name} />
        <ThemeMenu initial={theme} />
      </header>
      <main id="content" className="flex-1 pt-8 pb-16 sm:pt-16">
        <OriginNotice session={session} />
        {children}
      </main>
    </div>
  )
}

function SignedInFrame({ theme, children }: { readonly theme: Theme; readonly children: ReactNode }) {
  const query = useSession()
  const session = query.data
  useSignInWhenNeeded(session)
  return (
    <LiveProvider>
      <a href="#content" className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-md focus:bg-raised focus:px-3 focus:py-2">
        Skip to content
      </a>
      <header className="sticky top-0 z-30 flex h-12 items-center gap-4 border-b bg-paper px-4">
        <Link href="/" className="flex min-w-0 items-center md:w-48">
          <Wordmark organization={session?.organization.name} isShortOnPhone />
        </Link>
        <span className="flex min-w-0 flex-1 justify-end md:justify-start">
          <ConnectionState />
        </span>
        <ThemeMenu initial={theme} />
        {session?.me ? <MeMenu me={session.me} /> : <Skeleton className="size-6" />}
      </header>
      <div className="md:grid md:grid-cols-[13rem_minmax(0,1fr)]">
        <aside className="hidden border-r md:block">
          <div className="sticky top-12 h-[calc(100dvh-3rem)] overflow-y-auto">{session?.me && <Navigation form="rail" />}</div>
        </aside>
        <main id="content" tabIndex={-1} className="min-w-0 pb-14 outline-none md:pb-0">
          <OriginNotice session={session} />
          {session !== undefined && <UnansweredCommands session={session} />}
          <Content session={session} isFailed={query.isError} onRetry={() => void query.refetch()}>
            {children}
          </Content>
        </main>
      </div>
      <div className="fixed inset-x-0 bottom-0 z-30 border-t bg-paper pb-[env(safe-area-inset-bottom)] md:hidden">{session?.me && <Navigation form="bar" />}</div>
    </LiveProvider>
  )
}

interface ContentProps {
  readonly session: Session | undefined
  readonly isFailed: boolean
  readonly onRetry: () => void
  readonly children: ReactNode
}

function Content({ session, isFailed, onRetry, children }: ContentProps) {
  if (session?.me) return children
  if (session === undefined && isFailed) {
    return (
      <div className="p-6">
        <Notice tone="fail" title="The server does not answer" action={<Button onClick={onRetry}>Try again</Button>}>
          Nothing is lost: signed commands are kept in this browser until they are answered.
        </Notice>
      </div>
    )
  }
  return (
    <div role="status" aria-label="Loading" className="grid gap-4 px-4 py-8 sm:px-6">
      <Skeleton className="h-9 w-64" />
      <Skeleton className="h-4 w-96 max-w-full" />
    </div>
  )
}

/** Leads to the sign-in page and back again. */
function useSignInWhenNeeded(session: Session | undefined): void {
  const path = usePathname()
  const router = useRouter()
  const isNeeded = session !== undefined && session.me === null
  useEffect(() => {
    if (isNeeded) router.replace(`/sign-in?next=${encodeURIComponent(path + location.search)}`)
  }, [isNeeded, path, router])
}
