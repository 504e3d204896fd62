// The data of a CONTEXT_TRANSFER: unpacked no further than allowed, and held against its checksum.
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip } from 'node:zlib'
import type { ContextTransfer, IAPMessageOf } from '../../../protocol/iap/types.ts'
import { isJsonObject, parseStrictJson } from '../../../protocol/strict-json.ts'
import type { IAPPackedContext } from '../../../protocol/generated/types.ts'
import { validateIapDocument } from '../../../protocol/validate.ts'

export type ContextContent = { readonly sha256: string; readonly size: number } | { readonly fault: string }

const unpackers = { gzip: promisify(gunzip), brotli: promisify(brotliDecompress) }

/** What was seen of contexts that come in chunks. */
interface Collecting { readonly bodies: Map<number, string>; size: number }

const maximumOpen = 16
const maximumChunks = 64

/** Reads the contexts of one connection; those in chunks are looked at as a whole once all of them came over it. */
export class ContextReader {
  readonly #maxBytes: number
  readonly #open = new Map<string, Collecting>()

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Hash (hex) and size of the JSON text that the data unpacks to, or why it cannot be passed on. */
  async read({ payload, metadata }: Pick<IAPMessageOf<'CONTEXT_TRANSFER'>, 'payload' | 'metadata'>): Promise<ContextContent> {
    const { data, compression = 'none' } = payload
    if (compression === 'none') return plain(Buffer.from(JSON.stringify(data)), this.#maxBytes)
    if (validateIapDocument('packed-context', data) !== undefined) return { fault: 'packed data has encoding, body, sha256 and size' }
    const { body, sha256, size } = data as unknown as IAPPackedContext
    const whole = metadata?.chunk === undefined ? body : this.#whole(payload, metadata.chunk, body, sha256)
    if (whole === 'malformed') return { fault: `chunks are numbered from 0 and at most ${maximumChunks}` }
    // Of a context that is not there as a whole its receiver will judge.
    return whole === undefined ? { sha256, size } : readWhole(compression, whole, { sha256, size }, this.#maxBytes)
  }

  #whole({ toAgent, taskId }: ContextTransfer, chunk: unknown, body: string, sha256: string): string | 'malformed' | undefined {
    const { index, count } = (chunk ?? {}) as { readonly index?: unknown; readonly count?: unknown }
    if (!isCount(index) || !isCount(count) || index >= count || count > maximumChunks) return 'malformed'
    const key = JSON.stringify([toAgent, taskId, sha256, count])
    const collecting = this.#open.get(key) ?? { bodies: new Map<number, string>(), size: 0 }
    collecting.size += body.length - (collecting.bodies.get(index)?.length ?? 0)
    collecting.bodies.set(index, body)
    this.#open.delete(key)
    // More than any context that is allowed packs to.
    if (collecting.size > 2 * this.#maxBytes) return 'malformed'
    if (collecting.bodies.size === count) return Array.from({ length: count }, (_, at) => collecting.bodies.get(at)!).join('')
    this.#open.set(key, collecting)
    if (this.#open.size > maximumOpen) this.#open.delete(this.#open.keys().next().value!)
    return undefined
  }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

async function readWhole(compression: 'gzip' | 'brotli', body: string, declared: { readonly sha256: string; readonly size: number }, maxBytes: number): Promise<ContextContent> {
  const text = await unpack(compression, Buffer.from(body, 'base64'), maxBytes)
  if (text === undefined) return { fault: `the data cannot be unpacked to at most ${maxBytes} bytes` }
  const content = described(text)
  if (content.sha256 !== declared.sha256 || content.size !== declared.size) return { fault: 'the data is not what its checksum says' }
  const parsed = parseStrictJson(text, { maxBytes })
  return parsed.ok && isJsonObject(parsed.value.value) ? content : { fault: 'the data does not unpack to an object of JSON' }
}

async function unpack(compression: 'gzip' | 'brotli', body: Buffer, maxBytes: number): Promise<Buffer | undefined> {
  try {
    return await unpackers[compression](body, { maxOutputLength: maxBytes })
  } catch {
    return undefined
  }
}

const plain = (text: Buffer, maxBytes: number): ContextContent => (text.length > maxBytes ? { fault: `the data has more than ${maxBytes} bytes` } : described(text))
const described = (text: Buffer) => ({ sha256: createHash('sha256').update(text).digest('hex'), size: text.length })
