'use client'

import Link from 'next/link'
import { useRouter, useSearchParams } from 'next/navigation'
import { useQuery } from '@tanstack/react-query'
import { missionPath } from '../mission/mission-paths.ts'
import { QueryState } from '../shell/query-state.tsx'
import { useSession, useTRPC, type MissionSummary, type RulingLine } from '../trpc.tsx'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Field, Select } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { PrincipalName } from '../ui/principal-mark.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { SkeletonRows } from '../ui/skeleton.tsx'
import { StateTag } from '../ui/state-tag.tsx'
import { visibleText } from '../ui/visible-text.ts'
import { POLICY_LOG_PATH, POLICY_PATH } from './policy-paths.ts'
import { areaWord, rulingSentence } from './ruling-words.ts'
import { usePolicy, useRulings, type RulingFilter } from './use-policy.ts'

/** What policy had a say in, newest first: all of it for administrators, that of their own Missions for everybody else. */
export function PolicyLog() {
  const missions = useQuery(useTRPC().missions.list.queryOptions())
  const policy = usePolicy()
  const skeleton = <div className="pt-6"><SkeletonRows rows={8} /></div>
  return (
    <QueryState query={missions} skeleton={skeleton}>
      {(all) => <QueryState query={policy} skeleton={skeleton}>{({ spaceId }) => <Rulings missions={all} policySpaceId={spaceId} />}</QueryState>}
    </QueryState>
  )
}

function Rulings({ missions, policySpaceId }: { readonly missions: readonly MissionSummary[]; readonly policySpaceId: string }) {
  const { filter, choose } = useFilter()
  const me = useSession().data?.me
  const isAdmin = me?.isAdmin === true
  const scopes = scopesFor(missions, { isAdmin, principalId: me?.principalId, policySpaceId })
  const groupId = filter.groupId ?? (isAdmin ? undefined : scopes[0]?.groupId)
  const hasScope = isAdmin || groupId !== undefined
  const rulings = useRulings({ ...filter, ...(groupId !== undefined && { groupId }) }, hasScope)
  if (!hasScope) return <div className="pt-6"><EmptyState title="You own no mission">Of missions that you own you read here where policy let something through or refused it.</EmptyState></div>
  return (
    <>
      <Filters filter={{ ...filter, ...(groupId !== undefined && { groupId }) }} scopes={scopes} hasAll={isAdmin} onChoose={choose} />
      <QueryState query={rulings} skeleton={<SkeletonRows rows={8} />} absent={<Notice title="This log is not shown to you">Of a mission it is for its owner and for administrators.</Notice>}>
        {(lines) =>
          lines.length === 0 ? (
            <EmptyState title="No rulings here">Policy has let nothing through and refused nothing that this choice would show. Most of what happens in a mission needs no ruling.</EmptyState>
          ) : (
            <ol aria-label="Rulings" className="divide-y border-y">{lines.map((line) => <Ruling key={line.entry} line={line} onOnly={(only) => choose({ ...filter, groupId: only })} />)}</ol>
          )
        }
      </QueryState>
      {rulings.hasNextPage && <Button busy={rulings.isFetchingNextPage} onClick={() => void rulings.fetchNextPage()} className="mt-4">Show older rulings</Button>}
      <p className="max-w-measure pt-6 text-12 text-muted">Refusals are kept for a year, what was let through for as long as its event. Signatures that failed are in the operator’s audit trail.</p>
    </>
  )
}

interface Scope { readonly groupId: string; readonly label: string }

/** What the log can be narrowed to. */
function scopesFor(missions: readonly MissionSummary[], { isAdmin, principalId, policySpaceId }: { readonly isAdmin: boolean; readonly principalId: string | undefined; readonly policySpaceId: string }): readonly Scope[] {
  const readable = missions.filter(({ owner }) => isAdmin || owner.id === principalId).map(({ groupId, title }) => ({ groupId, label: title }))
  return isAdmin ? [{ groupId: policySpaceId, label: 'The policy itself' }, ...readable] : readable
}

