// Requests that say exactly what a test tells them to, right or wrong.
import type { IncomingHttpHeaders } from 'node:http'
import { request } from 'node:http'
import { ERROR_CODES } from '../../../protocol/error-codes.ts'
import { saw } from '../evidence.ts'

/** No door may keep a peer waiting longer, whatever it was sent. */
const answerWithinMs = 5_000

export interface Shot {
  /** POST where there is a body, else GET. */
  readonly method?: string
  /** Path and query of the request line, sent as they are. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array | string
  /** Leaves the length out, so that the server learns of it only by reading. */
  readonly isChunked?: boolean
  /** Announces this length and sends no body at all. */
  readonly announced?: number
}

export interface Answer { readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string }

/** Sends one request on a connection of its own and reads the whole answer. Rejects when the server hangs or hangs up. */
export async function send(port: number, shot: Shot): Promise<Answer> {
  const { path, headers = {}, body, isChunked = false, announced } = shot
  const length = announced ?? (body === undefined || isChunked ? undefined : Buffer.byteLength(body))
  const sent = request({
    port, host: '127.0.0.1', path, agent: false, method: shot.method ?? (body === undefined && announced === undefined ? 'GET' : 'POST'),
    headers: { ...fromElsewhere(), ...headers, ...(length !== undefined && { 'content-length': length }) }, signal: AbortSignal.timeout(answerWithinMs),
  })
  const answer = new Promise<Answer>((resolve, reject) => {
    sent.once('error', reject).once('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).once('error', reject)
      response.once('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(chunks).toString() }))
    })
  })
  // What comes after an answer (a connection that was cut because the rest was not wanted) is not its business any more.
  sent.on('error', () => undefined)
  if (announced !== undefined) sent.flushHeaders()
  else if (isChunked) void write(sent, body ?? '')
  else sent.end(body)
  return answer.then(noted).finally(() => sent.destroy())
}

/** Leaves the protocol code of a refusal in the evidence of the running test. */
function noted(answer: Answer): Answer {
  const code = codeOf(answer)
  if (code !== undefined && Object.hasOwn(ERROR_CODES, code)) saw('code', code)
  return answer
}

/** In pieces, so that the server can refuse before the end. */
async function write(sent: ReturnType<typeof request>, body: Uint8Array | string): Promise<void> {
  const bytes = Buffer.from(body)
  for (let at = 0; at < bytes.length && !sent.destroyed; at += pieceBytes) {
    if (!sent.write(bytes.subarray(at, at + pieceBytes))) await new Promise((resolve) => sent.once('drain', resolve).once('close', resolve))
  }
  sent.end()
}
const pieceBytes = 1024 * 1024

let addresses = 0

/** Says that the request comes from where none has come from before: every door counts what an address does wrong. The server must trust one proxy. */
export function fromElsewhere(): { readonly 'x-forwarded-for': string } {
  addresses++
  return { 'x-forwarded-for': `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}` }
}

/** The value that an answer holds; undefined when it is not JSON. */
export function jsonOf({ text }: Answer): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The code of a refusal as the door writes it: of the protocol, of tRPC, or empty where words are all there is. */
export function codeOf(answer: Answer): string | undefined {
  const { error } = (jsonOf(answer) ?? {}) as { error?: string | { code?: string; data?: { code?: string } } }
  return typeof error === 'string' ? '' : (error?.data?.code ?? error?.code)
}
