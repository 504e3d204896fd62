// Context on the wire: compressed, hashed, cut into chunks, and back. Whatever comes from a peer is bounded before it is unpacked.
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import type { IAPPackedContext } from '../../protocol/generated/types.ts'
import type { ContextTransfer } from '../../protocol/iap/types.ts'
import type { Result } from '../../protocol/result.ts'
import { err, ok } from '../../protocol/result.ts'
import { isJsonObject, parseStrictJson } from '../../protocol/strict-json.ts'
import { validateIapDocument } from '../../protocol/validate.ts'

/** The largest context, as JSON text before compression. */
export const MAX_CONTEXT_BYTES = 1024 * 1024
/** The longest body of one message, in characters of base64. */
export const CHUNK_CHARACTERS = 48 * 1024

export type Compression = NonNullable<ContextTransfer['compression']>
/** One message's share of a context: its data, and its place where there are several. */
export interface ContextPart {
  readonly data: Record<string, unknown>
  readonly chunk?: { readonly index: number; readonly count: number }
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
const PACK = { gzip: promisify(zlib.gzip), brotli: promisify(zlib.brotliCompress) } as const
const UNPACK = { gzip: promisify(zlib.gunzip), brotli: promisify(zlib.brotliDecompress) } as const

/** The parts to send. Throws RangeError for a context that is larger than MAX_CONTEXT_BYTES, or too large to be sent with `none`. */
export async function packContext(data: Record<string, unknown>, compression: Compression): Promise<readonly ContextPart[]> {
  const bytes = Buffer.from(JSON.stringify(data))
  if (bytes.length > MAX_CONTEXT_BYTES) throw new RangeError(`a context holds at most ${MAX_CONTEXT_BYTES} bytes`)
  if (compression === 'none') {
    if (bytes.length > CHUNK_CHARACTERS) throw new RangeError('a context of this size must be compressed')
    return [{ data }]
  }
  const body = (await PACK[compression](bytes)).toString('base64')
  const count = Math.ceil(body.length / CHUNK_CHARACTERS)
  return Array.from({ length: count }, (_, index) => ({
    data: { encoding: 'base64', body: body.slice(index * CHUNK_CHARACTERS, (index + 1) * CHUNK_CHARACTERS), sha256: sha256(bytes), size: bytes.length },
    ...(count > 1 && { chunk: { index, count } }),
  }))
}

/** The data of a transfer that is whole. An error says what is wrong with it. */
export async function unpackContext({ data, compression = 'none' }: Pick<ContextTransfer, 'data' | 'compression'>): Promise<Result<Record<string, unknown>, string>> {
  if (compression === 'none') return Buffer.byteLength(JSON.stringify(data)) > MAX_CONTEXT_BYTES ? err('larger than allowed') : ok(data)
  if (validateIapDocument('packed-context', data) !== undefined) return err('no packed context')
  const packed = data as IAPPackedContext
  // One more byte than declared is allowed to come out, so that a longer content is told from a damaged one.
  const bytes = await UNPACK[compression](Buffer.from(packed.body, 'base64'), { maxOutputLength: packed.size + 1 }).catch(() => undefined)
  if (bytes === undefined) return err('cannot be unpacked to the size that it declares')
  if (bytes.length !== packed.size || sha256(bytes) !== packed.sha256) return err('does not have the size and hash that it declares')
  const parsed = parseStrictJson(bytes, { maxBytes: MAX_CONTEXT_BYTES })
  return parsed.ok && isJsonObject(parsed.value.value) ? ok(parsed.value.value) : err('no JSON object')
}

interface Collecting {
  readonly bodies: Map<number, string>
  characters: number
}

const MAX_CHUNKS = 64
const MAX_OPEN_TRANSFERS = 16

/** Puts chunks of transfers together, in whatever order and however often they come. Forgets the oldest unfinished one beyond sixteen. */
export class ChunkCollector {
  readonly #open = new Map<string, Collecting>()

  /** The whole transfer once its last chunk is there; one without chunks at once. */
  add(transfer: ContextTransfer, metadata: Readonly<Record<string, unknown>> = {}): ContextTransfer | undefined {
    const place = metadata.chunk
    if (place === undefined) return transfer
    const { index, count } = place as { index?: unknown; count?: unknown }
    const { body, sha256: hash } = transfer.data
    if (!isCount(index) || !isCount(count) || index >= count || count > MAX_CHUNKS || typeof body !== 'string') return undefined
    const key = JSON.stringify([transfer.fromAgent, transfer.taskId, hash, count])
    const collecting = this.#collecting(key)
    if (!collecting.bodies.has(index)) collecting.characters += body.length
    collecting.bodies.set(index, body)
    if (collecting.characters > 2 * MAX_CONTEXT_BYTES) this.#open.delete(key)
    if (collecting.bodies.size < count) return undefined
    this.#open.delete(key)
    const whole = Array.from({ length: count }, (_, at) => collecting.bodies.get(at)!).join('')
    return { ...transfer, data: { ...transfer.data, body: whole } }
  }

  #collecting(key: string): Collecting {
    const known = this.#open.get(key) ?? { bodies: new Map<number, string>(), characters: 0 }
    this.#open.set(key, known)
    if (this.#open.size > MAX_OPEN_TRANSFERS) this.#open.delete(this.#open.keys().next().value!)
    return known
  }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
