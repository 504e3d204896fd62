// Documents on their way into `bytea` columns. They are UTF-8, so many go as one text, which the driver and the server copy as it is:
// an array of `bytea` would be decoded twice, and every text form of a `bytea` is longer and is decoded byte by byte.
import { isUtf8 } from 'node:buffer'
import { invariant } from '../../protocol/result.ts'

/** A document as the bytes that it came in, or as the text that it was just made as. */
export type Document = Uint8Array | string

export const sizeOf = (document: Document): number => (typeof document === 'string' ? Buffer.byteLength(document) : document.byteLength)

/** One parameter of all documents, in their order. Throws where bytes are no text that PostgreSQL could hold, which no document of JSON is. */
export const documentsText = (documents: readonly Document[]): string => documents.map(textOf).join('')

function textOf(document: Document): string {
  if (typeof document === 'string') return document
  requireDocument(document)
  return asBuffer(document).toString('utf8')
}

/** Throws for bytes that are no text that PostgreSQL could hold. */
export function requireDocument(bytes: Uint8Array): void {
  const buffer = asBuffer(bytes)
  invariant(isUtf8(buffer) && !buffer.includes(0), 'a document is UTF-8 without U+0000')
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** SQL for the bytes of one document: `parameter` is the whole text, `start` (from 1) and `size` count bytes. The text becomes bytes once for all rows. */
export const documentSlice = (parameter: string, start: string, size: string): string =>
  `substring((SELECT convert_to(${parameter}::text, 'UTF8')) FROM ${start} FOR ${size})`
