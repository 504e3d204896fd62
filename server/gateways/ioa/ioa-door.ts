// The IOA door: plain HTTP and server-sent events over open Spaces, as the public clients of IOA know them.
import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FindAddress, Handler } from '../../http-messages.ts'
import { urlOf } from '../../http-messages.ts'
import type { Log } from '../../log.ts'
import { TokenBuckets } from '../../token-bucket.ts'
import { isSearchable } from './query.ts'
import { Callers, endedFor } from './callers.ts'
import type { IoaService } from './exchange.ts'
import type { IoaLimits } from './limits.ts'
import { DEFAULT_IOA_LIMITS } from './limits.ts'
import { Lists } from './json-list.ts'
import { NodeIds } from './node-ids.ts'
import { messageRoutes } from './message-routes.ts'
import { nodeRoutes } from './node-routes.ts'
import { probeRoutes } from './probes.ts'
import type { Refusal } from './refusal.ts'
import { refusal, sendRefusal } from './refusal.ts'
import { RouteTable, cleanPath, isOpen, missing, segmentsOf } from './routes.ts'
import { spacesOf } from './find-space.ts'
import { spaceRoutes } from './space-routes.ts'
import { streamRoutes } from './stream-routes.ts'
import { Streams } from './streams.ts'

export interface IoaDoorOptions {
  readonly addressOf: FindAddress
  readonly log: Log
  readonly limits?: Partial<IoaLimits>
  /** Any clock that does not run backwards. */
  readonly nowMs?: () => number
}

/** What a request has shown itself to be before its path was looked at. */
interface Arrived { readonly request: IncomingMessage; readonly response: ServerResponse; readonly url: URL; readonly address: string }

export class IoaDoor {
  readonly #log: Log
  readonly #addressOf: FindAddress
  readonly #nowMs: () => number
  readonly #callers: Callers
  readonly #streams: Streams
  readonly #routes: RouteTable
  readonly #addresses: TokenBuckets
  readonly #nodes: TokenBuckets

  constructor(service: IoaService, { addressOf, log, limits: chosen, nowMs = () => performance.now() }: IoaDoorOptions) {
    const limits = { ...DEFAULT_IOA_LIMITS, ...chosen }
    this.#log = log
    this.#addressOf = addressOf
    this.#nowMs = nowMs
    const nodeIds = new NodeIds(service)
    this.#callers = new Callers(service, nodeIds, nowMs)
    this.#streams = new Streams({ limits, tokens: service.doors.tokens, log, nowMs })
    this.#addresses = new TokenBuckets({ perSecond: limits.addressPerSecond, burst: limits.addressBurst })
    this.#nodes = new TokenBuckets({ perSecond: limits.nodePerSecond, burst: limits.nodeBurst })
    const needs = { service, limits, lists: new Lists(limits), callers: this.#callers, streams: this.#streams, ...spacesOf(service, nodeIds) }
    this.#routes = new RouteTable([...probeRoutes(service), ...messageRoutes(needs), ...spaceRoutes(needs), ...nodeRoutes(needs), ...streamRoutes(needs)])
  }

  /** For every path of the door. */
  readonly handle: Handler = async (request, response) => {
    try {
      const why = await this.#answer({ request, response, url: urlOf(request)!, address: this.#addressOf(request) })
      if (why && !response.headersSent) sendRefusal(response, why)
    } catch (fault) {
      // The peer went away while its request was read.
      if (fault === request.errored) return
      const correlationId = randomBytes(8).toString('hex')
      this.#log.error({ err: fault, correlationId, path: urlOf(request)?.pathname }, 'an IOA request failed')
      if (response.headersSent) response.destroy()
      else sendRefusal(response, refusal(500, `internal error ${correlationId}`))
    }
  }

  /** Ends every stream. */
  close(): void {
    this.#streams.close()
  }

  /** Credentials come before routing, so that a stranger learns of no path. */
  async #answer(arrived: Arrived): Promise<Refusal | void> {
    const { request, url, address } = arrived
    const method = request.method ?? ''
    const limited = tooMany(this.#addresses.waitMs(address, this.#nowMs()))
    if (limited !== undefined) return limited
    const segments = segmentsOf(url.pathname)
    const found = segments && this.#routes.find(method, segments)
    if (found?.route.access === 'open' || (segments && isOpen(segments))) return this.#open(arrived, segments!, found)
    const identify = () => this.#callers.byToken(request, address)
    const caller = await identify()
    if (!caller.ok) return caller.error
    const waiting = tooMany(this.#nodes.waitMs(caller.value.nodeId, this.#nowMs()))
    if (waiting !== undefined) return waiting
    const elsewhere = redirection(url)
    if (elsewhere !== undefined) return elsewhere
    if (found?.route.access !== 'token') return missing(method, segments ?? [])
    if (!isSearchable(url.searchParams)) return refusal(422, 'a query parameter holds what no text may hold')
    return found.route.handle({ ...arrived, query: url.searchParams, parameters: found.parameters, caller: caller.value, ended: endedFor(identify) })
  }

  async #open(arrived: Arrived, segments: readonly string[], found: ReturnType<RouteTable['find']>): Promise<Refusal | void> {
    const elsewhere = redirection(arrived.url)
    if (elsewhere !== undefined) return elsewhere
    if (found?.route.access !== 'open') return missing(arrived.request.method ?? '', segments)
    return found.route.handle({ ...arrived, query: arrived.url.searchParams, parameters: found.parameters })
  }
}

function tooMany(waitMs: number): Refusal | undefined {
  return waitMs > 0 ? refusal(429, 'too many requests', { 'retry-after': Math.ceil(waitMs / 1000) }) : undefined
}

function redirection({ pathname, search }: URL): Refusal | undefined {
  const clean = cleanPath(pathname)
  return clean === undefined ? undefined : refusal(301, 'the path is written with single slashes', { location: clean + search })
}
