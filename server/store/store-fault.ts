export type StoreFaultCode =
  | 'unreachable'
  | 'server-too-old'
  | 'encoding-unsupported'
  | 'migration-changed'
  | 'database-newer'
  | 'integer-unsafe'
  | 'card-version-reused'
  | 'key-unknown'
  | 'embedded-unavailable'
  | 'embedded-in-use'
  | 'log-elsewhere'

/** The store cannot keep its promise. The message is for operators; code branches on `code`. */
export class StoreFault extends Error {
  override readonly name = 'StoreFault'
  constructor(
    readonly code: StoreFaultCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}
