'use client'

import { ArrowRight, Forward, Users, Waypoints } from 'lucide-react'
import type { SpaceMessageView } from '../trpc.tsx'
import { visibleText } from '../ui/visible-text.ts'
import { Card, CardFacts } from './card.tsx'
import { CheckpointCard, type Answering } from './checkpoint-card.tsx'
import { LongText } from './long-text.tsx'
import { Members } from './members.tsx'
import { readNegotiation } from './negotiation.ts'
import { NegotiationCard } from './negotiation-card.tsx'
import type { Reading } from './read-pattern.ts'
import { readSaid } from './read-pattern.ts'
import type { Replies } from './replies.ts'

export interface SaidProps {
  readonly message: SpaceMessageView
  readonly replies: Replies
  readonly answering: Answering
}

/** What a Message says, by the convention that it follows; what the convention does not know stands below it. */
export function Said(props: SaidProps) {
  const { message, replies } = props
  const record = readNegotiation(message.content, message.contentType)
  if (record) {
    return (
      <>
        <NegotiationCard record={record} among={{ message, replies }} {...(message.agents && { agents: message.agents })} />
        <details className="text-13"><summary className="text-12 text-action">The whole record</summary><Members content={message.content} /></details>
      </>
    )
  }
  const reading = readSaid(message.content, message.contentType)
  return (
    <>
      <Pattern {...props} reading={reading} />
      {(reading.said.type === 'members' || Object.keys(reading.rest).length > 0) && <Members content={reading.rest} />}
    </>
  )
}

function Pattern({ message, replies, answering, reading: { said } }: SaidProps & { readonly reading: Reading }) {
  switch (said.type) {
    case 'words':
      return <LongText text={said.text} />
    case 'members':
      return null
    case 'checkpoint':
      return <CheckpointCard message={message} checkpoint={said} replies={replies.get(message.sequence) ?? []} answering={answering} />
    case 'answer':
      return (
        <>
          <p>Answers <bdi className="font-semibold">{visibleText(said.option)}</bdi></p>
          {said.feedback !== undefined && <LongText text={said.feedback} />}
        </>
      )
    case 'handoff':
      return (
        <Card Icon={Forward} label="Handoff">
          <p className="flex flex-wrap items-center gap-1.5 text-13">
            <bdi className="font-medium">{visibleText(message.author.name)}</bdi>
            <ArrowRight role="img" aria-label="hands over to" className="size-4 text-muted" />
            <bdi className="font-medium">{message.mentions.map(({ name }) => visibleText(name)).join(', ') || 'whoever reads this'}</bdi>
          </p>
          {said.title !== undefined && <p className="font-semibold"><bdi>{visibleText(said.title)}</bdi></p>}
          {said.message !== '' && <LongText text={said.message} />}
        </Card>
      )
    case 'team':
      return (
        <>
          <p className="inline-flex max-w-full items-center gap-1 rounded-full border px-2 text-12 font-medium"><Users aria-hidden className="size-3.5 shrink-0" /><span className="truncate">Team <bdi>{visibleText(said.team)}</bdi></span></p>
          {said.text !== '' && <LongText text={said.text} />}
        </>
      )
    case 'swarm':
      return (
        <Card Icon={Waypoints} label={said.isTask ? 'Swarm objective: whoever is free may take it up' : 'Swarm objective'}>
          <LongText text={said.objective} />
          <CardFacts facts={[...(said.kind === undefined ? [] : [['Kind', <bdi key="kind">{visibleText(said.kind)}</bdi>] as const]), ...(said.targets.length === 0 ? [] : [['Targets', <bdi key="targets" className="break-words">{visibleText(said.targets.join(', '))}</bdi>] as const])]} />
        </Card>
      )
  }
}
