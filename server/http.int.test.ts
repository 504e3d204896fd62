// The outer shell on a real socket.
import { once } from 'node:events'
import type { IncomingMessage, Server } from 'node:http'
import { createServer, request } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AccessRules, createRequestListener, createUpgradeListener } from './http.ts'
import type { Handler } from './http-messages.ts'
import { contentOf, readBody, refuseUpgrade, sendJson, sendTooLarge } from './http-messages.ts'
import { createLog } from './log.ts'

let server: Server
let port: number
let logged: string[]
let handler: Handler

beforeEach(async () => {
  logged = []
  const log = createLog('debug', { write: (line) => void logged.push(line) })
  const access = new AccessRules(['http://localhost'])
  const routes = { exact: new Map<string, Handler>([['/upload', (...exchange) => handler(...exchange)]]), prefixes: [], pages: (...exchange: Parameters<Handler>) => handler(...exchange) }
  server = createServer(createRequestListener({ routes, access, isSecure: false, isDevelopment: false, log }))
  server.on('upgrade', createUpgradeListener(new Map([['/busy', (_request, socket) => refuseUpgrade(socket, '503 Service Unavailable')]]), access, log))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  port = (server.address() as AddressInfo).port
})
afterEach(async () => {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
})

describe('an upgrade that is refused', () => {
  it.each([['/elsewhere', 'localhost', '404'], ['/busy', 'rebound.example', '403'], ['/busy', 'localhost', '503']])('ends its socket although the peer keeps its own half open: %s %s', async (path, host, status) => {
    const accepted = once(server, 'connection') as Promise<[Socket]>
    const peer = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    peer.on('error', () => undefined)
    const closed = accepted.then(async ([socket]) => once(socket, 'close'))
    peer.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`)
    const [answer] = (await once(peer, 'data')) as [Buffer]
    expect(String(answer)).toContain(status)
    await closed
    peer.destroy()
  })
})

describe('an upload', () => {
  const upload = () => request({ port, path: '/upload', method: 'POST', headers: { host: 'localhost' } })

  it('that fails through a fault of ours is answered with 500 and is in the log', async () => {
    handler = async (incoming) => {
      for await (const _chunk of contentOf(incoming)) throw new Error('disk full')
    }
    const sending = upload()
    sending.write('first')
    const [response] = (await once(sending, 'response')) as [IncomingMessage]
    expect(response.statusCode).toBe(500)
    expect(logged.join()).toContain('disk full')
    sending.destroy()
  })

  it('whose peer goes away is nobody’s fault', async () => {
    const failed = new Promise((resolve) => {
      handler = async (incoming) => {
        try {
          for await (const _chunk of contentOf(incoming)) sending.destroy()
        } catch (fault) {
          resolve(fault)
          throw fault
        }
      }
    })
    const sending = upload()
    sending.on('error', () => undefined)
    sending.write('first')
    expect(await failed).toBeInstanceOf(Error)
    expect(logged.join()).not.toContain('request failed')
  })

  it('without an announced length is told when it is too large', async () => {
    handler = async (incoming, response) => {
      const body = await readBody(incoming, 3)
      if (body === 'too-large') return sendTooLarge(response, 3)
      sendJson(response, 200, {})
    }
    const sending = upload()
    sending.write('four')
    const [response] = (await once(sending, 'response')) as [IncomingMessage]
    expect([response.statusCode, response.headers.connection]).toEqual([413, 'close'])
    sending.destroy()
  })
})

describe('a page', () => {
  const ask = async (method: string) => {
    const asked = request({ port, path: '/missions', method, headers: { host: 'localhost', 'next-action': 'f'.repeat(40), 'content-type': 'text/plain' } }).end(method === 'POST' ? '[]' : '')
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    response.resume()
    return response
  }

  it('is read and nothing else: no method that sends something to it reaches the pages', async () => {
    const seen: (string | undefined)[] = []
    handler = (incoming, response) => {
      seen.push(incoming.method)
      response.end()
    }
    const statuses: (number | undefined)[] = []
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'GET', 'HEAD']) statuses.push((await ask(method)).statusCode)
    expect(statuses).toEqual([405, 405, 405, 405, 200, 200])
    expect(seen).toEqual(['GET', 'HEAD'])
  })
})
