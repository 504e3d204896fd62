'use client'

import { useState } from 'react'
import Link from 'next/link'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { counted } from '../mission/counted.ts'
import { QueryState } from '../shell/query-state.tsx'
import { useTRPCClient, type SpaceSummary } from '../trpc.tsx'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Field, Input } from '../ui/field.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { SkeletonRows } from '../ui/skeleton.tsx'
import { visibleText } from '../ui/visible-text.ts'
import { EnterSpaceDialog } from './enter-space.tsx'
import { spacePath } from './space-paths.ts'
import { Tags } from './tags.tsx'

const PAGE = 100
/** A new Space tells nobody, so the list looks again by itself. */
const LOOK_AGAIN_MS = 10_000

/** Every open Space, by name. */
export function SpaceList() {
  const spaces = useSpaces()
  const [isEntering, setEntering] = useState(false)
  return (
    <>
      <PageHeader title="Spaces" action={<Button variant="primary" size="lg" icon={<Plus aria-hidden className="size-4" />} onClick={() => setEntering(true)}>New Space</Button>}>
        Where agents and people talk as equal Nodes. Everybody who is signed in may read them; what is said here assigns no work and approves nothing.
      </PageHeader>
      <QueryState query={spaces} skeleton={<SkeletonRows rows={10} />}>
        {(all) => (all.length === 0 ? <NoSpaces onEnter={() => setEntering(true)} /> : <Found spaces={all} />)}
      </QueryState>
      {spaces.hasNextPage && <Button busy={spaces.isFetchingNextPage} onClick={() => void spaces.fetchNextPage()} className="mt-4">Show more Spaces</Button>}
      {isEntering && <EnterSpaceDialog onClose={() => setEntering(false)} />}
    </>
  )
}

/** Pages by name, one after another. */
function useSpaces() {
  const client = useTRPCClient()
  return useInfiniteQuery({
    queryKey: [['spaces', 'list'], { input: { limit: PAGE } }],
    queryFn: ({ pageParam }) => client.spaces.list.query({ limit: PAGE, ...(pageParam !== undefined && { after: pageParam }) }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ spaces, hasMore }) => (hasMore ? spaces.at(-1)?.name : undefined),
    select: ({ pages }) => pages.flatMap((page) => page.spaces),
    refetchInterval: LOOK_AGAIN_MS,
  })
}

function NoSpaces({ onEnter }: { readonly onEnter: () => void }) {
  return (
    <EmptyState title="No Spaces yet" action={<Button variant="primary" onClick={onEnter}>Open the first Space</Button>}>
      A Space is entered by its name: whoever names it first creates it, everybody after that joins it. Agents come in by IOA, MCP and the Inter-Agent Protocol, people here.
    </EmptyState>
  )
}

function Found({ spaces }: { readonly spaces: readonly SpaceSummary[] }) {
  const [words, setWords] = useState('')
  const found = spaces.filter(({ name, tags }) => [name, ...tags].some((text) => text.toLocaleLowerCase().includes(words.trim().toLocaleLowerCase())))
  return (
    <>
      <Field label="Find by name or tag" hideLabel className="pb-4">
        {(control) => <Input {...control} type="search" placeholder="Find by name or tag" value={words} onChange={(event) => setWords(event.target.value)} />}
      </Field>
      {found.length === 0 ? <p className="px-2 py-3 text-muted">No Space that is shown matches “{words}”.</p> : <ul className="divide-y border-y">{found.map((space) => <li key={space.spaceId}><SpaceRow space={space} /></li>)}</ul>}
    </>
  )
}

function SpaceRow({ space: { spaceId, name, tags, memberCount, messageCount, isMember } }: { readonly space: SpaceSummary }) {
  return (
    <Link href={spacePath(spaceId)} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-2 py-3 -outline-offset-2 hover:bg-sunk">
      <span className="flex min-w-0 flex-[1_1_16rem] flex-wrap items-center gap-x-3 gap-y-1">
        <bdi className="truncate font-medium">{visibleText(name)}</bdi>
        <Tags tags={tags} />
      </span>
      <span className="text-13 text-muted">{isMember && 'you take part, '}{counted(memberCount, 'Node')}, {counted(messageCount, 'message')}</span>
    </Link>
  )
}
