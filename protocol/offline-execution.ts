// The extension under which an Agent hands in progress that it had to buffer.
import type { BoundedOfflineExecution, Command, Extensions } from './generated/types.ts'

export const OFFLINE_EXECUTION = 'urn:missionweaveprotocol:extension:bounded-offline-execution'
const VERSION = '0.1.0'

/** The Commands that may carry it. */
export const isReconcilable = (kind: string): boolean => kind === 'message.post' || kind === 'work.checkpoint'

/** The extension entry for a buffered `message.post` or `work.checkpoint`; the binding stays as it was when the progress was made. */
export function offlineExecution(binding: BoundedOfflineExecution): Extensions {
  return { [OFFLINE_EXECUTION]: { version: VERSION, critical: true, data: { ...binding } } }
}

/** The entry of a Command as it came, and whether its frame is right; undefined where there is none. */
export function offlineEntryOf({ extensions }: Pick<Command, 'extensions'>): { readonly data: unknown; readonly isWellFramed: boolean } | undefined {
  if (extensions === undefined || !Object.hasOwn(extensions, OFFLINE_EXECUTION)) return undefined
  const entry = extensions[OFFLINE_EXECUTION]
  return { data: entry?.data, isWellFramed: entry?.version === VERSION && entry.critical }
}
