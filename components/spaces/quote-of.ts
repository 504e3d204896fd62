import type { Quote } from '../conversation/answered.tsx'
import { readNegotiation } from '../patterns/negotiation.ts'
import { readSaid } from '../patterns/read-pattern.ts'
import type { SpaceMessageView } from '../trpc.tsx'

const SHOWN = 120

/** A Message of an open Space as chips and quotes name it. */
export const quoteOf = (message: SpaceMessageView): Quote => ({
  messageId: message.messageId,
  sequence: message.sequence,
  authorName: message.author.name,
  words: wordsOf(message).slice(0, SHOWN),
})

function wordsOf({ content, contentType }: SpaceMessageView): string {
  const record = readNegotiation(content, contentType)
  if (record) return record.type === 'proposal' ? `proposes ${record.description}` : record.type === 'step' ? record.name : record.type
  const { said } = readSaid(content, contentType)
  switch (said.type) {
    case 'words':
      return said.text
    case 'checkpoint':
      return `checkpoint: ${said.title}`
    case 'answer':
      return said.option
    case 'handoff':
      return `handoff: ${said.title ?? said.message}`
    case 'team':
      return `team ${said.team}: ${said.text}`
    case 'swarm':
      return `objective: ${said.objective}`
    case 'members':
      return Object.keys(content).join(', ')
  }
}
