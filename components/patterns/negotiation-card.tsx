'use client'

import type { ReactNode } from 'react'
import { ArrowLeftRight, Gavel, HandCoins, Megaphone, PackageCheck, PackageX, Handshake } from 'lucide-react'
import { isJsonObject } from '../../protocol/strict-json.ts'
import type { SpaceMessageView } from '../trpc.tsx'
import { SequenceLink } from '../mission/sequence-link.tsx'
import { absoluteTime } from '../ui/relative-time.tsx'
import { visibleText } from '../ui/visible-text.ts'
import { Card, CardFacts } from './card.tsx'
import { LongText } from './long-text.tsx'
import { Members } from './members.tsx'
import type { Assignment, Bid, NegotiationRecord, Outcome, Proposal } from './negotiation.ts'
import { advantages } from './negotiation.ts'
import { bidRows, type BidRow, type Replies } from './replies.ts'

export interface NegotiationCardProps {
  readonly record: NegotiationRecord
  /** Names of agents by the ids that the record has for them. */
  readonly agents?: Readonly<Record<string, string>>
  /** The Message that holds the record and the answers to it, where they are at hand. */
  readonly among?: { readonly message: SpaceMessageView; readonly replies: Replies }
}

/** A record of an Inter-Agent Protocol negotiation, with what the records around it tell. */
export function NegotiationCard({ record, agents = {}, among }: NegotiationCardProps) {
  const called: Called = (agentId) => (Object.hasOwn(agents, agentId) ? agents[agentId]! : agentId)
  switch (record.type) {
    case 'proposal':
      return <ProposalCard proposal={record} {...(among && { rows: bidRows(among.replies.get(among.message.sequence) ?? [], among.replies) })} />
    case 'bid':
      return (
        <Card Icon={HandCoins} label="Bid" state={record.ineligible !== undefined && <span>Not eligible: {visibleText(record.ineligible)}</span>}>
          <CardFacts facts={bidFacts(record, called)} />
          {record.notes !== undefined && <LongText text={record.notes} form="plain" />}
        </Card>
      )
    case 'assignment':
      return <AssignmentCard assignment={record} called={called} />
    case 'result':
      return <ResultCard outcome={record} />
    case 'context':
      return <Card Icon={ArrowLeftRight} label="Context handed over"><CardFacts facts={facts([['From', record.from && called(record.from)], ['To', record.to && called(record.to)], ['Kind', record.contextType], ['Packed', record.compression], ['Bytes', amount(record.size)], ['SHA-256', record.sha256]])} /></Card>
    case 'step':
      return (
        <Card Icon={Handshake} label={`Negotiation: ${visibleText(record.name)}`}>
          <CardFacts facts={facts([['Agent', record.agentId && called(record.agentId)], ['Until', record.until && time(record.until)]])} />
          {record.reason !== undefined && <LongText text={record.reason} form="plain" />}
        </Card>
      )
  }
}

function ProposalCard({ proposal, rows }: { readonly proposal: Proposal; readonly rows?: readonly BidRow[] }) {
  const { description, capability, maxCost, maxLatency, priority } = proposal
  return (
    <Card Icon={Megaphone} label="Task proposed" state={rows && <span>{rows.some((row) => row.isChosen) ? 'Assigned' : rows.length === 0 ? 'No bids yet' : 'Not assigned yet'}</span>}>
      <LongText text={description} />
      <CardFacts facts={facts([['Needs', capability], ['Cost at most', amount(maxCost)], ['Time at most', duration(maxLatency)], ['Priority', amount(priority)]])} />
      {rows && rows.length > 0 && <Bids rows={rows} />}
    </Card>
  )
}

