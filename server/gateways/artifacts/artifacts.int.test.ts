// Uploads and downloads over a real folder.
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage, Server } from 'node:http'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openArtifactFolder } from '../../artifacts/artifact-folder.ts'
import { AccessRules, createRequestListener } from '../../http.ts'
import { createLog } from '../../log.ts'
import type { ArtifactStore } from '../../service/ports.ts'
import type { AuthorityService } from '../../service/service.ts'
import { artifactsPrefix, createDownloadHandler, createUploadHandler } from './artifacts.ts'

const megabyte = 1024 * 1024
let folder: string
let server: Server
let origin: string
let logged: string[]
let nowMs: number

async function serve(artifacts: ArtifactStore) {
  const service = { artifacts, reads: { mayReadArtifact: async () => true }, organization: { origin: 'http://localhost' } } as unknown as AuthorityService
  const findCaller = async (incoming: IncomingMessage) => incoming.headers.authorization
  const routes = {
    exact: new Map([['/artifacts', createUploadHandler(service, findCaller, { concurrent: 2, bytesPerDay: megabyte }, () => nowMs)]]),
    prefixes: [[artifactsPrefix, createDownloadHandler(service, findCaller)]] as const,
  }
  const log = createLog('error', { write: (line) => void logged.push(line) })
  server = createServer((incoming, response) => {
    incoming.headers.host = 'localhost'
    createRequestListener({ routes, access: new AccessRules(['http://localhost']), isSecure: false, isDevelopment: false, log })(incoming, response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'artifacts-'))
  ;[logged, nowMs] = [[], 0]
})
afterEach(async () => {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
  await rm(folder, { recursive: true })
})

const headers = (caller = 'urn:x:ada') => ({ authorization: caller, 'content-type': 'text/plain' })
const put = (body: Uint8Array, caller?: string) => fetch(`${origin}/artifacts`, { method: 'POST', body: body as BodyInit, headers: headers(caller) })
const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const get = (bytes: Uint8Array, method = 'GET') => fetch(`${origin}/artifacts/sha256:${hashOf(bytes)}`, { method, headers: headers() })

describe('a download', () => {
  it('is the content, whatever its size', async () => {
    await serve(await openArtifactFolder(folder))
    const bytes = randomBytes(3 * megabyte + 1)
    await put(bytes)
    const response = await get(bytes)
    expect([response.status, hashOf(new Uint8Array(await response.arrayBuffer()))]).toEqual([200, hashOf(bytes)])
    const head = await get(bytes, 'HEAD')
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes.length)])
  })

  it('of damaged bytes is 500 from the first byte on, to be kept by nobody (A-200)', async () => {
    await serve(await openArtifactFolder(folder))
    const bytes = Buffer.from('good')
    await put(bytes)
    const hex = hashOf(bytes)
    await writeFile(join(folder, hex.slice(0, 2), hex.slice(2, 4), hex), 'evil')
    const response = await get(bytes)
    expect([response.status, await response.json()]).toEqual([500, { error: 'internal error', correlationId: expect.any(String) }])
    expect([response.headers.get('etag'), response.headers.get('cache-control')]).toEqual([null, 'no-store'])
    expect(logged.join()).toContain('do not match')
  })

  it('that its reader leaves is closed and no fault', async () => {
    const artifacts = await openArtifactFolder(folder)
    const wrapped = { ...artifacts }
    const closed = new Promise<void>((resolve) => {
      wrapped.open = async (contentHash) => (await artifacts.open(contentHash))?.once('close', resolve)
    })
    await serve(wrapped)
    const bytes = randomBytes(40 * megabyte)
    await put(bytes)
    const reading = request(`${origin}/artifacts/sha256:${hashOf(bytes)}`, { headers: headers() }).end()
    const [response] = (await once(reading, 'response')) as [IncomingMessage]
    response.destroy()
    await closed
    expect(logged).toEqual([])
  })

  it('leaves the event loop to others while it is checked', async () => {
    const artifacts = await openArtifactFolder(folder)
    await serve(artifacts)
    const bytes = randomBytes(32 * megabyte)
    await put(bytes)
    let turns = 0
    const counting = setInterval(() => turns++, 0)
    const content = await artifacts.open(`sha256:${hashOf(bytes)}`)
    clearInterval(counting)
    content!.destroy()
    expect(turns).toBeGreaterThan(5)
  })
})

describe('an upload', () => {
  it('beyond what a Principal may store in a day waits, and nobody else does', async () => {
    await serve(await openArtifactFolder(folder))
    expect((await put(randomBytes(megabyte))).status).toBe(201)
    const refused = await put(Buffer.from('x'))
    expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([429, 1])
    expect((await put(Buffer.from('x'), 'urn:x:bob')).status).toBe(201)
    nowMs += 1000
    expect((await put(Buffer.from('x'))).status).toBe(201)
  })

  it('takes one of few places until it has ended', async () => {
    await serve(await openArtifactFolder(folder))
    const open = [1, 2].map(() => request(`${origin}/artifacts`, { method: 'POST', headers: headers() }))
    const started = Promise.all(open.map(() => once(server, 'request')))
    for (const upload of open) upload.write('x')
    await started
    expect((await put(Buffer.from('y'))).status).toBe(429)
    const answers = open.map((upload) => once(upload, 'response') as Promise<[IncomingMessage]>)
    for (const upload of open) upload.end()
    for (const [response] of await Promise.all(answers)) expect(response.resume().statusCode).toBe(201)
    expect((await put(Buffer.from('y'))).status).toBe(201)
  })

  it('finds no room on a disk that is nearly full', async () => {
    await serve(await openArtifactFolder(folder, { minimumFreeBytes: Number.MAX_SAFE_INTEGER }))
    expect((await put(Buffer.from('x'))).status).toBe(507)
  })
})
