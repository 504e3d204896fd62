// A Message as an event of a stream. The public client reads lines of 64 KiB at most and takes every event with data for a Message.
import { Buffer } from 'node:buffer'

/** Longest `data:` line, its name included. */
export const maximumLineBytes = 60_000

const prefix = Buffer.from('data: ')
const lineFeed = Buffer.from('\n')
const frameEnd = Buffer.from('\n\n')
const encoded = new WeakMap<Uint8Array, Buffer>()

/** The `data:` lines of a Message and the blank line after them; made once, whoever listens. */
export function dataOf(bytes: Uint8Array): Buffer {
  const known = encoded.get(bytes)
  if (known !== undefined) return known
  const data = Buffer.concat([...dataLines(bytes)])
  encoded.set(bytes, data)
  return data
}

/** Lines in front of the data. `cursor` has no line break: it is percent-encoded. */
export const openingOf = (event: 'message' | 'fork', cursor: string): Buffer => Buffer.from(`id: ${cursor}\nevent: ${event}\n`)

function* dataLines(bytes: Uint8Array): Iterable<Uint8Array> {
  const pieces = bytes.length + prefix.length <= maximumLineBytes ? [bytes] : (piecesOf(bytes, maximumLineBytes - prefix.length) ?? piecesOf(stubOf(bytes), maximumLineBytes - prefix.length)!)
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) yield lineFeed
    yield prefix
    yield piece
  }
  yield frameEnd
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const structural: ReadonlySet<number> = new Set([...'[]{},:'].map((character) => character.charCodeAt(0)))

/**
 * Cuts JSON into pieces that, joined by line feeds, are the same JSON: after structural characters, never inside a string or
 * a number. Undefined where one token alone is longer than a piece may be.
 */
export function piecesOf(json: Uint8Array, maximumBytes: number): readonly Uint8Array[] | undefined {
  const pieces: Uint8Array[] = []
  let start = 0
  let cut = 0
  for (let at = 0; at < json.length; at++) {
    const unit = json[at]!
    if (unit === QUOTE) at = closingQuote(json, at)
    const end = at + 1
    if (end - start > maximumBytes) {
      if (cut === start || end - cut > maximumBytes) return undefined
      pieces.push(json.subarray(start, cut))
      start = cut
    }
    if (structural.has(unit)) cut = end
  }
  return [...pieces, json.subarray(start)]
}

function closingQuote(json: Uint8Array, open: number): number {
  let at = open + 1
  while (json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1
  return at
}

/** Content type of what stands for a Message that no line can hold. */
export const oversizedType = 'ioa/oversized'

/**
 * Stands for a Message with a string that is longer than a line: the same Message with its content, meta and schema left out, and
 * the number of bytes that a read of it returns.
 */
function stubOf(bytes: Uint8Array): Uint8Array {
  const { id, space_id, sender, created_at, refs } = JSON.parse(Buffer.from(bytes).toString()) as Record<string, unknown>
  return Buffer.from(JSON.stringify({ id, space_id, sender, created_at, content_type: oversizedType, content: { bytes: bytes.length }, refs }))
}
