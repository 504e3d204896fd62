'use client'

import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import type { JsonValue } from '../../protocol/strict-json.ts'
import { ArtifactPreview } from '../artifacts/artifact-preview.tsx'
import { HashVerdict } from '../artifacts/hash-verdict.tsx'
import { JsonTree } from '../artifacts/json-tree.tsx'
import { sizeWords } from '../artifacts/size-words.ts'
import { useArtifactCheck } from '../artifacts/use-artifact-check.ts'
import { useMission } from '../mission/mission-context.tsx'
import { artifactPath } from '../mission/mission-paths.ts'
import { SequenceLink } from '../mission/sequence-link.tsx'
import { useSelection } from '../mission/use-selection.ts'
import { useTRPC, type ArtifactView } from '../trpc.tsx'
import { buttonClass } from '../ui/button.tsx'
import { PrincipalName } from '../ui/principal-mark.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { visibleText } from '../ui/visible-text.ts'
import { Fact, Facts, InspectorSection } from './facts.tsx'

/** An artifact by its hash: its manifest, the hash recomputed here, and what may be shown of it. */
export function ArtifactInspector({ contentHash }: { readonly contentHash: string }) {
  const trpc = useTRPC()
  const { missionId } = useMission()
  const { data, error } = useQuery(trpc.missions.artifacts.queryOptions({ missionId }))
  const view = data?.find((candidate) => candidate.contentHash === contentHash)
  if (view) return <ArtifactFacts view={view} />
  if (data || error) return <p className="text-13 text-muted">{data ? 'This mission has published nothing with this hash.' : 'The artifacts could not be loaded.'}</p>
  return <Skeleton className="h-24 w-full" />
}

function ArtifactFacts({ view }: { readonly view: ArtifactView }) {
  const { artifact, producer } = view
  const { select } = useSelection()
  const checked = useArtifactCheck(artifact)
  return (
    <>
      <p className="font-medium break-words"><bdi>{visibleText(view.name)}</bdi></p>
      <Facts>
        <Fact name="Type"><bdi>{visibleText(artifact.mediaType)}</bdi></Fact>
        <Fact name="Size">{sizeWords(artifact.sizeBytes)} <span className="text-muted">({artifact.sizeBytes})</span></Fact>
        <Fact name="Classification">{artifact.classification}</Fact>
        <Fact name="Producer"><button type="button" onClick={() => select(producer.id)}><PrincipalName id={producer.id} name={producer.name} note={`card ${artifact.producer.agentCardVersion}`} /></button></Fact>
        {view.workGoal !== undefined && <Fact name="Work item"><button type="button" onClick={() => select(view.workItemId)} className="text-left text-action"><bdi>{visibleText(view.workGoal)}</bdi></button></Fact>}
        <Fact name={view.workGoal === undefined ? 'Brought in' : 'Published'}><SequenceLink sequence={view.sequence} /></Fact>
        {artifact.toolVersions.map((tool) => <Fact key={`${tool.name} ${tool.version}`} name="Made with"><bdi>{visibleText(`${tool.name} ${tool.version}`)}</bdi></Fact>)}
        {artifact.modelVersions.map((model) => <Fact key={`${model.model} ${model.version}`} name="Model"><bdi>{visibleText([model.provider, model.model, model.version].join(' '))}</bdi></Fact>)}
      </Facts>
      <HashVerdict contentHash={view.contentHash} checked={checked} />
      {artifact.sourceArtifactHashes.length > 0 && (
        <InspectorSection title="Made from">
          <ul className="grid grid-cols-[minmax(0,1fr)] gap-1 text-13">
            {artifact.sourceArtifactHashes.map((hash) => <li key={hash}><button type="button" onClick={() => select(hash)} className="max-w-full truncate font-mono text-12 text-action">{hash}</button></li>)}
          </ul>
        </InspectorSection>
      )}
      <a href={artifactPath(view.contentHash)} download={visibleText(view.name)} className={buttonClass()}><Download aria-hidden className="size-4" />Download</a>
      {checked.check.state === 'match' && <InspectorSection title="Preview"><ArtifactPreview preview={checked.check.preview} /></InspectorSection>}
      <InspectorSection title="Signed manifest">
        <details>
          <summary className="text-13 text-action">As its producer signed it</summary>
          <div className="mt-2 overflow-x-auto"><JsonTree value={artifact as unknown as JsonValue} /></div>
        </details>
      </InspectorSection>
    </>
  )
}
