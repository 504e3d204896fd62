// Content-addressed bytes over HTTP: POST /artifacts, GET /artifacts/<hash>. What a peer stored is only ever handed out
// as a download that runs nothing.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { isSha256Hash } from '../../../protocol/digest.ts'
import type { FindCaller, Handler } from '../../http-messages.ts'
import { contentOf, isMethod, mediaTypeOf, sendJson, sendTooLarge, urlOf } from '../../http-messages.ts'
import type { AuthorityService } from '../../service/service.ts'
import { defaultUploadLimits, UploadQuota } from '../../service/upload-quota.ts'

export const artifactsPrefix = '/artifacts/'
export const maximumArtifactBytes = 64 * 1024 * 1024

const mediaTypePattern = /^[A-Za-z0-9!#$&^_.+-]+\/[A-Za-z0-9!#$&^_.+-]+$/

type Service = Pick<AuthorityService, 'artifacts' | 'reads' | 'organization'>

/** Stores the raw body under its hash; the same bytes again are the same artifact. 429 beyond a Principal's quota, 507 when the disk is nearly full. */
export function createUploadHandler(service: Service, findCaller: FindCaller, limits = defaultUploadLimits, nowMs = () => performance.now()): Handler {
  const quota = new UploadQuota(limits, nowMs)
  return async (request, response) => {
    if (!isMethod(request, response, 'POST')) return
    const uploadedBy = await findCaller(request)
    if (uploadedBy === undefined) return sendJson(response, 401, { error: 'authenticate first' })
    const mediaType = mediaTypeOf(request)
    if (mediaType === undefined || !mediaTypePattern.test(mediaType)) return sendJson(response, 415, { error: 'the Content-Type of the artifact is needed' })
    if (Number(request.headers['content-length'] ?? 0) > maximumArtifactBytes) return sendTooLarge(response, maximumArtifactBytes)
    const place = quota.take(uploadedBy)
    if ('retryAfterMs' in place) return sendLater(response, place.retryAfterMs)
    const counted = count(request)
    try {
      await store(service, counted.content, { mediaType, maxBytes: maximumArtifactBytes, uploadedBy }, response)
    } finally {
      place.giveBack(counted.bytes())
    }
  }
}

async function store({ artifacts, organization }: Service, content: AsyncIterable<Uint8Array>, options: Parameters<Service['artifacts']['put']>[1], response: ServerResponse): Promise<void> {
  const stored = await artifacts.put(content, options)
  if (stored === 'too-large') return sendTooLarge(response, options.maxBytes)
  if (stored === 'no-room') return sendUnread(response, 507, 'there is no room for artifacts')
  const { contentHash, sizeBytes } = stored
  sendJson(response, 201, { contentHash, sizeBytes, uri: `${organization.origin}${artifactsPrefix}${contentHash}` })
}

/** The body, and how much of it has come so far. */
function count(request: IncomingMessage): { content: AsyncIterable<Uint8Array>; bytes: () => number } {
  let bytes = 0
  async function* content() {
    for await (const chunk of contentOf(request)) {
      bytes += chunk.length
      yield chunk
    }
  }
  return { content: content(), bytes: () => bytes }
}

function sendLater(response: ServerResponse, retryAfterMs: number): void {
  response.setHeader('retry-after', Math.ceil(retryAfterMs / 1000))
  sendUnread(response, 429, 'you have stored too much; come back later')
}

/** Refuses a body before it was read: the connection cannot be used again. */
function sendUnread(response: ServerResponse, status: number, error: string): void {
  response.setHeader('connection', 'close')
  sendJson(response, status, { error })
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
  const headers = {
    etag: tag,
    'cache-control': 'private, max-age=31536000, immutable',
    'content-security-policy': "default-src 'none'; sandbox",
    // Without a name: pages give the manifest's name in their link, and a name from here would win over it.
    'content-disposition': 'attachment',
  }
  if (request.headers['if-none-match'] === tag) return void response.writeHead(304, headers).end()
  const entity = { ...headers, 'content-type': mediaType, 'content-length': sizeBytes }
  if (request.method === 'HEAD') return void response.writeHead(200, entity).end()
  // Opened first: what is damaged is answered with 500, and no header says otherwise.
  const content = await artifacts.open(contentHash)
  if (content === undefined) return sendJson(response, 404, { error: 'there is no such artifact' })
  response.writeHead(200, entity)
  await pipeline(content, response).catch((fault: unknown) => {
    if (!hasLeft(fault)) throw fault
  })
}

/** The reader went away before the end. */
const hasLeft = (fault: unknown): boolean => (fault as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE'
