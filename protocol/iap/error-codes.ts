// The closed set of codes that an ERROR of the router may carry.
import type { ErrorMessage } from './types.ts'

/** Recoverable: the sender may mend the cause and go on. */
export const IAP_ERROR_CODES = {
  VALIDATION_ERROR: { recoverable: true },
  CAPABILITY_NOT_FOUND: { recoverable: true },
  TASK_TIMEOUT: { recoverable: false },
  AGENT_OVERLOAD: { recoverable: true },
  CONTEXT_TRANSFER_FAILED: { recoverable: true },
  PROTOCOL_VERSION_MISMATCH: { recoverable: false },
} as const satisfies Record<string, { readonly recoverable: boolean }>
export type IAPErrorCode = keyof typeof IAP_ERROR_CODES

export interface ErrorExtra {
  readonly relatedTaskId?: string
  readonly details?: Record<string, unknown>
}

/** The payload of an ERROR; whether it is recoverable follows from the code. */
export const errorPayload = (code: IAPErrorCode, message: string, extra: ErrorExtra = {}): ErrorMessage => ({ code, message, ...extra, recoverable: IAP_ERROR_CODES[code].recoverable })
