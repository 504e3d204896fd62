import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { afterEach, expect, it } from 'vitest'
import { silentLog } from '../../log.ts'
import type { SpaceMessage } from '../../service/open-spaces/types.ts'
import { DEFAULT_IOA_LIMITS } from './limits.ts'
import { toAll } from './listening.ts'
import type { PassingMessage, Listening } from './listening.ts'
import type { Source } from './streams.ts'
import { Streams } from './streams.ts'

const ended = new Set<(tokenId: string) => void>()
const tokens = { onEnded: (listener: (tokenId: string) => void) => (ended.add(listener), () => void ended.delete(listener)) }
const caller = { nodeId: 'n', principalId: 'p', tokenId: 't' }
const streams = () => new Streams({ limits: DEFAULT_IOA_LIMITS, tokens, log: silentLog(), nowMs: () => 0 })
const passing = (position: number): PassingMessage => ({ position, message: { messageId: `m${position}`, bytes: Buffer.from(`{"n":${position}}`) } as unknown as SpaceMessage })

/** Gives these batches, then waits until it is closed. */
function sourceOf(...batches: PassingMessage[][]): Source & { closed: number } {
  let close = () => {}
  const untilClosed = new Promise<'ended'>((resolve) => (close = () => resolve('ended')))
  const source = { startsAfter: 0, closed: 0, next: async () => batches.shift() ?? untilClosed, close: () => (source.closed++, close()) }
  return source
}

const server = createServer()
afterEach(async () => {
  server.removeAllListeners('request')
  server.closeAllConnections()
  await once(server.close(), 'close')
})
/** Answers one request with the stream; the whole text once it has ended. */
async function answer(all: Streams, source: Source, listening: Listening = toAll('space', 's')) {
  server.on('request', (_, response) => void all.run(response, caller, source, listening))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
}

it('tells in order, says where it stands, and ends with its token', async () => {
  const [all, source] = [streams(), sourceOf([passing(1), passing(2)], [passing(3)])]
  const response = await answer(all, source)
  let text = ''
  for await (const chunk of response.body!) {
    text += Buffer.from(chunk).toString()
    if (text.includes('"n":3')) for (const end of ended) end('t')
  }
  expect(text).toBe(['id: space/s/0', ...[1, 2, 3].flatMap((n) => ['', `id: space/s/${n}`, 'event: message', `data: {"n":${n}}`]), '', ''].join('\n'))
  expect(source.closed).toBeGreaterThan(0)
})

it('IOA repair: a token that ended while its request was read opens no stream', () => {
  const all = streams()
  expect(all.refusalFor(caller)).toBeUndefined()
  for (const end of ended) end('t')
  expect([all.refusalFor(caller)?.status, all.refusalFor({ ...caller, tokenId: 'u' })]).toEqual([401, undefined])
  all.close()
  expect(all.refusalFor({ ...caller, tokenId: 'u' })?.status).toBe(503)
})

it('a fault of what it reads ends the stream and closes its source', async () => {
  const [all, source] = [streams(), sourceOf([passing(1)])]
  const response = await answer(all, source, { ...toAll('space', 's'), choose: () => Promise.reject(new Error('the store is gone')) })
  expect(await response.text()).toBe('id: space/s/0\n\n')
  expect(source.closed).toBeGreaterThan(0)
  all.close()
})
