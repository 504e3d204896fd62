// One HTTP/1.1 connection of the load generator, kept alive. It reads status and body and nothing else, so that it costs little.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface HttpAnswer { readonly status: number; readonly body: string }

export class HttpLane {
  readonly #socket: Socket
  readonly #head: string
  #received: Buffer = Buffer.alloc(0)
  #waiting: { resolve: (answer: HttpAnswer) => void; fail: (fault: Error) => void } | undefined

  private constructor(socket: Socket, head: string) {
    this.#socket = socket
    this.#head = head
    socket.on('data', (chunk) => this.#take(chunk))
    socket.on('error', (fault) => this.#waiting?.fail(fault))
    socket.on('close', () => this.#waiting?.fail(new Error('the server closed the connection')))
  }

  static async open(address: string, token: string): Promise<HttpLane> {
    const { hostname, port, host } = new URL(address)
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    await once(socket, 'connect')
    return new HttpLane(socket, `Host: ${host}\r\nAuthorization: Bearer ${token}\r\n`)
  }

  /** One request at a time. A body that comes in chunks is given with their frames. */
  request(method: string, path: string, body?: string): Promise<HttpAnswer> {
    const answered = new Promise<HttpAnswer>((resolve, fail) => (this.#waiting = { resolve, fail }))
    const content = body === undefined ? '' : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`
    this.#socket.write(`${method} ${path} HTTP/1.1\r\n${this.#head}${content}\r\n${body ?? ''}`)
    return answered
  }

  close(): void {
    this.#waiting = undefined
    this.#socket.destroy()
  }

  /** Nothing follows the last chunk, since one request is under way at a time. */
  #endOfChunks(): number | undefined {
    return this.#received.subarray(-7).toString('latin1') === '\r\n0\r\n\r\n' ? this.#received.length : undefined
  }

  #take(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk])
    const end = this.#received.indexOf('\r\n\r\n')
    if (end < 0) return
    const head = this.#received.toString('latin1', 0, end)
    const length = /content-length: (\d+)/i.exec(head)?.[1]
    const last = length === undefined ? this.#endOfChunks() : end + 4 + Number(length)
    if (last === undefined || this.#received.length < last) return
    const body = this.#received.toString('utf8', end + 4, last)
    this.#received = this.#received.subarray(last)
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.resolve({ status: Number(head.slice(9, 12)), body })
  }
}

/** A stream of Server-Sent Events that is only counted. */
export class EventLane {
  readonly #socket: Socket
  #partial = ''
  #lastId: string | undefined
  /** Events with data that have arrived. */
  count = 0
  onEvent: () => void = () => {}

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setEncoding('latin1')
    socket.on('data', (text) => this.#take(String(text)))
  }

  static async open(address: string, token: string, path: string, lastEventId?: string): Promise<EventLane> {
    const { hostname, port, host } = new URL(address)
    const socket = connect({ host: hostname, port: Number(port) })
    await once(socket, 'connect')
    const lane = new EventLane(socket)
    const opened = once(socket, 'data')
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\nAccept: text/event-stream\r\n${lastEventId === undefined ? '' : `Last-Event-ID: ${lastEventId}\r\n`}\r\n`)
    const [head] = (await opened) as [string]
    if (!head.startsWith('HTTP/1.1 200')) throw new Error(head.split('\r\n', 1)[0])
    return lane
  }

  get lastId(): string | undefined {
    return this.#lastId
  }

  /** Stops reading: the server has to cope. */
  stall(): void {
    this.#socket.pause()
  }

  close(): void {
    this.#socket.destroy()
  }

  #take(text: string): void {
    const lines = (this.#partial + text).split('\n')
    this.#partial = lines.pop() ?? ''
    for (const line of lines) {
      if (line.startsWith('id:')) this.#lastId = line.slice(3).trim()
      if (line.startsWith('event: message') || line.startsWith('event:message')) {
        this.count += 1
        this.onEvent()
      }
    }
  }
}
