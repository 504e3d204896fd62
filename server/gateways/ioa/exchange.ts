// One request at this door, and what its areas are made of.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Result } from '../../../protocol/result.ts'
import { err, ok } from '../../../protocol/result.ts'
import { readBody } from '../../http-messages.ts'
import type { Doors } from '../../service/doors/types.ts'
import type { OpenSpaces } from '../../service/open-spaces/types.ts'
import type { AuthorityService } from '../../service/service.ts'
import type { Body, Fields } from './body.ts'
import { parseBody } from './body.ts'
import type { IoaLimits } from './limits.ts'
import type { Refusal } from './refusal.ts'
import { refused } from './refusal.ts'

/** What this door asks of the service. */
export interface IoaService extends Pick<AuthorityService, 'reads' | 'feeds' | 'ready'> {
  readonly openSpaces: OpenSpaces
  readonly doors: Doors
}

/** Who acts: the Node of the token that was shown. Without `tokenId` an access key vouches for the Node that it enrolled. */
export interface Caller {
  readonly nodeId: string
  readonly principalId: string
  readonly tokenId?: string
}

export interface OpenExchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly query: URLSearchParams
  /** Decoded segments at the `:` of the route's path. */
  readonly parameters: readonly string[]
  readonly address: string
  /** Why the credentials that were shown count no longer; undefined while they do. */
  readonly ended?: () => Promise<Refusal | undefined>
}

export interface Exchange extends OpenExchange {
  readonly caller: Caller
}

/** Answers the exchange, or says why not. */
type Handle<E> = (exchange: E) => Promise<Refusal | void>
interface RouteLine { readonly method: string; readonly path: string }
/** `open` routes authenticate nobody or by themselves. */
export type Route = RouteLine & ({ readonly access: 'open'; readonly handle: Handle<OpenExchange> } | { readonly access: 'token'; readonly handle: Handle<Exchange> })

export const open = (line: string, handle: Handle<OpenExchange>): Route => ({ ...routeLine(line), access: 'open', handle })
export const authenticated = (line: string, handle: Handle<Exchange>): Route => ({ ...routeLine(line), access: 'token', handle })

function routeLine(line: string): RouteLine {
  const [method = '', path = ''] = line.split(' ')
  return { method, path }
}

/**
 * The body of a request: 413 when it is too long, 408 when it takes too long, 422 when it does not fit; and as without credentials
 * where they have ended while it came, for its sender says how long that takes.
 */
export async function bodyOf<F extends Fields>({ request, ended }: OpenExchange, fields: F, limits: IoaLimits): Promise<Result<Body<F>, Refusal>> {
  const bytes = await receivedBytes(request, limits)
  const why = await ended?.()
  if (why !== undefined) return err(why)
  return bytes.ok ? parseBody(bytes.value, fields) : bytes
}

async function receivedBytes(request: IncomingMessage, { maxBodyBytes, bodyDeadlineMs }: IoaLimits): Promise<Result<Uint8Array, Refusal>> {
  const body = readBody(request, maxBodyBytes)
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'late'>((resolve) => (timer = setTimeout(resolve, bodyDeadlineMs, 'late')))
  try {
    const first = await Promise.race([body, late])
    if (first === 'late') return refused(408, 'the body took too long')
    return first === 'too-large' ? refused(413, `the body exceeds ${maxBodyBytes} bytes`) : ok(first)
  } finally {
    // What comes of a body that nobody waits for any more is no fault.
    body.catch(() => undefined)
    clearTimeout(timer)
  }
}
