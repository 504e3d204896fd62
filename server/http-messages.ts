// Reading and answering plain HTTP, shared by the doors. No product words here.
import { Buffer } from 'node:buffer'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isIP } from 'node:net'
import type { Duplex } from 'node:stream'

export type Handler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>

/** The Principal behind a request, by whichever credential the door takes. */
export type FindCaller = (request: IncomingMessage) => Promise<string | undefined>

/** Largest JSON body that any door reads. */
export const maximumJsonBytes = 256 * 1024

/** The body piece by piece. Whoever stops early leaves the connection alive, so that there can be an answer. */
export const contentOf = (request: IncomingMessage): AsyncIterable<Buffer> => request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>

/** The whole body, or `too-large` once more than `maximumBytes` were announced or seen; rejects when the peer goes away. */
export async function readBody(request: IncomingMessage, maximumBytes: number): Promise<Uint8Array | 'too-large'> {
  if (Number(request.headers['content-length'] ?? 0) > maximumBytes) return 'too-large'
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of contentOf(request)) {
    size += chunk.length
    if (size > maximumBytes) return 'too-large'
    chunks.push(chunk)
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size)
}

/** Answers with JSON text or a value to write as JSON. Never cached. */
export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  sendBytes(response, status, Buffer.from(JSON.stringify(body)))
}

/** Answers with bytes that are JSON already. */
export function sendBytes(response: ServerResponse, status: number, json: Uint8Array): void {
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': json.length,
    'cache-control': 'no-store',
  })
  response.end(json)
}

/** Answers 405 unless the method is one of these. */
export function isMethod(request: IncomingMessage, response: ServerResponse, ...methods: readonly string[]): boolean {
  if (methods.includes(request.method ?? '')) return true
  response.setHeader('allow', methods.join(', '))
  sendJson(response, 405, { error: 'method not allowed' })
  return false
}

/** Refuses a body that was not read to its end: the connection cannot be used again. */
export function sendTooLarge(response: ServerResponse, maximumBytes: number): void {
  response.setHeader('connection', 'close')
  sendJson(response, 413, { error: `the body exceeds ${maximumBytes} bytes` })
}

/**
 * Answers an upgrade with a refusal and ends its socket, as soon as the answer has left: sockets of a server stay open for
 * as long as the peer keeps its half open.
 */
export function refuseUpgrade(socket: Duplex, status: string, headers: readonly string[] = [], reason = ''): void {
  socket.once('finish', () => socket.destroy())
  const described = reason === '' ? [] : ['Content-Type: text/plain; charset=utf-8']
  socket.end([`HTTP/1.1 ${status}`, ...headers, ...described, 'Connection: close', `Content-Length: ${Buffer.byteLength(reason)}`, '', reason].join('\r\n'))
}

/** Token of `Authorization: Bearer …`. */
export function bearerToken(request: IncomingMessage): string | undefined {
  return /^Bearer ([A-Za-z0-9._~+/-]+=*)$/i.exec(request.headers.authorization ?? '')?.[1]
}

/** Media type without parameters, in lower case. */
export function mediaTypeOf(request: IncomingMessage): string | undefined {
  return request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
}

/** Path and query of the request line; `undefined` when it is no path. */
export function urlOf(request: IncomingMessage): URL | undefined {
  const target = request.url ?? ''
  return target.startsWith('/') && URL.canParse(target, 'http://server') ? new URL(target, 'http://server') : undefined
}

/** Whose request it is, as far as quotas are concerned. */
export type FindAddress = (request: IncomingMessage) => string

/**
 * Reads a request's address behind so many proxies, each of which appends the address that called it to `X-Forwarded-For`.
 * Only what they have appended is believed. An IPv6 peer owns its whole network, so the network stands for it.
 */
export function addressReader(trustedProxies = 0): FindAddress {
  return (request) => {
    const peer = request.socket.remoteAddress ?? ''
    const forwarded = trustedProxies > 0 ? forwardedFor(request).slice(-trustedProxies)[0] : undefined
    return networkOf(forwarded !== undefined && isIP(forwarded) > 0 ? forwarded : peer)
  }
}

function forwardedFor({ headers }: IncomingMessage): readonly string[] {
  const listed = headers['x-forwarded-for'] ?? ''
  return String(listed).split(',').map((entry) => withoutPort(entry.trim()))
}

/** Some proxies write `192.0.2.1:4711` or `[2001:db8::1]:4711`. */
const withoutPort = (entry: string): string => /^\[([^\]]*)\]/.exec(entry)?.[1] ?? (/^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry)

/** An IPv4 address as it is, an IPv6 address by its first 64 bits. */
function networkOf(address: string): string {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  if (isIP(address) !== 6) return address
  const [head = '', tail] = address.split('%', 1)[0]!.split('::')
  const [first, last] = [head, tail ?? ''].map((part) => part.split(':').filter((group) => group !== ''))
  const zeros = Math.max(0, 8 - first!.length - last!.length)
  const groups = [...first!, ...Array.from({ length: zeros }, () => '0'), ...last!].slice(0, 4)
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}
