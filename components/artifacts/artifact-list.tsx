'use client'

import { useQuery } from '@tanstack/react-query'
import { ChevronRight, Download, FileText } from 'lucide-react'
import { useMission } from '../mission/mission-context.tsx'
import { artifactPath } from '../mission/mission-paths.ts'
import { SequenceLink } from '../mission/sequence-link.tsx'
import { useSelection } from '../mission/use-selection.ts'
import { useTRPC, type ArtifactView } from '../trpc.tsx'
import { buttonClass } from '../ui/button.tsx'
import { Button } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { Notice } from '../ui/notice.tsx'
import { PrincipalName } from '../ui/principal-mark.tsx'
import { SkeletonRows } from '../ui/skeleton.tsx'
import { visibleText } from '../ui/visible-text.ts'
import { ArtifactPreview } from './artifact-preview.tsx'
import { HashVerdict } from './hash-verdict.tsx'
import { sizeWords } from './size-words.ts'
import { useArtifactCheck } from './use-artifact-check.ts'

/** Everything that was published in the Mission, newest first. The selected one opens in place and is hashed here. */
export function ArtifactList() {
  const trpc = useTRPC()
  const { missionId } = useMission()
  const { data, error, isPending, refetch } = useQuery(trpc.missions.artifacts.queryOptions({ missionId }))
  if (isPending) return <div className="pt-4"><SkeletonRows rows={6} label="Loading the artifacts" /></div>
  if (error && !data) {
    return <div className="pt-4"><Notice tone="fail" title="The artifacts could not be loaded" action={<Button onClick={() => void refetch()}>Try again</Button>}>The board and the log do not need them.</Notice></div>
  }
  if (data.length === 0) {
    return <div className="pt-6"><EmptyState title="Nothing is published yet">A worker publishes the results of its work item here before it submits them. Each one is named by the hash of its bytes, and this page recomputes that hash.</EmptyState></div>
  }
  return (
    <ul className="divide-y pt-2">
      {[...data].reverse().map((view) => <ArtifactRow key={view.artifact.artifactId} view={view} />)}
    </ul>
  )
}

function ArtifactRow({ view }: { readonly view: ArtifactView }) {
  const { selected, select } = useSelection()
  const isOpen = selected === view.contentHash
  return (
    <li>
      <div className={classNames('flex flex-wrap items-center gap-x-4 gap-y-1 px-2 py-2', isOpen && 'bg-action-wash')}>
        <button type="button" aria-expanded={isOpen} onClick={() => select(isOpen ? undefined : view.contentHash)} className="flex min-w-0 flex-[1_1_14rem] items-center gap-2 text-left font-medium">
          <ChevronRight aria-hidden className={classNames('size-4 shrink-0 text-muted transition-transform', isOpen && 'rotate-90')} />
          <FileText aria-hidden className="size-4 shrink-0 text-muted" />
          <bdi className="truncate">{visibleText(view.name)}</bdi>
        </button>
        <span className="w-20 text-13 text-muted">{sizeWords(view.artifact.sizeBytes)}</span>
        <span className="w-36 truncate text-13 text-muted">{view.artifact.mediaType}</span>
        <span className="w-24 text-13 text-muted">{view.artifact.classification}</span>
        <span className="flex w-44 min-w-0"><PrincipalName id={view.producer.id} name={view.producer.name} /></span>
        <span className="w-32 text-12 whitespace-nowrap">{view.submitted ? <span className="rounded-full border px-2 py-0.5">in the submission</span> : <span className="text-past">not submitted</span>}</span>
        <SequenceLink sequence={view.sequence} className="text-13" />
      </div>
      {isOpen && <OpenArtifact view={view} />}
    </li>
  )
}

function OpenArtifact({ view }: { readonly view: ArtifactView }) {
  const { artifact } = view
  const checked = useArtifactCheck(artifact)
  return (
    <div className="grid gap-4 px-2 pt-2 pb-6 sm:pl-8">
      <p className="text-13 text-muted">
        {view.workGoal === undefined ? 'Brought in from another mission' : <>Result of “<bdi>{visibleText(view.workGoal)}</bdi>”</>}{artifact.sourceArtifactHashes.length > 0 && `, made from ${artifact.sourceArtifactHashes.length} other artifacts`}
      </p>
      <HashVerdict contentHash={view.contentHash} checked={checked} />
      <a href={artifactPath(view.contentHash)} download={visibleText(view.name)} className={classNames(buttonClass(), 'justify-self-start')}>
        <Download aria-hidden className="size-4" />
        Download
      </a>
      {checked.check.state === 'match' && <ArtifactPreview preview={checked.check.preview} />}
    </div>
  )
}
