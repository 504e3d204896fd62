// What a reader is handed in place of an Event that it may not read: the same place in the log, without the words.
import { createHash } from 'node:crypto'
import type { EventDocument, Message } from '../../protocol/generated/types.ts'
import { STAND_IN_EXTENSION } from '../../protocol/stand-in.ts'
import type { Withholding } from '../authority/visibility.ts'
import type { UnsignedEvent } from './event-bytes.ts'

const WORDS = {
  redacted: 'This message was redacted.',
  restricted: 'This message is for the participants of its conversation.',
} as const

/**
 * The stand-in for an Event that carries a Message, to be signed as a document of its own. It keeps everything that orders
 * the log and drops what the author wrote, mentions and references included, together with the hash of the Command.
 * `documentHash` commits to the whole original with its signature, which nobody can guess: a hash of the signed content
 * alone would let a reader try out short texts.
 */
export function standInFor({ event, bytes }: { event: EventDocument; bytes: Uint8Array }, why: Withholding): UnsignedEvent {
  const { signature: _signature, commandHash: _commandHash, extensions: _extensions, payload, ...kept } = event
  const documentHash = `sha256:${createHash('sha256').update(bytes).digest('hex')}`
  return {
    ...kept,
    payload: { message: withoutWords((payload as { message: Message }).message, WORDS[why.because]) },
    extensions: { [STAND_IN_EXTENSION]: { version: '1.0.0', critical: false, data: { ...why, documentHash } } },
  }
}

function withoutWords(message: Message, words: string): Message {
  const { mentions: _mentions, references: _references, extensions: _extensions, ...kept } = message
  return { ...kept, content: [{ type: 'text', text: words }], ...(message.reason !== undefined && { reason: words }) }
}
