'use client'

import Link from 'next/link'
import { useQuery } from '@tanstack/react-query'
import { LinkedSentence, SequenceLink } from '../mission/sequence-link.tsx'
import { useMission } from '../mission/mission-context.tsx'
import { missionPath } from '../mission/mission-paths.ts'
import { useSelection } from '../mission/use-selection.ts'
import { useTRPC, type BoardItem } from '../trpc.tsx'
import { BudgetBar } from '../ui/budget-bar.tsx'
import { buttonClass } from '../ui/button.tsx'
import { HashText } from '../ui/hash-text.tsx'
import { PrincipalName } from '../ui/principal-mark.tsx'
import { Countdown } from '../ui/relative-time.tsx'
import { StateTag, stateWord } from '../ui/state-tag.tsx'
import { visibleText } from '../ui/visible-text.ts'
import { Fact, Facts, InspectorSection } from './facts.tsx'
import { WorkActions } from './work-actions.tsx'

/** A WorkItem: who holds it under which epoch, what it waits for, what it used and made. */
export function WorkInspector({ item }: { readonly item: BoardItem }) {
  const { missionId } = useMission()
  const { select } = useSelection()
  return (
    <>
      <p className="font-medium"><bdi>{visibleText(item.goal)}</bdi></p>
      <StateTag state={item.state} className="justify-self-start" />
      <WorkActions item={item} />
      <Facts>
        <Fact name="Authorized"><SequenceLink sequence={item.sequence} />, contract revision {item.revision}</Fact>
        {item.owner && (
          <Fact name="Owner">
            <button type="button" onClick={() => select(item.owner?.id)}><PrincipalName id={item.owner.id} name={item.owner.name} /></button>
            {item.ownershipEpoch !== undefined && <span className="block text-12 text-muted">ownership epoch {item.ownershipEpoch}</span>}
          </Fact>
        )}
        {item.leaseExpiresAt !== undefined && <Fact name="Lease ends in"><Countdown until={item.leaseExpiresAt} label="Execution lease" /></Fact>}
        <Fact name="Deadline"><Countdown until={item.deadline} label="Deadline" /></Fact>
        <Fact name="Attempts">{item.attempts}</Fact>
        {item.progress && <Fact name="Phase"><bdi>{visibleText(item.progress.phase)}</bdi></Fact>}
      </Facts>
      {item.child && (
        <InspectorSection title="Done by a Mission of its own">
          <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-13">
            <Link href={missionPath(item.child.missionId)} className="min-w-0 text-action"><bdi className="break-words">{visibleText(item.child.title)}</bdi></Link>
            <StateTag state={item.child.state} />
          </p>
        </InspectorSection>
      )}
      {item.blockers.length > 0 && (
        <InspectorSection title="Blocked by">
          <ul className="grid gap-1 text-13">{item.blockers.map((blocker) => <li key={blocker.sentence}><LinkedSentence {...blocker} /></li>)}</ul>
        </InspectorSection>
      )}
      {item.dependsOn.length > 0 && (
        <InspectorSection title="Depends on">
          <ul className="grid gap-1 text-13">
            {item.dependsOn.map((dependency) => (
              <li key={dependency.workItemId}>
                <button type="button" onClick={() => select(dependency.workItemId)} className="text-left text-action"><bdi>{visibleText(dependency.goal)}</bdi></button> <span className="text-muted">{stateWord(dependency.state)}</span>
              </li>
            ))}
          </ul>
        </InspectorSection>
      )}
      {item.progress && item.progress.milestones.length > 0 && (
        <InspectorSection title="Milestones done">
          <ul className="grid list-disc gap-1 pl-5 text-13">{item.progress.milestones.map((milestone) => <li key={milestone}><bdi>{visibleText(milestone)}</bdi></li>)}</ul>
        </InspectorSection>
      )}
      {item.budget.length > 0 && <InspectorSection title="Budget">{item.budget.map((line) => <BudgetBar key={line.dimension} {...line} />)}</InspectorSection>}
      {item.artifactHashes.length > 0 && (
        <InspectorSection title="Artifacts">
          <ul className="grid gap-1">{item.artifactHashes.map((hash) => <MadeArtifact key={hash} contentHash={hash} />)}</ul>
        </InspectorSection>
      )}
      <Link href={`${missionPath(missionId, '/conversation')}?in=${encodeURIComponent(item.conversationId)}&sel=${encodeURIComponent(item.workItemId)}`} className={buttonClass()}>
        Its conversation
      </Link>
    </>
  )
}

/** By its name as soon as that is loaded; the hash stays beside it. */
function MadeArtifact({ contentHash }: { readonly contentHash: string }) {
  const trpc = useTRPC()
  const { missionId } = useMission()
  const { select } = useSelection()
  const { data } = useQuery(trpc.missions.artifacts.queryOptions({ missionId }))
  const name = data?.find((candidate) => candidate.contentHash === contentHash)?.name
  return (
    <li className="flex min-w-0 flex-wrap items-center gap-x-3 text-13">
      <button type="button" onClick={() => select(contentHash)} className="min-w-0 text-left text-action"><bdi className="break-words">{visibleText(name ?? 'Open')}</bdi></button>
      <HashText value={contentHash} label="Content hash" />
    </li>
  )
}
