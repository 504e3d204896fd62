// The data of a CONTEXT_TRANSFER: unpacked no further than allowed, and held against its checksum.
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip } from 'node:zlib'
import type { ContextTransfer } from '../../../protocol/iap/types.ts'
import { parseStrictJson } from '../../../protocol/strict-json.ts'
import type { IAPPackedContext } from '../../../protocol/generated/types.ts'
import { validateIapDocument } from '../../../protocol/validate.ts'

export type ContextContent = { readonly sha256: string; readonly size: number } | { readonly fault: string }

const unpackers = { gzip: promisify(gunzip), brotli: promisify(brotliDecompress) }

/** Hash (hex) and size of the JSON text that the data unpacks to, or why it cannot be passed on. */
export async function readContext({ data, compression = 'none' }: ContextTransfer, maxBytes: number): Promise<ContextContent> {
  if (compression === 'none') return plain(Buffer.from(JSON.stringify(data)), maxBytes)
  if (validateIapDocument('packed-context', data) !== undefined) return { fault: 'packed data has encoding, body, sha256 and size' }
  const { body, sha256, size } = data as unknown as IAPPackedContext
  const text = await unpack(compression, Buffer.from(body, 'base64'), maxBytes)
  if (text === undefined) return { fault: `the data cannot be unpacked to at most ${maxBytes} bytes` }
  const content = described(text)
  if (content.sha256 !== sha256 || content.size !== size) return { fault: 'the data is not what its checksum says' }
  const parsed = parseStrictJson(text, { maxBytes })
  return parsed.ok ? content : { fault: 'the data does not unpack to JSON' }
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
