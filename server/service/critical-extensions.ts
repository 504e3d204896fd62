import type { Command } from '../../protocol/generated/types.ts'
import { reject } from '../../protocol/error-codes.ts'
import type { Rejection } from '../../protocol/error-codes.ts'
import { OFFLINE_EXECUTION } from '../../protocol/offline-execution.ts'
import { isJsonObject } from '../../protocol/strict-json.ts'
import type { JsonValue } from '../../protocol/strict-json.ts'

/** Members of payloads whose objects may carry extensions of their own. */
const extensible = ['artifact', 'card', 'contract'] as const

/** Refuses a Command that asks for an extension to be understood which is not; the decision judges those that are. */
export function unknownCriticalExtension({ extensions, payload }: Command): Rejection | undefined {
  const nested = extensible.flatMap((member) => {
    const object = payload[member] as JsonValue | undefined
    return isJsonObject(object) ? [object.extensions] : []
  })
  for (const entries of [extensions as JsonValue | undefined, ...nested]) {
    if (!isJsonObject(entries)) continue
    for (const [profileUri, entry] of Object.entries(entries)) {
      if (profileUri === OFFLINE_EXECUTION && entries === extensions) continue
      if (isJsonObject(entry) && entry.critical === true) {
        return reject('UNKNOWN_CRITICAL_EXTENSION', 'A required extension is not understood.', { details: { profileUri } })
      }
    }
  }
  return undefined
}
