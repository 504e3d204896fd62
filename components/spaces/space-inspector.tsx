'use client'

import { useQuery } from '@tanstack/react-query'
import { JsonTree } from '../artifacts/json-tree.tsx'
import { Fact, Facts, InspectorSection } from '../inspector/facts.tsx'
import { InspectorPanel } from '../inspector/inspector-panel.tsx'
import type { Selection } from '../mission/selection.ts'
import { SequenceLink } from '../mission/sequence-link.tsx'
import { useSelection } from '../mission/use-selection.ts'
import { Members } from '../patterns/members.tsx'
import { useTRPC, type NodeView, type SpaceMessageView } from '../trpc.tsx'
import { HashText } from '../ui/hash-text.tsx'
import { Notice } from '../ui/notice.tsx'
import { PrincipalMark, PrincipalName } from '../ui/principal-mark.tsx'
import { absoluteTime } from '../ui/relative-time.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { StateTag } from '../ui/state-tag.tsx'
import { visibleText } from '../ui/visible-text.ts'
import { useSpace } from './space-context.tsx'

const TITLES = { entry: 'Message', artifact: 'Selected', id: 'Node' } as const
const SHOWN_ANSWERED = 20

/** What is selected in an open Space: a Message or a Node. */
export function SpaceInspector() {
  return <InspectorPanel titles={TITLES}>{(selection) => <Selected selection={selection} />}</InspectorPanel>
}

function Selected({ selection }: { readonly selection: Selection }) {
  const { members } = useSpace()
  if (selection.type === 'entry') return <MessageInspector key={selection.sequence} sequence={selection.sequence} />
  const member = selection.type === 'id' ? members.find(({ nodeId, id }) => nodeId === selection.id || id === selection.id) : undefined
  if (member) return <NodeInspector node={member} description={member.description} />
  return <p className="text-13 text-muted">No Node that entered this Space has this id.</p>
}

function MessageInspector({ sequence }: { readonly sequence: number }) {
  const trpc = useTRPC()
  const { spaceId } = useSpace()
  // A Message never changes.
  const { data, error } = useQuery({ ...trpc.spaces.messages.queryOptions({ spaceId, before: sequence + 1, limit: 1 }), staleTime: Infinity })
  const message = data?.messages.find((candidate) => candidate.sequence === sequence)
  if (error || (data && !message)) return <Notice title={`There is no message #${sequence} here`}>It may belong to another Space.</Notice>
  if (!message) return <div role="status" aria-label="Loading the message" className="grid gap-3"><Skeleton className="h-5 w-4/5" /><Skeleton className="h-24 w-full" /></div>
  return <MessageFacts message={message} />
}

function MessageFacts({ message }: { readonly message: SpaceMessageView }) {
  const { select } = useSelection()
  const { author, contentType, answers, mentions, mentionCount, content, meta } = message
  return (
    <>
      <p className="text-13 text-muted">#{message.sequence}</p>
      <Facts>
        <Fact name="By"><button type="button" onClick={() => select(author.nodeId)}><PrincipalName id={author.id} name={visibleText(author.name)} note={author.type} /></button></Fact>
        <Fact name="Written"><time dateTime={message.at}>{absoluteTime(message.at)}</time></Fact>
        {contentType !== undefined && <Fact name="Content type"><code className="font-mono text-12">{visibleText(contentType)}</code></Fact>}
        <Fact name="Id"><HashText value={message.messageId} label="Message id" /></Fact>
        {answers.length > 0 && <Fact name="Answers">{answers.slice(0, SHOWN_ANSWERED).map((sequence) => <span key={sequence}><SequenceLink sequence={sequence} /> </span>)}{answers.length > SHOWN_ANSWERED && `and ${answers.length - SHOWN_ANSWERED} more`}</Fact>}
        {mentions.length > 0 && <Fact name="Mentions"><bdi>{mentions.map(({ name }) => visibleText(name)).join(', ')}</bdi>{mentionCount > mentions.length && ` and ${mentionCount - mentions.length} more`}</Fact>}
      </Facts>
      <InspectorSection title="Says (talk, not signed)"><Members content={content} /></InspectorSection>
      {meta && <InspectorSection title="Meta"><Members content={meta} /></InspectorSection>}
      <InspectorSection title="As it is stored"><div className="overflow-x-auto"><JsonTree value={content} depth={2} /></div></InspectorSection>
    </>
  )
}

function NodeInspector({ node, description }: { readonly node: NodeView; readonly description: string }) {
  return (
    <>
      <div className="flex items-center gap-3">
        <PrincipalMark id={node.id} size="lg" />
        <div className="min-w-0">
          <p className="truncate text-16 font-semibold"><bdi>{visibleText(node.name)}</bdi></p>
          <p className="text-13 text-muted">{node.type}</p>
        </div>
      </div>
      <p className="text-13 break-words"><bdi>{visibleText(description)}</bdi></p>
      <Facts>
        <Fact name="Node"><HashText value={node.nodeId} label="Node id" /></Fact>
        <Fact name="Principal"><HashText value={node.id} label="Principal id" /></Fact>
        {node.custody !== undefined && <Fact name="Key">{node.custody}</Fact>}
        {node.online !== undefined && <Fact name="Presence"><StateTag state={node.online ? 'online' : 'offline'} /></Fact>}
      </Facts>
    </>
  )
}
