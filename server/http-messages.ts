// Reading and answering plain HTTP, shared by the doors. No product words here.
import { Buffer } from 'node:buffer'
import type { IncomingMessage, ServerResponse } from 'node:http'
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
export function refuseUpgrade(socket: Duplex, status: string, headers: readonly string[] = []): void {
  socket.once('finish', () => socket.destroy())
  socket.end([`HTTP/1.1 ${status}`, ...headers, 'Connection: close', 'Content-Length: 0', '', ''].join('\r\n'))
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