/** The filter stands in the address, so that it can be sent to somebody. */
function useFilter() {
  const params = useSearchParams()
  const router = useRouter()
  const [groupId, outcome] = [params.get('group'), params.get('outcome')]
  const filter: RulingFilter = { ...(groupId !== null && { groupId }), ...((outcome === 'allowed' || outcome === 'refused') && { outcome }) }
  const choose = (next: RulingFilter) => {
    const query = new URLSearchParams({ ...(next.groupId !== undefined && { group: next.groupId }), ...(next.outcome !== undefined && { outcome: next.outcome }) }).toString()
    router.replace(query === '' ? POLICY_LOG_PATH : `${POLICY_LOG_PATH}?${query}`, { scroll: false })
  }
  return { filter, choose }
}

interface FiltersProps { readonly filter: RulingFilter; readonly scopes: readonly Scope[]; readonly hasAll: boolean; readonly onChoose: (filter: RulingFilter) => void }

function Filters({ filter: { groupId, outcome }, scopes, hasAll, onChoose }: FiltersProps) {
  const isListed = groupId === undefined || scopes.some((scope) => scope.groupId === groupId)
  const withOutcome = (typed: string): RulingFilter => (typed === 'allowed' || typed === 'refused' ? { outcome: typed } : {})
  return (
    <div className="grid gap-4 py-6 sm:grid-cols-[minmax(0,24rem)_12rem]">
      <Field label="About">
        {(control) => (
          <Select {...control} value={groupId ?? ''} onChange={(event) => onChoose({ ...withOutcome(outcome ?? ''), ...(event.target.value !== '' && { groupId: event.target.value }) })}>
            {hasAll && <option value="">Everything</option>}
            {scopes.map((scope) => <option key={scope.groupId} value={scope.groupId}>{visibleText(scope.label)}</option>)}
            {!isListed && <option value={groupId}>{hasAll ? 'A mission that you take no part in' : 'A mission that is not yours'}</option>}
          </Select>
        )}
      </Field>
      <Field label="Outcome">
        {(control) => (
          <Select {...control} value={outcome ?? ''} onChange={(event) => onChoose({ ...withOutcome(event.target.value), ...(groupId !== undefined && { groupId }) })}>
            <option value="">Allowed and refused</option>
            <option value="allowed">Allowed</option>
            <option value="refused">Refused</option>
          </Select>
        )}
      </Field>
    </div>
  )
}

function Ruling({ line, onOnly }: { readonly line: RulingLine; readonly onOnly: (groupId: string) => void }) {
  const { outcome, area, actor, at, kind, code, policyVersion } = line
  return (
    <li className="grid grid-cols-[minmax(0,1fr)] gap-x-4 gap-y-1 px-2 py-3 sm:grid-cols-[6rem_minmax(0,1fr)]">
      <span><StateTag state={outcome === 'refused' ? 'denied' : 'authorized'} word={outcome === 'refused' ? 'Refused' : 'Allowed'} /></span>
      <div className="min-w-0">
        <p className="max-w-measure break-words"><bdi>{visibleText(rulingSentence(line))}</bdi></p>
        <p className="flex flex-wrap items-center gap-x-3 gap-y-0.5 text-13 text-muted">
          <PrincipalName id={actor.id} name={actor.name} />
          {line.groupId !== undefined && <span>{areaWord(area)}</span>}
          <About line={line} onOnly={onOnly} />
          <span>under policy version {policyVersion}</span>
          <RelativeTime at={at} />
          <span className="font-mono text-12 break-all">{kind}{code !== undefined && ` ${code}`}</span>
        </p>
      </div>
    </li>
  )
}

/** Leads to the Event that was let through, or to the log in which it would have stood. */
function About({ line: { groupId, mission, sequence }, onOnly }: { readonly line: RulingLine; readonly onOnly: (groupId: string) => void }) {
  if (groupId === undefined) return <Link href={POLICY_PATH} className="text-action hover:underline">the policy itself</Link>
  if (mission === undefined) return <button type="button" title={groupId} onClick={() => onOnly(groupId)} className="text-action hover:underline">a mission that you take no part in</button>
  const selected = sequence === undefined ? '' : `?sel=${sequence}`
  return <Link href={missionPath(mission.missionId, '/log') + selected} className="min-w-0 text-action hover:underline"><bdi className="break-words">{visibleText(mission.title)}</bdi>{sequence !== undefined && ` #${sequence}`}</Link>
}
