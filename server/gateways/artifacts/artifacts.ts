// Content-addressed bytes over HTTP: POST /artifacts, GET /artifacts/<hash>. What a peer stored is only ever handed out
// as a download that runs nothing.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isSha256Hash } from '../../../protocol/digest.ts'
import type { FindCaller, Handler } from '../../http-messages.ts'
import { contentOf, isMethod, mediaTypeOf, sendJson, sendTooLarge, urlOf } from '../../http-messages.ts'
import type { AuthorityService } from '../../service/service.ts'

export const artifactsPrefix = '/artifacts/'
export const maximumArtifactBytes = 64 * 1024 * 1024

const mediaTypePattern = /^[A-Za-z0-9!#$&^_.+-]+\/[A-Za-z0-9!#$&^_.+-]+$/

type Service = Pick<AuthorityService, 'artifacts' | 'reads' | 'organization'>

/** Stores the raw body under its hash; the same bytes again are the same artifact. */
export function createUploadHandler(service: Service, findCaller: FindCaller): Handler {
  return async (request, response) => {
    if (!isMethod(request, response, 'POST')) return
    const uploadedBy = await findCaller(request)
    if (uploadedBy === undefined) return sendJson(response, 401, { error: 'authenticate first' })
    const mediaType = mediaTypeOf(request)
    if (mediaType === undefined || !mediaTypePattern.test(mediaType)) return sendJson(response, 415, { error: 'the Content-Type of the artifact is needed' })
    if (Number(request.headers['content-length'] ?? 0) > maximumArtifactBytes) return sendTooLarge(response, maximumArtifactBytes)
    const stored = await service.artifacts.put(contentOf(request), { mediaType, maxBytes: maximumArtifactBytes, uploadedBy })
    if (stored === 'too-large') return sendTooLarge(response, maximumArtifactBytes)
    const { contentHash, sizeBytes } = stored
    sendJson(response, 201, { contentHash, sizeBytes, uri: `${service.organization.origin}${artifactsPrefix}${contentHash}` })
  }
}

/** 404 for what is unknown and for what is not the caller's to read, alike. */
export function createDownloadHandler(service: Service, findCaller: FindCaller): Handler {
  return async (request, response) => {
    if (!isMethod(request, response, 'GET', 'HEAD')) return
    const callerId = await findCaller(request)
    if (callerId === undefined) return sendJson(response, 401, { error: 'authenticate first' })
    const contentHash = urlOf(request)!.pathname.slice(artifactsPrefix.length).replace(/^sha256%3a/i, 'sha256:')
    const mayRead = isSha256Hash(contentHash) && (await service.reads.mayReadArtifact(callerId, contentHash))
    const found = mayRead ? await service.artifacts.find(contentHash) : undefined
    if (found === undefined) return sendJson(response, 404, { error: 'there is no such artifact' })
    await send(service, request, response, found)
  }
}

async function send({ artifacts }: Service, request: IncomingMessage, response: ServerResponse, { contentHash, mediaType, sizeBytes }: { contentHash: string; mediaType: string; sizeBytes: number }): Promise<void> {
  const tag = `"${contentHash}"`
  response.setHeader('etag', tag)
  response.setHeader('cache-control', 'private, max-age=31536000, immutable')
  response.setHeader('content-security-policy', "default-src 'none'; sandbox")
  response.setHeader('content-disposition', `attachment; filename="${contentHash.slice('sha256:'.length)}"`)
  if (request.headers['if-none-match'] === tag) return void response.writeHead(304).end()
  response.writeHead(200, { 'content-type': mediaType, 'content-length': sizeBytes })
  response.end(request.method === 'HEAD' ? undefined : await artifacts.read(contentHash))
}
