'use client'

import Link from 'next/link'
import { isMarkedCustodial } from '../../protocol/custody.ts'
import { IAP_RECORDED } from '../../protocol/kinds.ts'
import { isJsonObject, type JsonObject } from '../../protocol/strict-json.ts'
import { PROVENANCE } from '../graph/provenance.ts'
import { JsonTree } from '../artifacts/json-tree.tsx'
import type { EntryCheck } from '../log/verify-entry.ts'
import { useEntry, useEntryNode } from '../log/use-entry.ts'
import { useMission } from '../mission/mission-context.tsx'
import { missionPath } from '../mission/mission-paths.ts'
import { NegotiationCard } from '../patterns/negotiation-card.tsx'
import { readNegotiation } from '../patterns/negotiation.ts'
import { SequenceLink } from '../mission/sequence-link.tsx'
import { useSelection } from '../mission/use-selection.ts'
import { Button } from '../ui/button.tsx'
import { HashText } from '../ui/hash-text.tsx'
import { Notice } from '../ui/notice.tsx'
import { PeerText } from '../ui/peer-text.tsx'
import { PrincipalName } from '../ui/principal-mark.tsx'
import { absoluteTime } from '../ui/relative-time.tsx'
import { Seal } from '../ui/seal.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { visibleText } from '../ui/visible-text.ts'
import { AuthorizeProposal } from './authorize-proposal.tsx'
import { Fact, Facts, InspectorSection } from './facts.tsx'

/** One entry of the log: what it says, what it links to, whether its signature holds, and the bytes themselves. */
export function EntryInspector({ sequence }: { readonly sequence: number }) {
  const { check, error, retry } = useEntry(sequence)
  const { data } = useEntryNode(sequence)
  if (error) return <Notice tone="fail" title={`Entry #${sequence} could not be read`} action={<Button onClick={retry}>Try again</Button>}>It may not exist, or not be shown to you.</Notice>
  if (!check) return <div role="status" aria-label="Loading the entry" className="grid gap-3"><Skeleton className="h-5 w-4/5" /><Skeleton className="h-24 w-full" /></div>
  return (
    <>
      <div className="grid gap-1">
        <p className="text-13 text-muted">#{sequence}</p>
        {data?.node && <p className="font-medium"><bdi>{visibleText(data.node.title)}</bdi></p>}
      </div>
      {check.tree && <EntryFacts tree={check.tree} {...(data?.node && { by: data.node.actor })} />}
      {check.tree && <Said tree={check.tree} />}
      {check.state === 'verified' && <AuthorizeProposal tree={check.tree} />}
      <Links links={data?.links ?? []} />
      <SignatureCheck check={check} />
      {check.tree && <SignedBytes check={check} tree={check.tree} />}
      <ElsewhereLinks sequence={sequence} />
    </>
  )
}

function EntryFacts({ tree, by }: { readonly tree: JsonObject; readonly by?: { readonly id: string; readonly name: string } }) {
  const { work } = useMission()
  const { select } = useSelection()
  const [cause, occurredAt, kind, workItemId] = [tree['cause'], tree['occurredAt'], tree['kind'], tree['workItemId']]
  const item = work.find((candidate) => candidate.workItemId === workItemId)
  return (
    <Facts>
      <Fact name="Kind"><code className="font-mono text-12">{String(kind)}</code></Fact>
      <Fact name="By">{isService(tree['actor']) && by ? <PrincipalName id={by.id} name={by.name} note="service" /> : <Named actor={tree['actor']} />}</Fact>
      {isMarkedCustodial(tree) && <Fact name="Signed for it">by the server, which holds this agent’s key</Fact>}
      {typeof occurredAt === 'string' && <Fact name="Accepted"><time dateTime={occurredAt}>{absoluteTime(occurredAt)}</time></Fact>}
      {isJsonObject(cause) && <Fact name="Caused by">a {String(cause['type'])} <HashText value={String(cause['id'])} label="Id of the cause" /></Fact>}
      {item && <Fact name="Work item"><button type="button" onClick={() => select(item.workItemId)} className="text-left text-action"><bdi>{visibleText(item.goal)}</bdi></button></Fact>}
    </Facts>
  )
}

function Named({ actor }: { readonly actor: unknown }) {
  const { select } = useSelection()
  const id = idOf(actor)
  const who = useMember()(id)
  if (!who) return <HashText value={id} label="Principal" />
  return <button type="button" onClick={() => select(who.id)}><PrincipalName id={who.id} name={who.name} note={who.type} /></button>
}

/** Services belong to no Mission, so its people do not name them. */
const isService = (actor: unknown): boolean => isJsonObject(actor as JsonObject) && (actor as JsonObject)['type'] === 'service'

const idOf = (actor: unknown): string => (isJsonObject(actor as JsonObject) ? String((actor as JsonObject)['id']) : '')

