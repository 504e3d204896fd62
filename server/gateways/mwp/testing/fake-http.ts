// The HTTP side that an Agent uses beside its socket, over the same small authority.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { sha256Hash } from '../../../../protocol/digest.ts'
import type { FakeService } from './fake-service.ts'

/** Serves `/api/groups` (with its long poll) and `/artifacts`. */
export function fakeHttp(fake: FakeService): (request: IncomingMessage, response: ServerResponse) => void {
  const artifacts = new Map<string, Buffer>()
  const json = (response: ServerResponse, status: number, body: object) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const agentId = fake.agentOf(request.headers.authorization?.slice('Bearer '.length) ?? '')
    const url = new URL(request.url ?? '/', 'http://localhost')
    if (agentId === undefined) return json(response, 401, {})
    if (url.pathname === '/api/groups') {
      const after = url.searchParams.get('after')
      if (after !== null && Number(after) === fake.revision) await fake.nextRevision(response)
      await fake.beforeGroupList()
      return json(response, 200, { revision: fake.revision, groups: fake.groupList(agentId) })
    }
    if (request.method === 'POST' && url.pathname === '/artifacts') {
      const bytes = await buffer(request)
      const contentHash = sha256Hash(bytes)
      artifacts.set(contentHash, bytes)
      return json(response, 201, { contentHash, sizeBytes: bytes.length, uri: `urn:test:content:${contentHash.slice(7)}` })
    }
    const stored = artifacts.get(url.pathname.slice('/artifacts/'.length))
    if (stored === undefined) return json(response, 404, {})
    response.end(stored)
  }

  return (request, response) => void answer(request, response).catch(() => response.destroy())
}
