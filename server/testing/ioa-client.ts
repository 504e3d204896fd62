// A client of the IOA door that can say everything, the wrong things included, and reads event streams line by line.
import { once } from 'node:events'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { request } from 'node:http'

export interface IoaAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into what comes back
  readonly body: any
}

/** What a client shows of itself. */
export interface Credentials { readonly token?: string; readonly accessKey?: string; readonly nodeId?: string }

export class IoaClient {
  readonly base: string
  readonly credentials: Credentials

  /** `base` includes the path of the door. */
  constructor(base: string, credentials: Credentials = {}) {
    this.base = base
    this.credentials = credentials
  }

  with(credentials: Credentials): IoaClient {
    return new IoaClient(this.base, credentials)
  }

  get headers(): Record<string, string> {
    const { token, accessKey, nodeId } = this.credentials
    return { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...(accessKey !== undefined && { 'x-access-key': accessKey }), ...(nodeId !== undefined && { 'x-node-id': nodeId }) }
  }

  async call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<IoaAnswer> {
    const content = body === undefined || typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
    const response = await fetch(this.base + path, { method, redirect: 'manual', headers: { ...this.headers, ...headers }, ...(content !== undefined && { body: content as BodyInit }) })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: text === '' ? undefined : JSON.parse(text) }
  }

  get(path: string): Promise<IoaAnswer> {
    return this.call('GET', path)
  }

  post(path: string, body: unknown): Promise<IoaAnswer> {
    return this.call('POST', path, body)
  }

  /** Follows a stream; rejects where it is refused. */
  async follow(path: string, headers: Record<string, string> = {}): Promise<EventReader> {
    const url = new URL(this.base + path)
    const asked = request({ host: url.hostname, port: url.port, path: url.pathname + url.search, headers: { ...this.headers, ...headers } }).end()
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    if (response.statusCode !== 200) {
      response.resume()
      throw new Error(`the stream was refused with ${response.statusCode}`)
    }
    return new EventReader(asked, response)
  }
}

export interface StreamEvent {
  readonly event: string
  readonly id: string | undefined
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a Message, as tests look into it
  readonly message: any
}

/** Reads one stream as any reader of event streams does. */
export class EventReader {
  readonly #request: ClientRequest
  readonly response: IncomingMessage
  readonly #iterator: AsyncIterator<StreamEvent>
  /** The last id of any event, those without data included. */
  lastId: string | undefined
  longestLine = 0
  comments = 0

  constructor(asked: ClientRequest, response: IncomingMessage) {
    this.#request = asked
    this.response = response
    response.on('error', () => undefined)
    asked.on('error', () => undefined)
    this.#iterator = this.#events()
  }

  /** The next event with data; undefined once the stream has ended. */
  async next(): Promise<StreamEvent | undefined> {
    const { value, done } = await this.#iterator.next()
    return done ? undefined : value
  }

  async take(count: number): Promise<StreamEvent[]> {
    const events: StreamEvent[] = []
    while (events.length < count) {
      const event = await this.next()
      if (event === undefined) break
      events.push(event)
    }
    return events
  }

  close(): void {
    this.#request.destroy()
  }

  async *#events(): AsyncGenerator<StreamEvent> {
    let fields: { event: string; data: string[] } = { event: 'message', data: [] }
    for await (const line of this.#lines()) {
      if (line === '') {
        if (fields.data.length > 0) yield { event: fields.event, id: this.lastId, message: JSON.parse(fields.data.join('\n')) }
        fields = { event: 'message', data: [] }
      } else if (line.startsWith(':')) this.comments++
      else if (line.startsWith('id: ')) this.lastId = line.slice(4)
      else if (line.startsWith('event: ')) fields.event = line.slice(7)
      else if (line.startsWith('data: ')) fields.data.push(line.slice(6))
    }
  }

  async *#lines(): AsyncGenerator<string> {
    let rest = Buffer.alloc(0)
    try {
      for await (const chunk of this.response as AsyncIterable<Buffer>) {
        rest = Buffer.concat([rest, chunk])
        let end: number
        while ((end = rest.indexOf(0x0a)) >= 0) {
          this.longestLine = Math.max(this.longestLine, end)
          yield rest.subarray(0, end).toString()
          rest = rest.subarray(end + 1)
        }
      }
    } catch {
      // Cut off: the stream has ended.
    }
  }
}
