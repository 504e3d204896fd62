// The console's router before an authority in memory, asked as a browser asks it.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createConsoleHandler } from '../gateways/console/handler.ts'
import { silentLog } from '../log.ts'
import type { Fixture, Person } from './authority-fixture.ts'
import { startAuthority } from './authority-fixture.ts'

export class ConsoleDoor {
  readonly fixture: Fixture
  readonly #server = createServer()

  private constructor(fixture: Fixture) {
    this.fixture = fixture
    const handler = createConsoleHandler(fixture.service, silentLog())
    this.#server.on('request', (request, response) => void handler(request, response))
  }

  static async open(): Promise<ConsoleDoor> {
    const door = new ConsoleDoor(await startAuthority())
    await once(door.#server.listen(0, '127.0.0.1'), 'listening')
    return door
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await once(this.#server.close(), 'close')
  }

  /** A new session of this person. */
  async cookieOf({ actor, keyId }: Person): Promise<string> {
    return `countersign_session=${(await this.fixture.service.console.open(actor.id, keyId)).token}`
  }

  /** A query; without a cookie nobody asks. */
  ask(path: string, input?: unknown, cookie = ''): Promise<Response> {
    return fetch(`${this.urlOf(path)}${input === undefined ? '' : `?input=${encodeURIComponent(JSON.stringify(input))}`}`, { headers: { cookie } })
  }

  /** A mutation, with its body as it is. */
  send(path: string, body: string | Uint8Array, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(this.urlOf(path), { method: 'POST', body: body as BodyInit, headers: { 'content-type': 'application/json', ...headers } })
  }

  urlOf(path: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/api/trpc/${path}`
  }
}
