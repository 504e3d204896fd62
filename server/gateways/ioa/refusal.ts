// How this door says no: a status and `{"detail": …}`.
import type { ServerResponse } from 'node:http'
import { err } from '../../../protocol/result.ts'
import { sendJson } from '../../http-messages.ts'
import type { SpaceRefusal } from '../../service/open-spaces/types.ts'

/** `detail` is for people; the public client never parses it. */
export interface Refusal {
  readonly status: number
  readonly detail: string
  readonly headers?: Readonly<Record<string, string | number>>
}

export const refusal = (status: number, detail: string, headers?: Refusal['headers']): Refusal => ({ status, detail, ...(headers && { headers }) })
export const refused = (status: number, detail: string) => err(refusal(status, detail))

const statusOf = { not_found: 404, invalid_input: 422, forbidden: 403, conflict: 409, too_large: 413, quota_exceeded: 507, busy: 503 } as const satisfies Record<SpaceRefusal['category'], number>

/** What the service refused, as this door puts it. */
export function refusalOf({ category, reason }: SpaceRefusal): Refusal {
  return refusal(statusOf[category], reason, category === 'busy' ? { 'retry-after': 1 } : undefined)
}

export const noRoute = refusal(404, 'there is nothing at this path')

/** Answers with a refusal. Where a body is still on its way, the connection ends with the answer. */
export function sendRefusal(response: ServerResponse, { status, detail, headers }: Refusal): void {
  for (const [name, value] of Object.entries(headers ?? {})) response.setHeader(name, value)
  if (!response.req.complete) response.setHeader('connection', 'close')
  sendJson(response, status, { detail })
}
