// The body of a POST: strictly parsed, with its text, and what is asked in it.
import type { RequestId } from '@modelcontextprotocol/sdk/types.js'
import type { Result } from '../../../protocol/result.ts'
import { err, ok } from '../../../protocol/result.ts'
import type { JsonValue } from '../../../protocol/strict-json.ts'
import { isJsonObject, parseStrictJson } from '../../../protocol/strict-json.ts'

export interface ReceivedBody {
  readonly value: JsonValue
  readonly text: string
  /** Ids of the requests among its messages; notifications and responses have none. */
  readonly requestIds: readonly RequestId[]
  readonly isInitialize: boolean
}

/** Two members of one name are refused, so that nobody reads another request than the one that is answered. */
export function readMcpBody(bytes: Uint8Array, maxBytes: number): Result<ReceivedBody, { reason: string }> {
  const parsed = parseStrictJson(bytes, { maxBytes })
  if (!parsed.ok) return err({ reason: parsed.error.message })
  const { value, text } = parsed.value
  const requests = (Array.isArray(value) ? value : [value]).filter((message) => isJsonObject(message) && typeof message.method === 'string').filter(isJsonObject)
  return ok({ value, text, requestIds: requests.flatMap(({ id }) => (typeof id === 'string' || typeof id === 'number' ? [id] : [])), isInitialize: requests.some(({ method }) => method === 'initialize') })
}