/** Looks for somebody of this Mission. */
function useMember() {
  const { people, owner, coordinator } = useMission()
  return (id: string) => [owner, coordinator, ...people].find((candidate) => candidate.id === id)
}

/** What a person reads first: the words of a Message, or the artifact that was published. */
function Said({ tree }: { readonly tree: JsonObject }) {
  const { select } = useSelection()
  const payload = isJsonObject(tree['payload']) ? tree['payload'] : {}
  const [message, artifact, record] = [payload['message'], payload['artifact'], payload['record']]
  if (tree['kind'] === IAP_RECORDED && isJsonObject(record)) return <Negotiated record={record} />
  if (isJsonObject(message) && Array.isArray(message['content'])) {
    const texts = message['content'].filter(isJsonObject).map((part) => part['text']).filter((text) => typeof text === 'string')
    return (
      <InspectorSection title="Says (talk, not an assignment)">
        {texts.map((text, at) => <p key={at} className="rounded-lg bg-talk px-3 py-2"><PeerText text={text} /></p>)}
      </InspectorSection>
    )
  }
  if (isJsonObject(artifact) && typeof artifact['contentHash'] === 'string') {
    const hash = artifact['contentHash']
    return <Button onClick={() => select(hash)}>Open the artifact</Button>
  }
  return null
}

/** Whose words the router recorded, and what they are. */
function Negotiated({ record }: { readonly record: JsonObject }) {
  const { speaker, concerns, author, content, type } = record
  const member = useMember()
  const agentId = isJsonObject(content) ? content['agentId'] : undefined
  const agents = Object.fromEntries([[author, speaker], [agentId, concerns]].flatMap(([id, actor]) => (typeof id === 'string' ? [[id, member(idOf(actor))?.name ?? id]] : [])))
  const step = isJsonObject(content) ? readNegotiation(content, `iap/${String(type)}`) : undefined
  return (
    <InspectorSection title="Negotiation (an award is no offer)">
      <Facts>
        {speaker === undefined ? <Fact name="Decided by">the I.A.P. router</Fact> : <Fact name="In the words of"><Named actor={speaker} /></Fact>}
        {speaker !== undefined && <Fact name="Agent id"><PeerText text={String(author)} /></Fact>}
      </Facts>
      {step ? <NegotiationCard record={step} agents={agents} /> : <p className="text-13 text-muted">What it says is too long for the log, which has its hash.</p>}
    </InspectorSection>
  )
}

function Links({ links }: { readonly links: readonly { readonly parent: number; readonly provenance: keyof typeof PROVENANCE }[] }) {
  if (links.length === 0) return null
  return (
    <InspectorSection title="Links to older entries">
      <ul className="grid gap-1 text-13">
        {links.map(({ parent, provenance }) => (
          <li key={`${parent} ${provenance}`} title={PROVENANCE[provenance].meaning}>{PROVENANCE[provenance].words} <SequenceLink sequence={parent} /></li>
        ))}
      </ul>
    </InspectorSection>
  )
}

function SignatureCheck({ check }: { readonly check: EntryCheck }) {
  const isVerified = check.state === 'verified'
  const signature = check.tree && isJsonObject(check.tree['signature']) ? check.tree['signature'] : undefined
  return (
    <InspectorSection title="Signature">
      <Seal state={check.state} {...(check.state === 'failed' && { stage: check.stage })} />
      <p className="text-13 text-muted">
        {isVerified
          ? `The Group Authority signed exactly these bytes. ${check.command ? 'They name the command below by its hash.' : 'No command of a participant caused them.'}`
          : 'Do not rely on this entry. Tell the operator of this server.'}
      </p>
      {signature && <Facts><Fact name="Key"><HashText value={String(signature['keyId'])} label="Key of the Group Authority" /></Fact></Facts>}
    </InspectorSection>
  )
}

function SignedBytes({ check, tree }: { readonly check: EntryCheck; readonly tree: JsonObject }) {
  const command = check.state === 'verified' ? check.command : undefined
  return (
    <InspectorSection title="Signed bytes">
      <details>
        <summary className="text-13 text-action">The Event, as signed</summary>
        <div className="mt-2 overflow-x-auto"><JsonTree value={tree} /></div>
      </details>
      {command && (
        <details>
          <summary className="text-13 text-action">The Command that caused it, as its author signed it</summary>
          <div className="mt-2 overflow-x-auto"><JsonTree value={command} /></div>
        </details>
      )}
    </InspectorSection>
  )
}

function ElsewhereLinks({ sequence }: { readonly sequence: number }) {
  const { missionId } = useMission()
  return (
    <p className="flex gap-4 border-t pt-3 text-13">
      <Link className="text-action" href={`${missionPath(missionId, '/graph')}?sel=${sequence}`}>In the graph</Link>
      <Link className="text-action" href={`${missionPath(missionId, '/log')}?sel=${sequence}`}>In the log</Link>
    </p>
  )
}