function Bids({ rows }: { readonly rows: readonly BidRow[] }) {
  return (
    <div tabIndex={0} role="region" aria-label="Bids" className="overflow-x-auto">
      <table className="w-full text-13 [overflow-wrap:normal]">
        <thead className="text-12 text-muted">
          <tr>{['Bidder', 'Cost', 'Time', 'Confidence', 'Standing'].map((name) => <th key={name} scope="col" className="border-b py-1 pr-3 text-left font-semibold whitespace-nowrap">{name}</th>)}</tr>
        </thead>
        <tbody>
          {rows.map(({ message, bid, isChosen }) => (
            <tr key={message.sequence} className="border-b align-top last:border-b-0">
              <td className="max-w-48 min-w-24 py-1 pr-3 break-words"><bdi>{visibleText(message.author.name)}</bdi> <SequenceLink sequence={message.sequence} className="text-12" /></td>
              <td className="py-1 pr-3">{amount(bid.cost) ?? '–'}</td>
              <td className="py-1 pr-3 whitespace-nowrap">{duration(bid.latency) ?? '–'}</td>
              <td className="py-1 pr-3 whitespace-nowrap">{share(bid.confidence) ?? '–'}</td>
              <td className="min-w-36 py-1">{isChosen ? <span className="font-semibold">Chosen</span> : (bid.ineligible === undefined ? 'Eligible' : <span className="text-muted">Not eligible: {visibleText(bid.ineligible)}</span>)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** The name of whoever has this id in the record, as the Registry has it; the id where nobody has. */
type Called = (agentId: string) => string

function AssignmentCard({ assignment, called }: { readonly assignment: Assignment; readonly called: Called }) {
  const { agentId, winner, candidates, passedOver, isTied, rule, acceptBy, deadline } = assignment
  return (
    <Card Icon={Gavel} label="Task assigned">
      <p>To <bdi className="font-semibold">{agentId === undefined ? 'an agent that the record does not name' : visibleText(called(agentId))}</bdi>. {whyWords(assignment)}</p>
      <CardFacts facts={[...(winner ? bidFacts(winner, called) : []), ...facts([['Chosen by', rule], ['Accept by', acceptBy && time(acceptBy)], ['Done by', deadline && time(deadline)]])]} />
      <p className="text-12 text-muted">
        {candidates.length > 1 && 'The record holds weights and bids, so that anybody can make the choice again.'}
        {isTied && ' Equally good bids were settled by lot.'}
        {passedOver.length > 0 && <> Passed over, because away or full: <bdi>{visibleText(passedOver.map(called).join(', '))}</bdi>.</>}
      </p>
    </Card>
  )
}

function whyWords(assignment: Assignment): string {
  const beaten = assignment.candidates.length - 1
  if (beaten < 1) return 'It was the only bid to choose from.'
  const words = advantages(assignment)
  return `Chosen before ${beaten} other bid${beaten === 1 ? '' : 's'}: ${words.length > 0 ? words.join(', ') : 'best by the weights of the rule'}.`
}

function ResultCard({ outcome: { isCompleted, reason, refused, latency, isCached, result } }: { readonly outcome: Outcome }) {
  return (
    <Card Icon={isCompleted ? PackageCheck : PackageX} label={isCompleted ? 'Result handed in' : 'Task failed'} state={refused !== undefined && <span className="text-fail">Not applied, kept as evidence</span>}>
      {refused !== undefined && <LongText text={refused} form="plain" />}
      {reason !== undefined && <LongText text={reason} form="plain" />}
      {isJsonObject(result) ? <Members content={result} /> : typeof result === 'string' && <LongText text={result} />}
      <CardFacts facts={facts([['Took', duration(latency)], ['Source', isCached ? 'an earlier result of the same input' : undefined]])} />
    </Card>
  )
}

const bidFacts = ({ bidderId, cost, latency, confidence, queueDepth }: Bid, called: Called) =>
  facts([['Bidder', bidderId && called(bidderId)], ['Cost', amount(cost)], ['Time', duration(latency)], ['Confidence', share(confidence)], ['Waiting before it', amount(queueDepth)]])

/** Those that are there, as isolated text. */
const facts = (all: readonly (readonly [name: string, value: string | undefined])[]): readonly (readonly [string, ReactNode])[] =>
  all.flatMap(([name, value]) => (value === undefined ? [] : [[name, <bdi key={name}>{visibleText(value)}</bdi>] as const]))

const plain = new Intl.NumberFormat('en', { maximumFractionDigits: 3 })
const amount = (value: number | undefined): string | undefined => (value === undefined ? undefined : plain.format(value))
const share = (value: number | undefined): string | undefined => (value === undefined ? undefined : `${plain.format(value * 100)} %`)
const duration = (ms: number | undefined): string | undefined => (ms === undefined ? undefined : ms < 1_000 ? `${plain.format(ms)} ms` : `${plain.format(ms / 1_000)} s`)
const time = (at: string): string => (Number.isNaN(Date.parse(at)) ? at : absoluteTime(at))
