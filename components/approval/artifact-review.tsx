'use client'

import { Download, Eye, EyeOff, FileMinus, FilePen, FilePlus, FileText, type LucideIcon } from 'lucide-react'
import { ArtifactPreview } from '../artifacts/artifact-preview.tsx'
import { HashVerdict } from '../artifacts/hash-verdict.tsx'
import { sizeWords } from '../artifacts/size-words.ts'
import { artifactPath } from '../mission/mission-paths.ts'
import type { ApprovalView } from '../trpc.tsx'
import { Button, buttonClass } from '../ui/button.tsx'
import { Checkbox } from '../ui/field.tsx'
import { PrincipalName } from '../ui/principal-mark.tsx'
import { visibleText } from '../ui/visible-text.ts'
import { DiffView } from './diff-view.tsx'
import type { Review } from './use-review.ts'

type ReviewedArtifact = ApprovalView['artifacts'][number]
type Change = ReviewedArtifact['change'] | 'removed'

const CHANGES: Readonly<Record<Change, { readonly word: string; readonly Icon: LucideIcon }>> = {
  added: { word: 'Added', Icon: FilePlus },
  changed: { word: 'Changed', Icon: FilePen },
  same: { word: 'Same', Icon: FileText },
  removed: { word: 'Removed', Icon: FileMinus },
}

/** How an artifact stands to the set of the last decision; a word and a shape. */
export function ChangeTag({ change }: { readonly change: Change }) {
  const { word, Icon } = CHANGES[change]
  return <span className="inline-flex h-6 items-center gap-1 rounded-full border px-2 text-12 font-medium"><Icon aria-hidden className="size-3.5" />{word}</span>
}

/** One submitted artifact: what it is, its hash recomputed here, its content and what changed in it. */
export function ArtifactReview({ view, review }: { readonly view: ReviewedArtifact; readonly review: Review }) {
  const { artifact, contentHash } = view
  const checked = review.checked.get(contentHash)
  const preview = checked?.check.state === 'match' ? checked.check.preview : undefined
  const isOpen = review.previewed.hashes.has(contentHash)
  return (
    <li className="grid gap-3 border-b py-5 last:border-0">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h3 className="min-w-0 text-16 font-semibold break-words"><bdi>{visibleText(view.name)}</bdi></h3>
        <ChangeTag change={view.change} />
      </div>
      <p className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <span>{sizeWords(artifact.sizeBytes)}</span>
        <span>{artifact.mediaType}</span>
        <span>{artifact.classification}</span>
        <PrincipalName id={view.producer.id} name={view.producer.name} note={view.producer.type} />
        {view.workGoal !== undefined && <span>for “<bdi>{visibleText(view.workGoal)}</bdi>”</span>}
      </p>
      {checked && <HashVerdict contentHash={contentHash} checked={checked} />}
      {preview?.kind === 'none' && (
        <Checkbox checked={review.acknowledged.hashes.has(contentHash)} onChange={(event) => review.acknowledged.set(contentHash, event.target.checked)}>
          I looked at <bdi>{visibleText(view.name)}</bdi> outside this page ({preview.reason}). This goes into my signed comment.
        </Checkbox>
      )}
      <div className="flex flex-wrap gap-2">
        {preview !== undefined && preview.kind !== 'none' && (
          <Button aria-expanded={isOpen} onClick={() => review.previewed.set(contentHash, !isOpen)} icon={isOpen ? <EyeOff aria-hidden className="size-4" /> : <Eye aria-hidden className="size-4" />}>
            {isOpen ? 'Close the preview' : 'Open the preview'}
          </Button>
        )}
        <a href={artifactPath(contentHash)} download={visibleText(view.name)} className={buttonClass()}><Download aria-hidden className="size-4" />Download</a>
      </div>
      {preview !== undefined && preview.kind !== 'none' && isOpen && <ArtifactPreview preview={preview} />}
      {preview !== undefined && preview.kind !== 'none' && view.previousHash !== undefined && (
        <section className="grid gap-2">
          <h4 className="font-medium">What changed in it since your last decision</h4>
          <DiffView previousHash={view.previousHash} text={preview.text} />
        </section>
      )}
    </li>
  )
}
